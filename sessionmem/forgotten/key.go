package forgotten

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mac-stats/sessionmem/wholefile"
)

// The key of the hashes lies in a file of its own, so that forgotten.jsonl alone (in a
// backup, a synced folder, a report) tells nothing: without the key nobody can try
// guesses. Whoever has both files can, and so find a short text, as a PIN within a
// sentence that they know. Each line is the key's id and the key.
const keyFile = "forgotten.key"

const keyBytes = 32

// keyID names a key without telling it.
func keyID(key []byte) string {
	sum := sha256.Sum256(append([]byte("mac-stats key id\x00"), key...))
	return hex.EncodeToString(sum[:6])
}

func (f *Record) keyPath() string { return filepath.Join(f.root, keyFile) }

// keys reads the keys there are; last is the id of the newest.
func (f *Record) keys() (all map[string][]byte, last string, err error) {
	all = map[string][]byte{}
	data, _, err := wholefile.ReadText(f.keyPath())
	if errors.Is(err, fs.ErrNotExist) {
		return all, "", nil
	}
	for line := range strings.Lines(string(data)) {
		id, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		if key, bad := hex.DecodeString(text); bad == nil && len(key) == keyBytes && keyID(key) == id {
			all[id], last = key, id
		}
	}
	return all, last, err
}

// key is that of the folder, or a new one.
func (f *Record) key() ([]byte, error) {
	keys, last, err := f.keys()
	if err != nil {
		return nil, wholefile.Explain("reading the key of what was forgotten", err)
	}
	if last != "" {
		return keys[last], nil
	}
	data, _, err := wholefile.ReadText(f.Path())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, wholefile.Explain("reading what was forgotten", err)
	}
	if _, key := f.parse(data); key != nil { // of an older version
		return key, nil
	}
	key := make([]byte, keyBytes)
	_, _ = rand.Read(key) // never fails
	return key, nil
}

// saveKey makes sure that a key is in its file.
func (f *Record) saveKey(key []byte) error {
	keys, _, err := f.keys()
	if err != nil || keys[keyID(key)] != nil {
		return err
	}
	line := keyID(key) + " " + hex.EncodeToString(key) + "\n"
	if fi, err := os.Stat(f.keyPath()); err == nil && fi.Size() > 0 {
		line = "\n" + line // the last one may have been cut off
	}
	return f.write(f.keyPath(), []byte(line))
}

// upgrade rewrites a file of an older version: its keys go into the file of the keys, and
// what has no key is sealed. The lock is held.
func (f *Record) upgrade() error {
	data, was, err := wholefile.ReadText(f.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !isOlder(data) {
		return err
	}
	keys, _, err := f.keys()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	var last []byte
	begun := map[string]*forgetting{}
	for line := range bytes.Lines(data) {
		var l forgottenLine
		if json.Unmarshal(line, &l) != nil {
			continue // half a line, after a crash
		}
		switch {
		case l.Format == forgottenBefore && len(l.Key) == keyBytes:
			if err := f.saveKey(l.Key); err != nil {
				return err
			}
			last = l.Key
			l = forgottenLine{Format: forgottenFormat, KeyID: keyID(l.Key)}
		case l.Format != "":
			last, l.Format, l.Key = keys[l.KeyID], forgottenFormat, nil
		case l.Begin != nil && last != nil:
			begun[l.Begin.ID] = &forgetting{key: last}
		case l.Kind == traceText && begun[l.Of] != nil && len(l.Seal) == 0:
			l.traceLine = l.seal(begun[l.Of])
		case l.Kind == traceText && len(l.Seal) == 0:
			continue // its key is gone: it finds nothing any more
		}
		text, err := json.Marshal(l)
		if err != nil {
			return err
		}
		out.Write(append(text, '\n'))
	}
	done, err := wholefile.Replace(f.Path(), out.Bytes(), was)
	if err == nil && !done {
		err = errors.New("another program wrote to it meanwhile; try again")
	}
	return err
}

// isOlder says whether the file is of a version before this one.
func isOlder(data []byte) bool {
	return bytes.Contains(data, []byte(`"`+forgottenBefore+`"`)) || bytes.Contains(data, []byte(`"`+forgottenOpen+`"`))
}

// write appends to a file of the folder that nobody else may read, safe on disk.
func (f *Record) write(path string, data []byte) error {
	if fi, err := os.Stat(path); err == nil && !fi.Mode().IsRegular() {
		return fmt.Errorf("writing %s: it is no file; move it away", filepath.Base(path))
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	fi, err := file.Stat()
	if err == nil && fi.Mode().Perm()&0o077 != 0 { // widened by a copy, or a sync
		err = file.Chmod(0o600)
	}
	if err == nil {
		_, err = file.Write(data)
	}
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = wholefile.SyncFolder(f.root)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", filepath.Base(path), err)
	}
	return nil
}
