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

// known is a file as it was last read.
type known struct {
	wholefile.Seen
	text    string
	charset string
}

// Reading is the text of a file: LF, valid UTF-8, without BOM and without what was
// forgotten.
type Reading struct {
	Text    string
	ModTime time.Time
	Missing bool
	Saving  bool   // another program is saving it; this is its state before
	Charset string // in which it was read, if it isn't Unicode; it is a guess
}

// reading returns the known state of the file.
func (k known) reading() Reading {
	return Reading{Text: k.text, ModTime: k.Stat.ModTime(), Charset: k.charset}
}

// Read returns a file as it is now. If it hasn't changed since the last call, that costs
// one stat. For a missing file Missing is set; that is an error (ErrAway) only if the file was
// there before, or if something lies in its place. While another program saves the
// file, Read returns its state before with Saving set; see ReadStable.
func (f *Files) Read(path string) (Reading, error) {
	f.mu.Lock()
	before := f.read[path]
	f.mu.Unlock()
	now := time.Now()
	raw, enc, fi, err := readChanged(path, before)
	missing := errors.Is(err, fs.ErrNotExist)
	if (fi != nil || missing) && f.isMidSave(path, fi) {
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
		var away error
		if missing {
			away = f.away(path)
		}
		f.mu.Lock()
		if away == nil {
			delete(f.read, path)
		}
		f.mu.Unlock()
		if missing {
			return Reading{Missing: true}, away
		}
		return Reading{}, err
	}
	raw, clean := f.Purge(path, raw)
	os.SameFile(fi, fi) // Windows looks up the identity lazily, by path: do it now, before the path names another file
	after := known{Seen: wholefile.Seen{Stat: fi, At: now}, text: memorytext.Normalize(raw), charset: enc.Charset()}
	if after.text == before.text {
		after.text = before.text // makes the next comparison free
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.read[path] = after; !clean {
		delete(f.read, path) // the next call tries again
	}
	return after.reading(), nil
}

// readChanged reads a file unless it is unchanged; then fi is nil.
func readChanged(path string, before known) (text []byte, enc wholefile.Encoding, fi os.FileInfo, err error) {
	if now, err := os.Stat(path); err == nil && before.Unchanged(now) {
		return nil, enc, nil, nil
	}
	raw, fi, err := wholefile.ReadRaw(path)
	text, enc = wholefile.Decode(raw)
	return text, enc, fi, err
}

// ReadStable is like Read, for callers that must not miss an edit or see half a save: it
// waits up to about a second for a save to finish.
func (f *Files) ReadStable(ctx context.Context, path string) (Reading, error) {
	r, err := f.Read(path)
	for deadline := time.Now().Add(wholefile.StableTime + wholefile.StableTime/4); r.Saving && time.Now().Before(deadline) && ctx.Err() == nil; {
		time.Sleep(savingLook)
		r, err = f.Read(path)
	}
	return r, err
}

// isMidSave reports whether a file that a reader finds changed looks like the middle of a
// save: it is missing, empty or shorter than known, and hasn't been so for a second.
func (f *Files) isMidSave(path string, fi os.FileInfo) bool {
	real, err := wholefile.Through(path)
	if err != nil {
		return false
	}
	known := f.knownState(path, real, fi)
	switch {
	case known.own:
	case fi == nil && (known.there || mayReturn(path)), fi != nil && (fi.Size() == 0 || fi.Size() < known.size):
		return !f.rested(path, fi)
	}
	f.unwatch(path)
	return false
}

// Purge removes forgotten text from a file that was read and held some. If another process
// holds the lock meanwhile, its write removes the text; see Edit. Purge returns the text to
// use, and whether the file now has the same text.
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
	unlock, err := f.Lock(ctx) // at once: what was forgotten may not stay
	if err != nil {
		return err
	}
	defer unlock()
	return f.Edit(path, func(now []byte) ([]byte, error) { return f.p.Sieve.WithoutOver(path, now), nil })
}

// purgePatience is how long Purge waits for the memory's lock.
const purgePatience = 100 * time.Millisecond
