package forgotten

import (
	"bytes"
	"context"
	"crypto/sha256"
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

// What was forgotten is remembered as keyed hashes in forgotten.jsonl, one object a
// line: so that it is not taken in again from an editor's late save, a synced copy,
// or work that was under way. The file holds no text, and not the key either (see
// keyFile). A line of its own begins each
// forgetting and ends it: one that was begun and not ended is finished by the next
// start.
const (
	forgottenFile   = "forgotten.jsonl"
	forgottenFormat = "mac-stats-forgotten/3"
	forgottenOpen   = "mac-stats-forgotten/2" // with a part of a hash that has no key
	forgottenBefore = "mac-stats-forgotten/1" // with its key beside the hashes, too
	forgetLock      = "forget.lock"
)

// ErrForgetting: another process forgets something now.
var ErrForgetting = errors.New("something is being forgotten already; try again in a moment")

// Record is what was forgotten in a data folder. It is safe for use by several
// goroutines and processes.
type Record struct {
	root   string // data folder, absolute; "": there is no file
	ring   keyring
	logger *slog.Logger
	folder func() *textfold.Folder

	mu   sync.Mutex // guards what follows
	stat os.FileInfo
	at   time.Time         // when stat was asked for
	sum  [sha256.Size]byte // of the file and its keys, as all was read
	all  *Traces
}

// NewRecord gives what was forgotten in a data folder; root "" is none.
func NewRecord(root string, logger *slog.Logger) *Record {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	if abs, err := filepath.Abs(root); root != "" && err == nil {
		root = abs
	}
	return &Record{root: root, ring: keyring{filepath.Join(root, keyFile)}, logger: logger, folder: sync.OnceValue(textfold.NewFolder)}
}

// Path is where the file is, or would be.
func (f *Record) Path() string { return filepath.Join(f.root, forgottenFile) }

// forgottenLine is a line that is no trace.
type forgottenLine struct {
	Format string `json:"format,omitempty"`
	KeyID  string `json:"key_id,omitempty"`
	Key    []byte `json:"key,omitempty"` // of forgottenBefore

	Begin *Forgetting `json:"begin,omitempty"`
	Done  string      `json:"done,omitempty"`
	Tried string      `json:"tried,omitempty"` // gone through, but for what was refused
	Ended time.Time   `json:"ended,omitzero"`

	traceLine
}

// Has reports whether a text holds what was forgotten. Of a block, whose time is known,
// HasBlock is exact.
func (f *Record) Has(text string) bool { return f.Traces().holdsBy(text, nil) }

// HasIn is Has for a text of a session, or of a lesson from there; session "" is the
// owner's own memory.
func (f *Record) HasIn(session, text string) bool {
	t := f.Traces()
	return t.HoldsIn(session, text) && (session != "" || !t.IsAllowed(text))
}

// HasBlock reports whether a block of a session was forgotten: it itself, or
// something it says. A block says so wherever it comes from: an old copy, too.
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

// Traces gives all there are, as the file is now.
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
	keys, _, _ := wholefile.ReadText(f.ring.path) // parse tells of an error
	if sum := sha256.Sum256(append(data, keys...)); f.all == nil || sum != f.sum {
		f.all, _ = f.parse(data)
		f.sum = sum
	}
	return f.all
}

// upgradeNow is upgrade where nobody else forgets just now.
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

// parse reads the file. What can't be read of it (half a line after a crash) is left
// out. last is the key of the last header.
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

// New gives traces that are empty, of a forgetting that is not written down yet.
// typed: words that are added are meant wherever they stand, else not where a person
// typed them in another message than those meant. lessons: what was learnt goes too.
func (f *Record) New(typed, lessons bool) (*Draft, error) {
	key, err := f.key()
	if err != nil {
		return nil, err
	}
	t := newTraces(f.folder)
	t.at = []*Forgetting{{ID: transcript.RandomID(8), At: time.Now().Round(0), Typed: typed, Learn: lessons, key: key}}
	return &Draft{t}, nil
}

// Begin writes a forgetting down, safe on disk: from now on it binds all programs,
// and is finished whatever happens to this one.
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

// Done notes that a forgetting is complete, which found this.
func (f *Record) Done(t *Traces, found []Touched) error {
	return f.end(t, found, func(at time.Time) forgottenLine { return forgottenLine{Done: t.Own().ID, Ended: at} })
}

// end notes that all was gone through.
func (f *Record) end(t *Traces, found []Touched, line func(at time.Time) forgottenLine) error {
	g, at := t.Own(), time.Now().Round(0)
	var lines []any
	if g.Seconds {
		for _, id := range OfSecond(found, at) {
			lines = append(lines, traceLine{Kind: traceSecond, Sum: g.sum(traceSecond, id), Of: g.ID})
		}
	}
	return f.append(g.key, append(lines, line(at))...)
}

// Tried notes that a forgetting went through everything and something was refused: it
// is tried again, but what is said from now on is not meant.
func (f *Record) Tried(t *Traces, found []Touched) error {
	if !t.Own().ended.IsZero() {
		return nil // noted before
	}
	return f.end(t, found, func(at time.Time) forgottenLine { return forgottenLine{Tried: t.Own().ID, Ended: at} })
}

// append writes lines at the end, behind the key where it is not there yet.
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

// Since says whether anything was forgotten since a time: what was being made then of
// what was said may tell of it.
func (f *Record) Since(t time.Time) bool {
	return slices.ContainsFunc(f.Traces().at, func(g *Forgetting) bool {
		return !g.Begun.Before(t.Round(0)) || !g.ended.IsZero() && !g.ended.Before(t.Round(0))
	})
}

// Meant says whether blocks of a session still say what is to be forgotten.
func (f *Record) Meant(session string, blocks []transcript.Block) bool {
	t := f.Traces()
	return !t.Empty() && slices.ContainsFunc(blocks, func(b transcript.Block) bool {
		_, _, changed := t.Clean(session, b)
		return changed
	})
}

// Unfinished gives the traces of each forgetting that was begun and not completed.
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

// only gives the traces of one forgetting.
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

// Lock makes this the only process that forgets; ErrForgetting where another does.
func (f *Record) Lock(ctx context.Context) (unlock func(), err error) {
	dir := filepath.Join(f.root, transcript.SessionDir, transcript.LocksDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
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

// Patience is how long another forgetting, or a session's turn, is waited for.
const Patience = 5 * time.Second

// Last is when something was forgotten last; zero where nothing was.
func (f *Record) Last() time.Time {
	var last time.Time
	for _, g := range f.Traces().at {
		if g.Begun.After(last) {
			last = g.Begun
		}
	}
	return last
}

// HasTyped reports whether a text that is not sent yet holds words which were
// forgotten since a time, wherever they were typed.
func (f *Record) HasTyped(text string, since time.Time) bool {
	return f.Traces().holdsBy(text, func(g *Forgetting) bool { return g.Typed && g.Begun.After(since) })
}
