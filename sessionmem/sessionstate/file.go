package sessionstate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"mac-stats/sessionmem/wholefile"
)

// stateFile is the file with the marks, below the session folder.
const (
	stateFile   = "state.json"
	stateFormat = "mac-stats-state/1"
	stateFamily = "mac-stats-state/" // the beginning of every version's format

	// brokenStamp is the layout of the time in the name of a file that was moved aside.
	brokenStamp = "20060102-150405"
)

var (
	// ErrNewerState means that a later version wrote the file, so this one can't write it.
	ErrNewerState = errors.New("a newer mac-stats wrote session/state.json, and this one leaves it as it is; update mac-stats")
	errNoObject   = errors.New("it holds no JSON object")
)

// load reads the file if it has changed. The caller holds mu.
func (st *State) load() (stateDoc, error) {
	if st.folder == nil {
		return stateDoc{}, nil
	}
	if err := st.folder.Check(); err != nil {
		return stateDoc{}, err
	}
	fi, err := st.folder.Stat(stateFile)
	if errors.Is(err, fs.ErrNotExist) {
		st.stat, st.read = nil, stateDoc{}
		return stateDoc{}, nil
	}
	if err != nil {
		return stateDoc{}, wholefile.Explain("reading "+stateFile, err)
	}
	known := wholefile.Seen{Stat: st.stat, At: st.at}
	if known.Unchanged(fi) {
		return st.read, nil
	}
	now := time.Now()
	data, err := st.folder.ReadFile(stateFile)
	if err != nil {
		return stateDoc{}, wholefile.Explain("reading "+stateFile, err)
	}
	doc, _, err := parseState(data)
	if errors.Is(err, ErrNewerState) {
		return stateDoc{}, err
	}
	if err != nil {
		return stateDoc{}, fmt.Errorf("reading %s: %w; the next mark moves it aside and begins a new one", stateFile, err)
	}
	st.stat, st.at, st.read = fi, now, doc
	return doc, nil
}

// parseState parses the file: the part this version knows, and the whole object.
func parseState(data []byte) (stateDoc, object, error) {
	var file object
	if err := json.Unmarshal(data, &file); err != nil {
		return stateDoc{}, nil, err
	}
	if file == nil {
		return stateDoc{}, nil, errNoObject
	}
	var doc stateDoc
	err := json.Unmarshal(data, &doc)
	if strings.HasPrefix(doc.Format, stateFamily) && doc.Format != stateFormat {
		return doc, file, ErrNewerState
	}
	return doc, file, err
}

// edit reads the file under its lock, calls change and writes the file back. A file
// that can't be parsed is moved aside first. The caller holds mu.
func (st *State) edit(ctx context.Context, change func(doc stateDoc, file object) error) error {
	if st.folder == nil {
		return nil
	}
	release, err := st.folder.Lock(ctx, stateFile)
	if err != nil {
		return err
	}
	defer release()
	doc, file, err := st.readToEdit()
	if err != nil {
		return err
	}
	if err := errors.Join(file.set("format", stateFormat, false), change(doc, file)); err != nil {
		return err
	}
	if doc.Since.IsZero() {
		if err := file.set("since", time.Now().Truncate(time.Second), false); err != nil {
			return err
		}
	}
	data, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return err
	}
	st.stat = nil // read it again: another process may be next
	return wholefile.Wrap("writing "+stateFile, st.folder.WriteAtomic(stateFile, append(data, '\n'), true))
}

// readToEdit reads the current file, if there is one.
func (st *State) readToEdit() (stateDoc, object, error) {
	data, err := st.folder.ReadFile(stateFile)
	if errors.Is(err, fs.ErrNotExist) {
		return stateDoc{}, object{}, nil
	}
	if err != nil {
		return stateDoc{}, nil, wholefile.Explain("reading "+stateFile, err)
	}
	doc, file, err := parseState(data)
	if err == nil || errors.Is(err, ErrNewerState) {
		return doc, file, err
	}
	aside, merr := st.moveAside()
	if merr != nil {
		return stateDoc{}, nil, wholefile.Explain("moving the broken "+stateFile+" aside", merr)
	}
	st.logger.Warn("session/state.json can't be read; pins and unread marks start anew, the old file is kept beside it", "kept", aside, "err", err)
	return stateDoc{}, object{}, nil
}

// moveAside renames the file to an unused name.
func (st *State) moveAside() (string, error) {
	base := "state-" + time.Now().Format(brokenStamp)
	for n := 1; ; n++ {
		name := base + ".broken.json"
		if n > 1 {
			name = base + "-" + strconv.Itoa(n) + ".broken.json"
		}
		if _, err := st.folder.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name, st.folder.Rename(stateFile, name)
		} else if err != nil {
			return "", err
		}
	}
}

// object is a JSON object of which this version may know only a part.
type object map[string]json.RawMessage

// set sets a key, or removes it.
func (o object) set(key string, value any, remove bool) error {
	if remove {
		delete(o, key)
		return nil
	}
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	o[key] = data
	return nil
}

// within changes the object under a key; an object left empty is removed.
func (o object) within(key string, change func(object) error) error {
	inner := object{}
	if data, ok := o[key]; ok {
		if err := json.Unmarshal(data, &inner); err != nil {
			return err
		}
	}
	if inner == nil { // null
		inner = object{}
	}
	if err := change(inner); err != nil {
		return err
	}
	return o.set(key, inner, len(inner) == 0)
}
