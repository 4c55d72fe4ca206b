package sharedfile

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/wholefile"
)

// known is a file as it was read last.
type known struct {
	wholefile.Seen
	text string
}

// Reading is a file as it was read: LF, valid UTF-8, without BOM and what was forgotten.
type Reading struct {
	Text    string
	ModTime time.Time
	Missing bool
	Saving  bool // another program is saving it: this is what was known before
}

// reading is what is known of the file.
func (k known) reading() Reading { return Reading{Text: k.text, ModTime: k.Stat.ModTime()} }

// Read gives a file as it is now; one that hasn't changed since the last time costs a
// stat. A missing file gives Missing and no error. While another program saves the file it
// is given as it was known before, with Saving: see ReadStable.
func (f *Files) Read(path string) (Reading, error) {
	f.mu.Lock()
	before := f.read[path]
	f.mu.Unlock()
	now := time.Now()
	raw, fi, err := readChanged(path, before)
	missing := errors.Is(err, fs.ErrNotExist)
	if (fi != nil || missing) && f.readsSaving(path, fi, memorytext.Normalize(raw), before) {
		if before.Stat == nil {
			return Reading{Missing: missing, Saving: true}, nil
		}
		r := before.reading()
		r.Saving = true
		return r, nil
	}
	switch {
	case err == nil && isBinary(raw):
		err = notText(path)
	case err != nil:
		err = wholefile.Explain("reading "+filepath.Base(path), err)
	case fi == nil:
		return before.reading(), nil
	}
	if err != nil {
		f.mu.Lock()
		delete(f.read, path)
		f.mu.Unlock()
		if missing {
			return Reading{Missing: true}, nil
		}
		return Reading{}, err
	}
	raw, clean := f.Purge(path, raw)
	os.SameFile(fi, fi) // Windows asks for the identity when it is needed, by path: now, before the path means another file
	after := known{Seen: wholefile.Seen{Stat: fi, At: now}, text: memorytext.Normalize(raw)}
	if after.text == before.text {
		after.text = before.text // so that comparing them again costs nothing
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.read[path] = after; !clean {
		delete(f.read, path) // it is tried again with the next reading
	}
	return after.reading(), nil
}

// readChanged reads a file unless it is as it is known; fi is nil then.
func readChanged(path string, before known) (raw []byte, fi os.FileInfo, err error) {
	if now, err := os.Stat(path); err == nil && before.Unchanged(now) {
		return nil, nil, nil
	}
	return wholefile.ReadText(path)
}

// ReadStable is Read for who must not miss an edit and must not take half a save for one:
// it waits for a save that is going on, up to about a second.
func (f *Files) ReadStable(ctx context.Context, path string) (Reading, error) {
	r, err := f.Read(path)
	for deadline := time.Now().Add(wholefile.StableTime + wholefile.StableTime/4); r.Saving && time.Now().Before(deadline) && ctx.Err() == nil; {
		time.Sleep(savingLook)
		r, err = f.Read(path)
	}
	return r, err
}

// readsSaving reports whether what was read looks like the middle of a save. Reading
// doesn't ask who has an old file open: that costs more than it is worth in every turn.
// f.mu is not held.
func (f *Files) readsSaving(path string, fi os.FileInfo, text string, before known) bool {
	if fi != nil && restedFor(fi, emptyTime) {
		return false
	}
	known := knownFile{}
	if before.Stat != nil {
		known = knownFile{size: before.Stat.Size(), text: before.text}
	}
	switch {
	case fi == nil && known.size == 0:
		return false
	case fi == nil, fi.Size() == 0, known.cutShort(fi.Size(), text):
		if real, err := wholefile.Through(path); err == nil {
			known.own = f.knownTo(path, real, fi).own
		}
		return f.saving(path, fi, text, known)
	case !restedFor(fi, wholefile.StableTime):
		open, _ := wholefile.IsOpenForWriting(path)
		if open && f.seenFor(path, wholefile.StampOf(fi)) < wholefile.StableTime {
			return true
		}
	}
	f.lookedAt(path)
	return false
}

// Purge takes what was forgotten out of a file that was read and held some; whoever holds
// the lock meanwhile does so with what they write, see Edit. It gives what
// is to be read, and whether the file says the same.
func (f *Files) Purge(path string, raw []byte) (out []byte, clean bool) {
	out = f.p.Sieve.Without(path, raw)
	if bytes.Equal(out, raw) {
		return raw, true
	}
	if bytes.Equal(f.p.Sieve.WithoutOver(path, raw), raw) {
		return out, false
	}
	if err := f.purgeFile(path); err != nil {
		f.p.Logger.Warn("what was forgotten came back in a memory file and can't be taken out now; it isn't read", "file", filepath.Base(path), "err", err)
		return out, false
	}
	f.p.Logger.Info("what was forgotten came back in a memory file and was taken out again", "file", filepath.Base(path))
	return out, true
}

func (f *Files) purgeFile(path string) error {
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm()&0o200 == 0 {
		return errors.Join(err, errors.New("it is read-only; give yourself the right to write it"))
	}
	ctx, cancel := context.WithTimeout(context.Background(), purgePatience)
	defer cancel()
	unlock, err := f.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return f.Edit(ctx, path, func(now []byte) ([]byte, error) { return f.p.Sieve.WithoutOver(path, now), nil })
}

// purgePatience is how long the memory's lock is waited for to take something out.
const purgePatience = 100 * time.Millisecond
