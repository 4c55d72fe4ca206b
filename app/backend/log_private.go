package backend

import (
	"context"
	"log/slog"
	"strings"
)

// privateLog keeps the names of private chats out of the log: no line reveals that one
// existed.
type privateLog struct {
	slog.Handler
	private func(session string) bool
}

// privateName replaces the name of a private chat.
const privateName = "(private)"

// Handle passes a record on after replacing a private chat's name in its attributes and
// errors.
func (h privateLog) Handle(ctx context.Context, r slog.Record) error {
	name := ""
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "session" && h.private(a.Value.String()) {
			name = a.Value.String()
		}
		return name == ""
	})
	if name == "" {
		return h.Handler.Handle(ctx, r)
	}
	clean := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		if text := a.Value.String(); strings.Contains(text, name) {
			a.Value = slog.StringValue(strings.ReplaceAll(text, name, privateName))
		}
		clean.AddAttrs(a)
		return true
	})
	return h.Handler.Handle(ctx, clean)
}

// WithAttrs returns a handler with the attributes that hides names too.
func (h privateLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return privateLog{h.Handler.WithAttrs(attrs), h.private}
}

// WithGroup returns a handler with the group that hides names too.
func (h privateLog) WithGroup(name string) slog.Handler {
	return privateLog{h.Handler.WithGroup(name), h.private}
}

// isPrivate reports whether a session is private; before the sessions are open, none is.
func (b *Backend) isPrivate(session string) bool {
	store := b.opened.Load()
	return store != nil && store.IsPrivate(session)
}
