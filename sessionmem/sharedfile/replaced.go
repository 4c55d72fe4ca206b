package sharedfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/wholefile"
)

// replacedTime is how long a replaced file is watched if the system can't tell whether a
// program has it open: a day, since somebody who types into a file may pause.
const replacedTime = 24 * time.Hour

// emptyTime is how long to wait for the text of an old file that was emptied and that a
// program has open for writing. After that the program has it open for another reason.
const emptyTime = 10 * time.Second

// replaced is a file that the app replaced while another program had it open for writing,
// or may have had. That program's text goes on there.
type replaced struct {
	File  string          `json:"file"` // the memory file
	Link  string          `json:"link"` // another name of the old file
	Stamp wholefile.Stamp `json:"was"`
	Sum   string          `json:"sum,omitempty"` // the hash of what it held then
	At    time.Time       `json:"at"`
}

// sumOf returns the hash of a file's bytes.
func sumOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// Replaced returns the names, without folders, of the old files that TakeOver still watches
// because a program may have them open.
func (f *Files) Replaced() []string {
	var links []string
	for _, r := range f.journal.replaced() {
		links = append(links, filepath.Base(r.Link))
	}
	return links
}

// mayGrow reports whether a program wrote into the old file since, or still can.
func (r replaced) mayGrow() bool {
	fi, err := os.Stat(r.Link)
	if err != nil {
		return false
	}
	open, certain := wholefile.IsOpenForWriting(r.Link)
	return open || r.changed(fi) || !certain && time.Since(r.At) < replacedTime
}

// changed reports whether the old file was written after it was replaced.
func (r replaced) changed(fi os.FileInfo) bool {
	return fi.Size() != r.Stamp.Size || fi.ModTime().UnixNano() != r.Stamp.Time
}

// Unsettled reports whether TakeOver has something to do.
func (f *Files) Unsettled() bool {
	return len(f.journal.replaced()) > 0 || f.journal.isDirty() || len(f.unseen()) > 0
}

// TakeOver looks at the files that were replaced while they may have been open. Text that
// another program wrote into one is a save by its user: it replaces the new file, together
// with the lines that the app added since. TakeOver also removes forgotten text that a
// backup brought back into the journal. It reports whether some files are still open. The
// caller holds the lock.
func (f *Files) TakeOver() (pending bool, err error) {
	if err := f.journal.clean(); err != nil {
		return false, err
	}
	if unseen := f.unseen(); len(unseen) > 0 {
		f.journal.note(func(j *journal) {
			for _, path := range unseen {
				j.Seen = append(j.Seen, f.journal.rel(path))
			}
		})
	}
	for _, r := range f.journal.replaced() {
		was := r
		done, err := f.takeOverOne(&r)
		if err != nil {
			f.p.Logger.Warn("what another program wrote into a memory file that was replaced meanwhile could not be taken over yet", "path", r.File, "kept", r.Link, "err", err)
		}
		pending = pending || !done || err != nil
		if r == was && (!done || err != nil) {
			continue
		}
		f.journal.note(func(j *journal) {
			i := slices.IndexFunc(j.Replaced, func(o replaced) bool { return o.Link == r.Link })
			if i >= 0 && done && err == nil {
				j.Replaced = slices.Delete(j.Replaced, i, i+1)
			} else if i >= 0 {
				j.Replaced[i] = r
			}
		})
	}
	return pending, nil
}

// takeOverOne looks at one old file. It is done when nobody can write there any more; until
// then r holds what was taken over.
func (f *Files) takeOverOne(r *replaced) (done bool, err error) {
	raw, fi, err := wholefile.ReadRaw(r.Link)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if r.changed(fi) {
		since := f.seenFor(r.Link, wholefile.StampOf(fi))
		open, _ := wholefile.IsOpenForWriting(r.Link)
		if since < wholefile.StableTime && !restedFor(fi, wholefile.StableTime) || fi.Size() == 0 && open && since < emptyTime {
			return false, nil // in the middle of a save
		}
		if fi.Size() > 0 {
			if err := f.takeOverText(*r, raw); err != nil {
				return false, err
			}
		}
		f.unwatch(r.Link)
		r.Stamp, r.Sum = wholefile.StampOf(fi), sumOf(raw)
	}
	if r.mayGrow() {
		return false, nil
	}
	return true, os.Remove(r.Link)
}

// takeOverText brings what was written into the old file over to the new one. What was
// appended there is appended here. An old file that was written anew replaces the new one, if
// that is still as the app wrote it. Otherwise both hold the user's text, and the old one is
// kept beside the new one for the user to look at.
func (f *Files) takeOverText(r replaced, raw []byte) error {
	text, enc := wholefile.Decode(raw)
	if n := r.Stamp.Size; r.Sum != "" && int64(len(raw)) > n && sumOf(raw[:n]) == r.Sum {
		before, _ := wholefile.Decode(raw[:n])
		tail, added := bytes.CutPrefix(text, before)
		if !added { // with the new bytes, all of them are read otherwise
			tail = wholefile.DecodeText(raw[n:])
		}
		tail = f.p.Sieve.Without(r.File, tail)
		return f.edit(r.File, false, func(now []byte) ([]byte, error) {
			out := slices.Clone(now)
			if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n")) {
				out = append(out, memorytext.LineEnd(out)...)
			}
			return append(out, tail...), nil
		})
	}
	text = f.p.Sieve.Without(r.File, text)
	now, fi, err := wholefile.ReadRaw(r.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	real, err := f.ownFile(r.File)
	if err != nil {
		return err
	}
	if fi == nil || !f.knownState(r.File, real, fi).own {
		if decoded, _ := wholefile.Decode(now); string(decoded) == string(text) {
			return nil // the program also saved it under the right name
		}
		own, ok := enc.Encode(text)
		if !ok {
			own = text
		}
		return f.keepBeside(r, own)
	}
	return f.edit(r.File, false, func([]byte) ([]byte, error) {
		out := text
		for _, e := range f.journal.Lines() {
			if e.File != f.journal.rel(r.File) || e.At.Before(r.At) {
				continue
			}
			if parsed := memorytext.ParseBytes(out); !parsed.HasBullet(0, e.Text()) {
				out, _ = parsed.Append(out, memorytext.WithoutSign(e.Line))
			}
		}
		return out, nil
	})
}

// keepBeside saves what was written into the old file under a visible name.
func (f *Files) keepBeside(r replaced, text []byte) error {
	for n := 1; ; n++ {
		to := r.File + ".orig"
		if n > 1 {
			to = r.File + "." + strconv.Itoa(n) + ".orig"
		}
		beside, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		_, err = beside.Write(text)
		if err = errors.Join(err, beside.Sync(), beside.Close()); err != nil {
			return errors.Join(err, os.Remove(to))
		}
		f.p.Logger.Warn("a memory file was saved by two other programs at once: one of them is kept beside it", "path", r.File, "kept", filepath.Base(to))
		return nil
	}
}

// CleanReplaced gives the old files the text of the new ones, because they must not hold
// forgotten text. A program that has one open goes on writing behind that. The caller holds
// the lock.
func (f *Files) CleanReplaced() {
	list := f.journal.replaced()
	if len(list) == 0 {
		return
	}
	var left []replaced
	for _, r := range list {
		if err := f.cleanReplaced(&r); err == nil {
			left = append(left, r)
			continue
		}
		if err := os.Remove(r.Link); err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.p.Logger.Warn("the old state of a memory file could not be removed", "file", r.Link, "err", err)
			left = append(left, r)
		}
	}
	f.journal.note(func(j *journal) { j.Replaced = left })
}

func (f *Files) cleanReplaced(r *replaced) error {
	was, err := os.Stat(r.Link)
	if err != nil {
		return err
	}
	raw, _, err := wholefile.ReadRaw(r.File)
	if err != nil {
		return err
	}
	if done, err := wholefile.Overwrite(r.Link, raw, was); err != nil || !done {
		return errors.Join(err, errors.New("it was written meanwhile"))
	}
	now, err := os.Stat(r.Link)
	if err != nil {
		return err
	}
	r.Stamp, r.Sum = wholefile.StampOf(now), sumOf(raw)
	return nil
}
