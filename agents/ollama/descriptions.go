package ollama

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/ollama/ollama/api"

	"mac-stats/sessionmem/wholefile"
)

// mostDescriptions is how many models a file describes: more than anybody has. Beyond
// it begins anew.
const (
	mostDescriptions = 500
	mostBytes        = 4 << 20 // of its file
)

// descriptions is what models can do, by digest: another file is another model. A
// server that loads a model or is busy takes long to tell.
type descriptions struct {
	path string // "" for none

	mu    sync.Mutex // guards what follows
	read  bool
	known map[string]ModelInfo
}

// get gives what is known of a listed model, under the name it has now.
func (d *descriptions) get(entry api.ListModelResponse) (ModelInfo, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.load()
	info, ok := d.known[entry.Digest]
	info.Name, info.Size, info.Remote = entry.Name, entry.Size, info.Remote || isRemote(entry)
	return info, ok && entry.Digest != ""
}

// load reads the file, once. One that can't be read is made anew.
func (d *descriptions) load() {
	if d.read {
		return
	}
	d.read, d.known = true, map[string]ModelInfo{}
	if d.path == "" {
		return
	}
	if data, err := wholefile.Read(d.path, mostBytes); err == nil {
		if json.Unmarshal(data, &d.known) != nil || d.known == nil {
			d.known = map[string]ModelInfo{}
		}
	}
}

// keep takes in a description. An error is of the file alone.
func (d *descriptions) keep(info ModelInfo) error {
	if info.Digest == "" {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.load()
	if len(d.known) >= mostDescriptions {
		clear(d.known)
	}
	d.known[info.Digest] = info
	if d.path == "" {
		return nil
	}
	data, err := json.Marshal(d.known)
	if err != nil {
		return fmt.Errorf("writing the descriptions of models: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(d.path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(d.path), "models-*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), d.path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
