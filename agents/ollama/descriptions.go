package ollama

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/sessionmem/wholefile"
)

// maxDescriptions limits the models in the file, to more than anybody has. Beyond that,
// the file starts over.
const (
	maxDescriptions     = 500
	maxDescriptionBytes = 4 << 20 // of its file
	// describedFor is how long a description is valid; a newer server may say more about
	// the same model. If the server doesn't answer within describePatience, an older
	// description is used for describeAgain.
	describedFor     = 24 * time.Hour
	describePatience = 2 * time.Second
	describeAgain    = time.Minute
)

// description is a model's description and when the server gave it.
type description struct {
	ModelInfo
	Described time.Time // zero in older files
}

// descriptions caches descriptions of models by digest, since another file is another
// model. A server that is busy or loads a model describes models slowly.
type descriptions struct {
	path string // "" for none

	mu    sync.Mutex // guards the fields below
	read  bool
	known map[string]description
}

// get returns the description of a listed model under its current name, and whether it is
// still valid.
func (d *descriptions) get(entry api.ListModelResponse) (info ModelInfo, known, holds bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.load()
	got, known := d.known[entry.Digest]
	got.Name, got.Size, got.Remote = entry.Name, entry.Size, got.Remote || isRemote(entry)
	age := time.Since(got.Described)
	return got.ModelInfo, known && entry.Digest != "", age >= 0 && age < describedFor
}

// postpone delays the next description of a model, because the server doesn't answer now.
func (d *descriptions) postpone(digest string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if got, ok := d.known[digest]; ok {
		got.Described = time.Now().Add(describeAgain - describedFor)
		d.known[digest] = got
	}
}

// load reads the file, once. A file that can't be read starts over.
func (d *descriptions) load() {
	if d.read {
		return
	}
	d.read, d.known = true, map[string]description{}
	if d.path == "" {
		return
	}
	if data, err := wholefile.Read(d.path, maxDescriptionBytes); err == nil {
		if json.Unmarshal(data, &d.known) != nil || d.known == nil {
			d.known = map[string]description{}
		}
	}
}

// keep stores a description. An error only concerns the file.
func (d *descriptions) keep(info ModelInfo) error {
	if info.Digest == "" {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.load()
	if len(d.known) >= maxDescriptions {
		clear(d.known)
	}
	d.known[info.Digest] = description{info, time.Now()}
	return d.save()
}

// without takes a capability out of the descriptions of the models of a name, because the
// server refused it. An error only concerns the file.
func (d *descriptions) without(model, capability string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.load()
	for digest, got := range d.known {
		if canonical(got.Name) == canonical(model) {
			got.Capabilities = slices.DeleteFunc(slices.Clone(got.Capabilities), func(c string) bool { return c == capability })
			d.known[digest] = got
		}
	}
	return d.save()
}

// save writes the file.
func (d *descriptions) save() error {
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
	return wholefile.WriteQuick(d.path, data, 0o600)
}
