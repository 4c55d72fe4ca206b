package forgotten

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"

	"mac-stats/sessionmem/wholefile"
)

// key returns the key of the folder, or a new one.
func (f *Record) key() ([]byte, error) {
	keys, last, err := f.ring.read()
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

// upgrade rewrites a file of an older version: it moves the keys to the file of the keys
// and seals what has no key. The caller holds the lock.
func (f *Record) upgrade() error {
	data, was, err := wholefile.ReadText(f.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !isOlder(data) {
		return err
	}
	keys, _, err := f.ring.read()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	var last []byte
	begun := map[string]*Forgetting{}
	for line := range bytes.Lines(data) {
		var l forgottenLine
		if json.Unmarshal(line, &l) != nil {
			continue // half a line, after a crash
		}
		switch {
		case l.Format == forgottenBefore && len(l.Key) == keyBytes:
			if err := f.ring.save(l.Key); err != nil {
				return err
			}
			last = l.Key
			l = forgottenLine{Format: forgottenFormat, KeyID: keyID(l.Key)}
		case l.Format != "":
			last, l.Format, l.Key = keys[l.KeyID], forgottenFormat, nil
		case l.Begin != nil && last != nil:
			begun[l.Begin.ID] = &Forgetting{key: last}
		case l.Kind == traceText && begun[l.Of] != nil && len(l.Seal) == 0:
			l.traceLine = l.seal(begun[l.Of])
		case l.Kind == traceText && len(l.Seal) == 0:
			continue // its key is gone: it can't match any more
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

// isOlder reports whether the file is of an older version.
func isOlder(data []byte) bool {
	return bytes.Contains(data, []byte(`"`+forgottenBefore+`"`)) || bytes.Contains(data, []byte(`"`+forgottenOpen+`"`))
}
