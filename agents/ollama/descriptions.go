package ollama

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/sessionmem/wholefile"
)

// mostDescriptions is how many models a file describes: more than anybody has. Beyond
// it begins anew.
const (
	mostDescriptions = 500
	mostBytes        = 4 << 20 // of its file
	// describedFor is how long a description holds: a newer server says more of the same
	// model. One that is older stands in for a server that doesn't say anything in
	// describePatience, and then for as long as describeAgain.
	describedFor     = 24 * time.Hour
	describePatience = 2 * time.Second
	describeAgain    = time.Minute
)

// description is what a model can do, and when the server said so.
type description struct {
	ModelInfo
	Described time.Time // zero in files of before
}

// descriptions is what models can do, by digest: another file is another model. A
// server that loads a model or is busy takes long to tell.
type descriptions struct {
	path string // "" for none

	mu    sync.Mutex // guards what follows
	read  bool
	known map[string]description
}

// get gives what is known of a listed model, under the name it has now, and whether that
// holds without asking again.
func (d *descriptions) get(entry api.ListModelResponse) (info ModelInfo, known, holds bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.load()
	got, known := d.known[entry.Digest]
	got.Name, got.Size, got.Remote = entry.Name, entry.Size, got.Remote || isRemote(entry)
	age := time.Since(got.Described)
	return got.ModelInfo, known && entry.Digest != "", age >= 0 && age < describedFor
}

// putOff has a model described again later: the server doesn't say it just now.
func (d *descriptions) putOff(digest string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if got, ok := d.known[digest]; ok {
		got.Described = time.Now().Add(describeAgain - describedFor)
		d.known[digest] = got
	}
}

// load reads the file, once. One that can't be read is made anew.
func (d *descriptions) load() {
	if d.read {
		return
	}
	d.read, d.known = true, map[string]description{}
	if d.path == "" {
		return
	}
	if data, err := wholefile.Read(d.path, mostBytes); err == nil {
		if json.Unmarshal(data, &d.known) != nil || d.known == nil {
			d.known = map[string]description{}
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
	d.known[info.Digest] = description{info, time.Now()}
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
