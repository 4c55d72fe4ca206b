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

// sieve removes forgotten text from memory files: late saves, backups and synced copies
// bring it back. Text that the user writes again in the app or with a command is allowed
// (see forgotten.Record.Allow). Text from another program can't be told from an old copy.
type sieve struct {
	root      folder
	forgotten *forgotten.Record
	shipped   func() map[string]bool // lines that come with the product
}

// Without returns a file's bytes without what was forgotten.
func (s *sieve) Without(path string, raw []byte) []byte {
	t := s.forgotten.Traces()
	if t.Empty() || len(raw) == 0 || !s.mayHold(t, raw) {
		return raw
	}
	return s.cleanBy(t.Each(func(time.Time, bool) bool { return true }), path, raw)
}

// WithoutOver is Without for completed forgettings. One that is under way removes and
// reports its finds itself.
func (s *sieve) WithoutOver(path string, raw []byte) []byte {
	over := s.forgotten.Traces().Each(func(_ time.Time, over bool) bool { return over })
	return s.cleanBy(over, path, raw)
}

// Returned reports whether a line that was recorded elsewhere was forgotten before.
func (s *sieve) Returned(path, line string) bool {
	return s.forgotten.Has(line) && len(s.WithoutOver(path, []byte(line))) == 0
}

// since returns an unsaved edit without what was forgotten after it was typed; false if the
// edit stays as it is.
func (s *sieve) since(u Unsaved) (Unsaved, bool) {
	since := s.forgotten.Traces().Each(func(at time.Time, _ bool) bool { return !at.Before(u.Time) })
	if len(since) == 0 {
		return u, false
	}
	was := u
	u.Base, u.Text = string(s.cleanBy(since, u.Path, []byte(u.Base))), string(s.cleanBy(since, u.Path, []byte(u.Text)))
	return u, u != was
}

// cleanBy removes what these forgettings match from a file's bytes.
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

// mayHold reports whether a file may hold matching text.
func (s *sieve) mayHold(t *forgotten.Traces, raw []byte) bool {
	if t.HoldsRaw(raw) {
		return true
	}
	return t.MarksLines() && slices.ContainsFunc(memorytext.ParseBytes(raw).Pieces(), func(p memorytext.Piece) bool {
		return t.IsChosen(p.Text) || t.IsLesson(p.Text)
	})
}

// forgetJournal removes what the traces match from the journal. The caller holds the lock.
func (s *sieve) forgetJournal(j *sharedfile.Journal, t *forgotten.Traces, dry bool) []forgotten.Touched {
	over := func(l sharedfile.Line) *pass { return &pass{s: s, t: t, path: j.PathOf(l), dry: true} }
	path, err := j.Forget(sharedfile.Matcher{
		Line: func(l sharedfile.Line) bool { return len(over(l).clean([]byte(l.Line))) == 0 },
		Raw:  t.HoldsRaw,
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

// whyShipped is the reason why a line that comes with the product stays.
const whyShipped = "it came with mac-stats: an instruction or a setting, nothing that was said; edit the file if you want it otherwise"

// shippedLines returns the lines of all files that come with the product. A line of an
// older version that survives in a file a person edited counts as that person's.
func shippedLines(files fs.FS) map[string]bool {
	lines := map[string]bool{}
	if files == nil {
		return lines
	}
	for _, top := range []string{"agents", "skills", "config.toml"} { // the part that is written into the data folder
		_ = fs.WalkDir(files, top, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil //nolint:nilerr // a missing file ships nothing
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

// ships reports whether a line is in a file that comes with the product.
func (s *sieve) ships(line string) bool { return s.shipped()[strings.TrimSpace(line)] }

// unshipped returns a file without the lines that come with the product. The rest was
// written by people, or by programs on their behalf.
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

// ShippedTouched reports a file that holds matching text in this number of lines that come
// with the product.
func ShippedTouched(place, path string, lines int) forgotten.Touched {
	why := whyShipped
	if lines > 1 {
		why = fmt.Sprintf("in %d lines; %s", lines, whyShipped)
	}
	return forgotten.Touched{Place: place, Action: forgotten.Refused, Path: path, Why: why, Final: true}
}
