package forgotten

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"mac-stats/sessionmem/textfold"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// Forgotten text is recorded as keyed hashes in forgotten.jsonl, one object per line, so
// that an editor's late save, a synced copy or unfinished work can't bring it back. The
// file holds neither text nor the key (see keyFile). Each forgetting has a line at its
// beginning and one at its end; the next start finishes a forgetting without an end.
const (
	forgottenFile   = "forgotten.jsonl"
	forgottenFormat = "mac-stats-forgotten/3"
	forgottenOpen   = "mac-stats-forgotten/2" // with a part of a hash that has no key
	forgottenBefore = "mac-stats-forgotten/1" // also with the key beside the hashes
	forgetLock      = "forget.lock"
)

// ErrForgetting means that another process is forgetting something.
var ErrForgetting = errors.New("something is being forgotten already; try again in a moment")

// Record is what was forgotten in a data folder. It is safe for concurrent use by several
// goroutines and processes.
type Record struct {
	root   string // the data folder, absolute; "" if there is no file
	ring   keyring
	logger *slog.Logger
	folder func() *textfold.Folder

	mu   sync.Mutex // guards the fields below
	stat os.FileInfo
	at   time.Time         // the time of the stat
	sum  [sha256.Size]byte // of the file and its keys, as read last
	all  *Traces
}

// NewRecord returns the record of a data folder; with root "" it is empty.
func NewRecord(root string, logger *slog.Logger) *Record {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	if abs, err := filepath.Abs(root); root != "" && err == nil {
		root = abs
	}
	return &Record{root: root, ring: keyring{filepath.Join(root, keyFile)}, logger: logger, folder: sync.OnceValue(textfold.NewFolder)}
}

// Path returns the path of the file, whether or not it exists.
func (f *Record) Path() string { return filepath.Join(f.root, forgottenFile) }

// forgottenLine is a line that isn't a trace.
type forgottenLine struct {
	Format string `json:"format,omitempty"`
	KeyID  string `json:"key_id,omitempty"`
	Key    []byte `json:"key,omitempty"` // in forgottenBefore

	Begin *Forgetting `json:"begin,omitempty"`
	Done  string      `json:"done,omitempty"`
	Tried string      `json:"tried,omitempty"` // everything was gone through, but something was refused
	Ended time.Time   `json:"ended,omitzero"`

	traceLine
}

// Has reports whether a text holds what was forgotten. For a block, whose time is known,
// HasBlock is exact.
func (f *Record) Has(text string) bool { return f.Traces().holdsBy(text, nil) }

// HasIn is Has for a text of a session or of a lesson from there; session "" is the owner's
// own memory.
func (f *Record) HasIn(session, text string) bool {
	t := f.Traces()
	return t.HoldsIn(session, text) && (session != "" || !t.IsAllowed(text))
}

// HasBlock reports whether a block of a session was forgotten, as a whole or in part. That
// applies to every copy of the block, old ones included.
func (f *Record) HasBlock(session string, b transcript.Block) bool {
	t := f.Traces()
	if t.Empty() || b.Text == Text {
		return false
	}
	if t.Selects(session, b) {
		return true
	}
	cleaned, _, _ := t.Clean(session, b)
	return cleaned.Text != b.Text
}

// HasElsewhere is HasBlock, or HasIn for memory, for a text of another machine. A session there that
// only has the name of a forgotten one is another conversation, because people choose the names; that
// with a Discord channel is the same everywhere.
func (f *Record) HasElsewhere(session string, b transcript.Block) bool {
	if session == "" {
		return f.HasIn("", b.Text)
	}
	t := *f.Traces()
	t.elsewhere = true
	if t.Empty() || b.Text == Text {
		return false
	}
	if !b.Time.IsZero() { // of its very second nobody knows there which came first: it goes
		b.Time = b.Time.Add(-time.Second)
	}
	cleaned, whole, _ := t.Clean(session, b)
	return whole || cleaned.Text != b.Text
}

// Generation identifies the set of what was forgotten on this machine; "" if there is nothing.
func (f *Record) Generation() string {
	ids := sha256.New()
	any := false
	for _, g := range f.Traces().at {
		if !g.Elsewhere {
			any = true
			ids.Write([]byte(g.ID + "\n"))
		}
	}
	if !any {
		return ""
	}
	return hex.EncodeToString(ids.Sum(nil)[:16])
}

// Elsewhere returns a draft of what another machine forgot.
func (f *Record) Elsewhere() (*Draft, error) {
	t, err := f.New(false, true)
	if err == nil {
		t.Own().Elsewhere = true
	}
	return t, err
}

// Traces returns all traces in the current file.
func (f *Record) Traces() *Traces {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.root == "" {
		return &Traces{}
	}
	now := time.Now()
	fi, err := os.Stat(f.Path())
	if errors.Is(err, fs.ErrNotExist) {
		f.all, f.stat, f.sum = &Traces{}, nil, [sha256.Size]byte{}
		return f.all
	}
	if err == nil && f.all != nil && (wholefile.Seen{Stat: f.stat, At: f.at}).Unchanged(fi) {
		return f.all
	}
	var data []byte
	if err == nil {
		data, fi, err = wholefile.ReadText(f.Path())
	}
	if err == nil && isOlder(data) && f.upgradeNow() {
		data, fi, err = wholefile.ReadText(f.Path())
	}
	if err != nil {
		f.logger.Warn("what was forgotten can't be read: it may be taken in again", "file", f.Path(), "err", err)
		if f.all == nil {
			return &Traces{}
		}
		return f.all
	}
	f.stat, f.at = fi, now
	keys, _, _ := wholefile.ReadText(f.ring.path) // parse reports errors
	if sum := sha256.Sum256(append(data, keys...)); f.all == nil || sum != f.sum {
		f.all, _ = f.parse(data)
		f.sum = sum
	}
	return f.all
}

// upgradeNow is upgrade unless another process is forgetting.
func (f *Record) upgradeNow() bool {
	lock := wholefile.NewLock(f.lockPath())
	if ok, err := lock.TryLock(); err != nil || !ok {
		return false
	}
	err := f.upgrade()
	if err != nil {
		f.logger.Warn("what was forgotten is kept in an older form that gives short texts away to who reads it", "file", f.Path(), "err", err)
	}
	if uerr := lock.Unlock(); uerr != nil {
		f.logger.Warn("the lock of forgetting was not given back: others wait until this process ends", "err", uerr)
	}
	return err == nil
}

func (f *Record) lockPath() string {
	return filepath.Join(f.root, transcript.SessionDir, transcript.LocksDir, forgetLock)
}

// parse reads the file. It skips unreadable lines, such as half a line after a crash. last
// is the key of the last header.
func (f *Record) parse(data []byte) (all *Traces, last []byte) {
	all = newTraces(f.folder)
	begun := map[string]*Forgetting{}
	keys, _, err := f.ring.read()
	if err != nil {
		f.logger.Warn("the key of what was forgotten can't be read: it may be taken in again", "file", f.ring.path, "err", err)
	}
	for line := range bytes.Lines(data) {
		var l forgottenLine
		if json.Unmarshal(line, &l) != nil {
			continue
		}
		switch {
		case l.Format == forgottenBefore && len(l.Key) == keyBytes:
			last = l.Key
		case l.Format == forgottenFormat, l.Format == forgottenOpen:
			if last = keys[l.KeyID]; last == nil {
				f.logger.Warn("a key of what was forgotten is missing: it may be taken in again", "file", f.ring.path)
			}
		case l.Begin != nil && l.Begin.ID != "" && last != nil && begun[l.Begin.ID] == nil:
			g := l.Begin
			g.key = last
			begun[g.ID] = g
			all.at = append(all.at, g)
			if !g.Until.IsZero() {
				all.spans = append(all.spans, g)
			}
		case l.Done != "" && begun[l.Done] != nil:
			begun[l.Done].done = true
			begun[l.Done].end(l.Ended)
		case l.Tried != "" && begun[l.Tried] != nil:
			begun[l.Tried].end(l.Ended)
		case l.Kind != "" && begun[l.Of] != nil:
			all.add(l.open(begun[l.Of]), begun[l.Of])
		}
	}
	ids := sha256.New()
	for _, g := range all.at {
		ids.Write([]byte(g.ID + "\n"))
	}
	all.generation = string(ids.Sum(nil))
	return all, last
}

// LacksKey reports whether a key is missing with which something was recorded, so that it can't
// be recognised any more.
func (f *Record) LacksKey() (bool, error) {
	if f.root == "" {
		return false, nil
	}
	data, _, err := wholefile.ReadText(f.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	keys, _, err := f.ring.read()
	for line := range bytes.Lines(data) {
		var l forgottenLine
		if json.Unmarshal(line, &l) == nil && (l.Format == forgottenFormat || l.Format == forgottenOpen) && keys[l.KeyID] == nil {
			return true, err
		}
	}
	return false, err
}

// New returns a draft without traces. typed: added words match everywhere, else not in what
// a person typed in other messages than the selected ones. lessons: what was learned from
// it goes too.
func (f *Record) New(typed, lessons bool) (*Draft, error) {
	key, err := f.key()
	if err != nil {
		return nil, err
	}
	t := newTraces(f.folder)
	t.at = []*Forgetting{{ID: transcript.RandomID(8), At: time.Now().Round(0), Typed: typed, Learn: lessons, key: key}}
	return &Draft{t}, nil
}

// Begin records a forgetting and syncs the file. From now on it binds all programs, and is
// finished whatever happens to this process.
func (f *Record) Begin(t *Draft) error {
	g := t.Own()
	if err := errors.Join(f.upgrade(), f.ring.save(g.key)); err != nil {
		return wholefile.Explain("noting what is forgotten", err)
	}
	g.Begun = time.Now().Round(0)
	lines := []any{forgottenLine{Begin: g}}
	for _, l := range t.lines {
		lines = append(lines, l.seal(g))
	}
	return f.append(g.key, lines...)
}

// Done records that a forgetting is complete, with what it found.
func (f *Record) Done(t *Traces, found []Touched) error {
	return f.end(t, found, func(at time.Time) forgottenLine { return forgottenLine{Done: t.Own().ID, Ended: at} })
}

// end records that everything was gone through.
func (f *Record) end(t *Traces, found []Touched, line func(at time.Time) forgottenLine) error {
	g, at := t.Own(), time.Now().Round(0)
	var lines []any
	if g.Seconds {
		for _, id := range BlocksInSecond(found, at) {
			lines = append(lines, traceLine{Kind: traceSecond, Sum: g.sum(traceSecond, id), Of: g.ID})
		}
	}
	return f.append(g.key, append(lines, line(at))...)
}

// Tried records that a forgetting went through everything but something was refused. It
// will be tried again, but text written from now on doesn't match.
func (f *Record) Tried(t *Traces, found []Touched) error {
	if !t.Own().ended.IsZero() {
		return nil // recorded before
	}
	return f.end(t, found, func(at time.Time) forgottenLine { return forgottenLine{Tried: t.Own().ID, Ended: at} })
}

// append appends lines to the file, after adding the key if it is missing.
func (f *Record) append(key []byte, lines ...any) error {
	data, _, err := wholefile.ReadText(f.Path())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return wholefile.Explain("noting what is forgotten", err)
	}
	var out bytes.Buffer
	if len(data) > 0 && data[len(data)-1] != '\n' {
		out.WriteByte('\n')
	}
	if _, last := f.parse(data); !bytes.Equal(last, key) {
		lines = slices.Insert(lines, 0, any(forgottenLine{Format: forgottenFormat, KeyID: keyID(key)}))
	}
	enc := json.NewEncoder(&out)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			return fmt.Errorf("noting what is forgotten: %w", err)
		}
	}
	if err := appendPrivate(f.Path(), out.Bytes()); err != nil {
		return wholefile.Explain("noting what is forgotten", err)
	}
	return nil
}

// Since reports whether anything was forgotten since t: what was being made then from older
// text may hold it.
func (f *Record) Since(t time.Time) bool {
	return slices.ContainsFunc(f.Traces().at, func(g *Forgetting) bool {
		return !g.Begun.Before(t.Round(0)) || !g.ended.IsZero() && !g.ended.Before(t.Round(0))
	})
}

// HasAny reports whether any of these blocks of a session still holds what was forgotten.
func (f *Record) HasAny(session string, blocks []transcript.Block) bool {
	t := f.Traces()
	return !t.Empty() && slices.ContainsFunc(blocks, func(b transcript.Block) bool {
		_, _, changed := t.Clean(session, b)
		return changed
	})
}

// Unfinished returns the traces of each forgetting that was begun and not completed.
func (f *Record) Unfinished() []*Traces {
	var out []*Traces
	all := f.Traces()
	for _, g := range all.at {
		if !g.done {
			out = append(out, all.only(g))
		}
	}
	return out
}

// only returns the traces of one forgetting.
func (t *Traces) only(g *Forgetting) *Traces {
	one := newTraces(t.f)
	one.at = []*Forgetting{g}
	if slices.Contains(t.spans, g) {
		one.spans = []*Forgetting{g}
	}
	for _, l := range t.lines {
		if l.Of == g.ID {
			one.add(l, g)
		}
	}
	return one
}

// Lock makes this the only process that may forget, or returns ErrForgetting. As the lock of
// the memory, it never creates the session folder.
func (f *Record) Lock(ctx context.Context) (unlock func(), err error) {
	dir := filepath.Join(f.root, transcript.SessionDir, transcript.LocksDir)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, wholefile.Explain("locking what is forgotten", err)
	}
	lock := wholefile.NewLock(f.lockPath())
	ctx, cancel := context.WithTimeoutCause(ctx, Patience, ErrForgetting)
	defer cancel()
	if ok, err := lock.TryLockContext(ctx, wholefile.TurnRetry); !ok {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, wholefile.Explain("locking what is forgotten", err)
	}
	return func() {
		if err := lock.Unlock(); err != nil {
			f.logger.Warn("the lock of forgetting was not given back: others wait until this process ends", "err", err)
		}
	}, nil
}

// Patience is how long to wait for another forgetting or for a session's turn.
const Patience = 5 * time.Second

// Last returns when something was last forgotten; zero if nothing was.
func (f *Record) Last() time.Time {
	var last time.Time
	for _, g := range f.Traces().at {
		if g.Begun.After(last) {
			last = g.Begun
		}
	}
	return last
}

// HasTyped reports whether an unsent text holds words that were forgotten since a time,
// wherever they were typed.
func (f *Record) HasTyped(text string, since time.Time) bool {
	return f.Traces().holdsBy(text, func(g *Forgetting) bool { return g.Typed && g.Begun.After(since) })
}
