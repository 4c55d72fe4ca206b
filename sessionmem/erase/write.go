package erase

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// mayTouch reports cheaply whether a file may hold matching text.
func (f *Session) mayTouch(c *cleaning) bool {
	return f.t.NeedsBlocks(f.Name) || f.t.HoldsRaw(c.data)
}

// refuse records what couldn't be done.
func (f *Session) refuse(place, file string, err error) {
	f.found = append(f.found, forgotten.Touched{Place: place, Action: forgotten.Refused, Path: f.path(file), Session: f.Name, Why: wholefile.WhyNot(err)})
}

// rename removes the first message's words from the names of a group's files. It returns
// the group with its new names, or nil if that failed.
func (f *Session) rename(group []*cleaning) []*cleaning {
	const topic = "forgotten"
	for _, c := range slices.Backward(group) {
		if c.refused != "" || !group[0].title || c.Stamp == "" || c.Topic == topic || c.Topic == "chat" || c.Topic == "" || strings.HasPrefix(c.File, transcript.PartialDir+"/") || !f.t.MayBeMadeFrom(f.Name, group[0].first, c.Topic) {
			continue
		}
		to := path.Join(path.Dir(c.File), transcript.PartFile(strings.TrimSuffix(c.Stem, c.Topic)+topic, c.Part))
		for n := 2; f.e.dir.Has(to); n++ {
			to = path.Join(path.Dir(c.File), transcript.PartFile(fmt.Sprintf("%s%s-%d", strings.TrimSuffix(c.Stem, c.Topic), topic, n), c.Part))
		}
		if why := f.mayWrite(c); why != "" {
			f.refuse("transcript", c.File, errors.New(why))
			return nil
		}
		if err := f.e.dir.Rename(c.File, to); err != nil {
			f.refuse("transcript", c.File, err)
			return nil
		}
		f.e.dir.Sync(path.Dir(to))
		f.gone = append(f.gone, c.File)
		f.found = append(f.found, forgotten.Touched{Place: "file name", Action: forgotten.Renamed, Path: f.path(to), Session: f.Name})
		c.Entry = f.e.catalog.EntryOf(to)
	}
	return group
}

// mayWrite returns why a file can't be written, or "" if it can.
func (f *Session) mayWrite(c *cleaning) string {
	head, _ := transcript.CutFrontMatter(bytes.TrimPrefix(c.data, []byte("\xef\xbb\xbf")))
	switch {
	case transcript.ReadOnlyFormat(head):
		return "it has a newer format than this version writes; update mac-stats, then run it again"
	case c.stat.Mode().Perm()&0o200 == 0:
		return "it is read-only; give yourself the right to write it, then run it again"
	}
	return ""
}

// rewrite replaces the old file with the cleaned one.
func (f *Session) rewrite(c *cleaning) {
	if c.refused != "" {
		return
	}
	if !c.changed {
		f.found = append(f.found, c.found...)
		return
	}
	out, fits := c.out, true
	if c.enc.Charset() != "" { // a guess: the other letters stay the bytes that they are
		out, fits = c.enc.Encode(c.out)
	}
	err := errors.New(f.mayWrite(c))
	switch {
	case err.Error() != "":
	case !fits:
		err = errors.New("it isn't UTF-8, and would be read otherwise without this; save it as UTF-8 in your editor, then run it again")
	default:
		err = f.e.dir.Replace(c.File, c.stat, out) // all unmatched bytes are copies
	}
	if err != nil {
		f.midSave = f.midSave || errors.Is(err, sessiondir.ErrMidSave)
		f.refuse("transcript", c.File, err)
		return
	}
	f.gone = append(f.gone, c.File)
	for _, t := range c.found {
		t.Path = f.path(c.File)
		f.found = append(f.found, t)
	}
}
