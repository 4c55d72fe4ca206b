package memory

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/sharedfile"
	"mac-stats/sessionmem/wholefile"
)

// sieve gives memory files without what was forgotten: late saves, backups and synced
// copies bring it back. What the user writes anew in the app, or adds by a command, is
// allowed (see forgotten.Record.Allow): text from another program can't be told from an old one.
type sieve struct {
	root      folder
	forgotten *forgotten.Record
	shipped   func() map[string]bool // lines that come with the product
}

// Without gives a file's bytes without what was forgotten.
func (s *sieve) Without(path string, raw []byte) []byte {
	t := s.forgotten.Traces()
	if t.Empty() || len(raw) == 0 || !s.mayHold(t, raw) {
		return raw
	}
	return s.cleanBy(t.Each(func(time.Time, bool) bool { return true }), path, raw)
}

// WithoutOver is Without for forgettings that are over: what one that is under
// way means it takes out itself, and tells of.
func (s *sieve) WithoutOver(path string, raw []byte) []byte {
	over := s.forgotten.Traces().Each(func(_ time.Time, over bool) bool { return over })
	return s.cleanBy(over, path, raw)
}

// Returned says whether a line that was noted elsewhere was forgotten before.
func (s *sieve) Returned(path, line string) bool {
	return s.forgotten.Has(line) && len(s.WithoutOver(path, []byte(line))) == 0
}

// since gives an unsaved edit without what was forgotten after it was
// typed; false where it stays.
func (s *sieve) since(u Unsaved) (Unsaved, bool) {
	since := s.forgotten.Traces().Each(func(at time.Time, _ bool) bool { return !at.Before(u.Time) })
	if len(since) == 0 {
		return u, false
	}
	was := u
	u.Base, u.Text = string(s.cleanBy(since, u.Path, []byte(u.Base))), string(s.cleanBy(since, u.Path, []byte(u.Text)))
	return u, u != was
}

// cleanBy takes out of a file's bytes what these forgettings mean.
func (s *sieve) cleanBy(by []*forgotten.Traces, path string, raw []byte) []byte {
	for _, t := range by {
		f := &pass{s: s, t: t, path: path, dry: true, returned: true}
		if !t.Own().Typed && f.place() == placeAgent {
			continue // as Forget leaves it
		}
		raw = f.clean(raw)
	}
	return raw
}

// mayHold says whether anything in a file may be meant.
func (s *sieve) mayHold(t *forgotten.Traces, raw []byte) bool {
	if t.HoldsRaw(raw) {
		return true
	}
	return t.MarksLines() && slices.ContainsFunc(memorytext.ParseBytes(raw).Bullets(), func(b memorytext.Bullet) bool {
		return t.IsChosen(b.Text) || t.IsLesson(b.Text)
	})
}

// forgetJournal takes what the traces mean out of the journal. The lock is held.
func (s *sieve) forgetJournal(j *sharedfile.Journal, t *forgotten.Traces, dry bool) []forgotten.Touched {
	over := func(l sharedfile.Line) *pass { return &pass{s: s, t: t, path: j.PathOf(l), dry: true} }
	path, err := j.Forget(sharedfile.Meant{
		Line:  func(l sharedfile.Line) bool { return len(over(l).clean([]byte(l.Line))) == 0 },
		Above: func(l sharedfile.Line) bool { return t.Holds(l.After) && t.Own().Counts("") },
		Raw:   t.HoldsRaw,
	}, dry)
	if path == "" {
		return nil
	}
	touched := forgotten.Touched{Place: "journal of remembered lines", Action: forgotten.Removed, Path: path}
	if err != nil {
		touched.Action, touched.Why = forgotten.Refused, wholefile.WhyNot(err)
	}
	return []forgotten.Touched{touched}
}

// whyShipped is why a line that comes with the product stays.
const whyShipped = "it came with mac-stats: an instruction or a setting, nothing that was said; edit the file if you want it otherwise"

// shippedLines reads the lines of all files that come with the product. A line of an
// older version that a person's edit has kept is that person's.
func shippedLines(files fs.FS) map[string]bool {
	lines := map[string]bool{}
	if files == nil {
		return lines
	}
	for _, top := range []string{"agents", "skills", "config.toml"} { // what of it is written into the data folder
		_ = fs.WalkDir(files, top, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil //nolint:nilerr // what isn't there does not ship
			}
			data, err := fs.ReadFile(files, name)
			for line := range strings.Lines(memorytext.Normalize(data)) {
				if line = strings.TrimSpace(line); line != "" {
					lines[line] = true
				}
			}
			return err
		})
	}
	return lines
}

// ships says whether a line stands so in a file that comes with the product.
func (s *sieve) ships(line string) bool { return s.shipped()[strings.TrimSpace(line)] }

// unshipped gives a file without the lines that come with the product: what is left is
// what people, or programs for them, wrote.
func (s *sieve) unshipped(data []byte) []byte {
	var out []byte
	for line := range bytes.Lines(data) {
		if s.ships(string(line)) {
			line = []byte("\n")
		}
		out = append(out, line...)
	}
	return out
}

// ShippedTouched tells of a file that holds what is meant in so many lines that come
// with the product.
func ShippedTouched(place, path string, lines int) forgotten.Touched {
	why := whyShipped
	if lines > 1 {
		why = fmt.Sprintf("in %d lines; %s", lines, whyShipped)
	}
	return forgotten.Touched{Place: place, Action: forgotten.Refused, Path: path, Why: why, Final: true}
}
