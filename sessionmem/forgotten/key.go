package forgotten

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mac-stats/sessionmem/wholefile"
)

// keyFile holds the key of the hashes. It is a file of its own, so that forgotten.jsonl alone (in a
// backup, a synced folder, a report) reveals nothing: without the key nobody can test
// guesses. Somebody with both files can, and so could find a short text such as a PIN in a
// sentence they know. Each line is the key's ID and the key.
const keyFile = "forgotten.key"

const keyBytes = 32

// keyID returns an ID of a key that doesn't reveal the key.
func keyID(key []byte) string {
	sum := sha256.Sum256(append([]byte("mac-stats key id\x00"), key...))
	return hex.EncodeToString(sum[:6])
}

// keyring is the file of the keys.
type keyring struct{ path string }

// read returns the keys in the file; last is the ID of the newest.
func (k keyring) read() (all map[string][]byte, last string, err error) {
	all = map[string][]byte{}
	data, _, err := wholefile.ReadText(k.path)
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

// save adds a key to the file unless it is there.
func (k keyring) save(key []byte) error {
	keys, _, err := k.read()
	if err != nil || keys[keyID(key)] != nil {
		return err
	}
	line := keyID(key) + " " + hex.EncodeToString(key) + "\n"
	if fi, err := os.Stat(k.path); err == nil && fi.Size() > 0 {
		line = "\n" + line // the last line may be truncated
	}
	return appendPrivate(k.path, []byte(line))
}

// appendPrivate appends to a file that nobody else may read, and syncs it.
func appendPrivate(path string, data []byte) error {
	if fi, err := os.Stat(path); err == nil && !fi.Mode().IsRegular() {
		return fmt.Errorf("writing %s: it is no file; move it away", filepath.Base(path))
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	fi, err := file.Stat()
	if err == nil && fi.Mode().Perm()&0o077 != 0 { // widened by a copy or a sync
		err = file.Chmod(0o600)
	}
	if err == nil {
		_, err = file.Write(data)
	}
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = wholefile.SyncFolder(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", filepath.Base(path), err)
	}
	return nil
}
