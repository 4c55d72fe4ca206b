package sessionstate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/transcript"
)

// State holds what people mark about sessions: pins and what they have read. It is stored in
// session/state.json, and no transcript needs it. Marks of an in-memory session stay in
// memory. State is safe for use by several goroutines and, through a lock file, by several
// processes.
type State struct {
	folder  *sessiondir.Dir // the session folder; nil: everything stays in memory
	logger  *slog.Logger
	private func(session string) bool
	names   func() (map[string]bool, error) // of all sessions that exist or are in the trash

	mu     sync.Mutex
	memory map[string]sessionMarks // of sessions that exist only in memory
	stat   os.FileInfo             // of the file as last read; nil: not read
	at     time.Time               // when stat was taken
	read   stateDoc                // never changed once set
}

// stateDoc is the part of the file this version knows. The rest is kept.
type stateDoc struct {
	Format   string                  `json:"format"`
	Since    time.Time               `json:"since"` // what was last active before then counts as read
	Sessions map[string]sessionMarks `json:"sessions"`
	Warning  Warning                 `json:"deletion_warning"`
}

// sessionMarks holds the marks of one session.
type sessionMarks struct {
	Pinned  time.Time `json:"pinned,omitzero"` // when it was pinned; zero: it isn't
	Read    readMark  `json:"read,omitzero"`
	Expired time.Time `json:"expired,omitzero"`      // when it was moved to the trash by age
	Back    time.Time `json:"brought_back,omitzero"` // when it came back from there: its age counts from then
	Exports []string  `json:"exports,omitempty"`     // folders it was exported to, the latest last
}

// readMark records how far a session was read.
type readMark struct {
	Messages int       `json:"messages"` // how many there were
	Active   time.Time `json:"active"`   // the time of the last block
}

// New returns the marks in a folder; folder is nil for a store that exists only in memory.
// private reports which sessions must never be written; names returns those that exist or are in
// the trash.
func New(folder *sessiondir.Dir, logger *slog.Logger, private func(string) bool, names func() (map[string]bool, error)) *State {
	return &State{folder: folder, logger: logger, private: private, names: names, memory: map[string]sessionMarks{}}
}

// Marks holds the marks at one moment.
type Marks struct {
	doc    stateDoc
	memory map[string]sessionMarks
}

func (m Marks) of(name string) sessionMarks {
	if marks, ok := m.memory[name]; ok {
		return marks
	}
	return m.doc.Sessions[name]
}

// Pinned reports whether the session is pinned.
func (m Marks) Pinned(name string) bool { return !m.of(name).Pinned.IsZero() }

// Pins returns the names of the pinned sessions in the order they were pinned.
func (m Marks) Pins() []string {
	all := maps.Clone(m.doc.Sessions)
	if all == nil {
		all = map[string]sessionMarks{}
	}
	maps.Copy(all, m.memory)
	maps.DeleteFunc(all, func(_ string, marks sessionMarks) bool { return marks.Pinned.IsZero() })
	return slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		if n := all[a].Pinned.Compare(all[b].Pinned); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
}

// Unread returns how many messages of a listed session arrived since it was marked as read. A
// session that was never marked counts from the first mark of any session (earlier messages
// count as read), unless it is a command-line session: its messages were read there.
func (m Marks) Unread(info transcript.Info) int {
	read := m.of(info.Name).Read
	if read.Active.IsZero() {
		if m.doc.Since.IsZero() || info.Source == "cli" || !info.Active.After(m.doc.Since) {
			return 0
		}
		return info.Messages
	}
	if n := info.Messages - read.Messages; n > 0 {
		return n
	}
	if info.Messages < read.Messages && info.Active.After(read.Active) {
		return 1 // messages were deleted by hand, and there is something new
	}
	return 0
}

// Marks returns the current marks; if the file hasn't changed, that costs a stat. If the
// file can't be read, Marks returns an error and pins are unknown, so whatever depends on
// them (archiving, deleting) must wait.
func (st *State) Marks() (Marks, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	doc, err := st.load()
	if err != nil {
		return Marks{}, err
	}
	return Marks{doc: doc, memory: maps.Clone(st.memory)}, nil
}

// SetPinned pins or unpins a session. A pinned session is neither archived nor deleted by
// age.
func (st *State) SetPinned(ctx context.Context, name string, pinned bool) error {
	return st.mark(ctx, name, func(marks *sessionMarks) bool {
		switch {
		case pinned == !marks.Pinned.IsZero():
			return false
		case pinned:
			marks.Pinned = time.Now().Truncate(time.Millisecond)
		default:
			marks.Pinned = time.Time{}
		}
		return true
	})
}

// MarkRead marks all messages counted in info as read. It writes nothing if they already are.
func (st *State) MarkRead(ctx context.Context, info transcript.Info) error {
	now := readMark{Messages: info.Messages, Active: info.Active}
	if now.Active.IsZero() {
		now.Active = time.Now().Truncate(time.Second)
	}
	return st.mark(ctx, info.Name, func(marks *sessionMarks) bool {
		if marks.Read.Messages == now.Messages && marks.Read.Active.Equal(now.Active) {
			return false
		}
		marks.Read = now
		return true
	})
}

// maxExports is how many export folders are kept per session.
const maxExports = 20

// MarkExported records the folder of a file that a session was exported to, so that Forget can
// name the copy it doesn't reach. The file's own name is not stored: it is often made of
// a message's words.
func (st *State) MarkExported(ctx context.Context, name, file string) error {
	file, err := filepath.Abs(file)
	if err != nil {
		return fmt.Errorf("marking an export of %s: %w", name, err)
	}
	folder := filepath.Dir(file)
	return st.mark(ctx, name, func(marks *sessionMarks) bool {
		kept := slices.DeleteFunc(slices.Clone(marks.Exports), func(f string) bool { return f == folder })
		kept = append(kept, folder)
		marks.Exports = kept[max(0, len(kept)-maxExports):]
		return true
	})
}

// Exports returns the folders that a session was exported to.
func (st *State) Exports(name string) []string {
	marks, err := st.Marks()
	if err != nil {
		return nil // an unreadable file is reported where the marks are used
	}
	return marks.of(name).Exports
}

// mark changes the marks of one session; change reports whether it changed anything.
func (st *State) mark(ctx context.Context, name string, change func(*sessionMarks) bool) error {
	if name == "" {
		return fmt.Errorf("marking a session: %w", transcript.ErrBadName)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.private(name) {
		marks := st.memory[name]
		if change(&marks) {
			st.memory[name] = marks
		}
		return nil
	}
	if doc, err := st.load(); err == nil {
		if marks := doc.Sessions[name]; !change(&marks) {
			return nil
		}
	}
	if err := st.editMarks(ctx, []string{name}, func(marks *sessionMarks) { change(marks) }); err != nil {
		return fmt.Errorf("marking %s: %w", name, err)
	}
	return nil
}

// markAll changes the marks of several sessions in one write.
func (st *State) markAll(ctx context.Context, names []string, change func(*sessionMarks)) error {
	if len(names) == 0 {
		return nil
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if err := st.editMarks(ctx, names, change); err != nil {
		return fmt.Errorf("marking %d sessions: %w", len(names), err)
	}
	return nil
}

// editMarks applies change to sessions' marks and writes them. The caller holds mu.
func (st *State) editMarks(ctx context.Context, names []string, change func(*sessionMarks)) error {
	return st.edit(ctx, func(doc stateDoc, file object) error {
		return file.within("sessions", func(sessions object) error {
			for _, name := range names {
				marks := doc.Sessions[name]
				change(&marks)
				if err := sessions.within(name, marks.put); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// put writes the marks into a session's object.
func (m sessionMarks) put(session object) error {
	err := errors.Join(session.set("pinned", m.Pinned, m.Pinned.IsZero()), session.set("exports", m.Exports, len(m.Exports) == 0), session.set("expired", m.Expired, m.Expired.IsZero()),
		session.set("brought_back", m.Back, m.Back.IsZero()))
	if err != nil || m.Read.Active.IsZero() {
		return err
	}
	return session.within("read", func(read object) error {
		return errors.Join(read.set("messages", m.Read.Messages, false), read.set("active", m.Read.Active, false))
	})
}

// Prune drops the marks of sessions that are gone for good: neither listed nor in the trash.
// It returns how many.
func (st *State) Prune(ctx context.Context) (int, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	doc, err := st.load()
	if err != nil || len(doc.Sessions) == 0 {
		return 0, err
	}
	there, err := st.names()
	if err != nil {
		return 0, fmt.Errorf("looking whose marks can go: %w", err)
	}
	gone := func(name string) bool { return !there[name] }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(doc.Sessions)), gone) {
		return 0, nil
	}
	dropped := 0
	err = st.edit(ctx, func(_ stateDoc, file object) error {
		return file.within("sessions", func(sessions object) error {
			before := len(sessions)
			maps.DeleteFunc(sessions, func(name string, _ json.RawMessage) bool { return gone(name) })
			dropped = before - len(sessions)
			return nil
		})
	})
	return dropped, err
}

// Warning records since when people know that sessions of some age will be deleted. The zero
// Warning means that they don't.
type Warning struct {
	At    time.Time     `json:"at"`
	After time.Duration `json:"after"` // ns; the rule's value
	Used  bool          `json:"used"`  // sessions were deleted since
}

// Warning returns the last warning.
func (st *State) Warning() (Warning, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	doc, err := st.load()
	return doc.Warning, err
}

// SetExpired records when sessions were moved to the trash by age; zero: they weren't.
func (st *State) SetExpired(ctx context.Context, names []string, at time.Time) error {
	return st.markAll(ctx, names, func(marks *sessionMarks) { marks.Expired = at })
}

// SetWarning stores a warning, so that a restart doesn't restart its time.
func (st *State) SetWarning(ctx context.Context, w Warning) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.edit(ctx, func(_ stateDoc, file object) error {
		return file.set("deletion_warning", w, w.At.IsZero())
	})
}

// BroughtBack records that sessions have just come back from the trash.
func (st *State) BroughtBack(ctx context.Context, names []string) error {
	return st.markAll(ctx, names, func(marks *sessionMarks) {
		marks.Expired, marks.Back = time.Time{}, time.Now().Truncate(time.Millisecond)
	})
}

// Expired reports whether the session was moved to the trash by age.
func (m Marks) Expired(name string) bool { return !m.of(name).Expired.IsZero() }

// Back returns when the session was brought back from the trash; zero if it wasn't.
func (m Marks) Back(name string) time.Time { return m.of(name).Back }

// LastBack returns when the last of these sessions was brought back from the trash; zero
// if none was.
func (m Marks) LastBack(list []transcript.Info) time.Time {
	var last time.Time
	for _, info := range list {
		if back := m.Back(info.Name); back.After(last) {
			last = back
		}
	}
	return last
}
