package backend

import (
	"context"
	"log/slog"
	"strings"
)

// privateLog leaves the names of private chats out of the log: nothing that is
// written tells even that there was one of this name.
type privateLog struct {
	slog.Handler
	private func(session string) bool
}

// privateName stands for the name of a private chat.
const privateName = "(private)"

// Handle passes a record on; a private chat's name in it, or in its errors, is
// replaced.
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

// WithAttrs and WithGroup keep the rule in loggers made of this one.
func (h privateLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return privateLog{h.Handler.WithAttrs(attrs), h.private}
}

// WithGroup: see WithAttrs.
func (h privateLog) WithGroup(name string) slog.Handler {
	return privateLog{h.Handler.WithGroup(name), h.private}
}

// isPrivate asks the sessions, once they are open.
func (b *Backend) isPrivate(session string) bool {
	store := b.opened.Load()
	return store != nil && store.IsPrivate(session)
}
