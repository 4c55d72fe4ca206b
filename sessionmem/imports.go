package sessionmem

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"mac-stats/sessionmem/wholefile"
)

// importsFile records, in the session folder, which messages of other programs were imported.
// It holds IDs and no text.
const importsFile = ".imported.jsonl"

// Imports is the record of imported conversations. It tells a message that is new in a later
// export from one that a person deleted here: an import brings back neither a deleted message
// nor a deleted session. Only one import at a time holds it.
type Imports struct {
	store   *Store
	release func()
	known   map[string]string // the IDs of a session's messages, with blanks between
	live    map[string]bool   // sessions that exist
	gone    map[string]bool   // sessions in the trash
	added   []importedLine
}

type importedLine struct {
	Session  string `json:"session"`
	Messages string `json:"messages"`
}

// Imports opens the record. While another import runs, it waits for ctx to end or a short while,
// and returns an error.
func (s *Store) Imports(ctx context.Context) (*Imports, error) {
	i := &Imports{store: s, release: func() {}, known: map[string]string{}, live: map[string]bool{}, gone: map[string]bool{}}
	if s.dir == nil {
		return i, nil
	}
	release, err := s.dir.Lock(ctx, ".imports")
	if err != nil {
		return nil, fmt.Errorf("another import is running: %w", err)
	}
	i.release = release
	if err := i.read(); err != nil {
		release()
		return nil, err
	}
	return i, nil
}

func (i *Imports) read() error {
	entries, err := i.store.catalog.Entries()
	if err != nil {
		return err
	}
	for _, e := range entries {
		i.live[e.Session] = true
	}
	trash, err := i.store.catalog.Trash()
	if err != nil {
		return err
	}
	for _, t := range trash {
		i.gone[t.Session] = true
	}
	f, err := i.store.dir.Open(importsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return wholefile.Explain("reading "+importsFile, err)
	}
	defer f.Close()
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadBytes('\n')
		var l importedLine
		if json.Unmarshal(line, &l) == nil && l.Session != "" { // a crash may have left half a line
			i.known[l.Session] += " " + l.Messages
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return wholefile.Explain("reading "+importsFile, err)
		}
	}
}

// Of returns what is known of a session: whether it exists, whether a person deleted it, and the
// IDs of the messages that were imported into it. An existing session without IDs was imported
// by a version that kept no record.
func (i *Imports) Of(session string) (live, deleted bool, messages map[string]bool) {
	ids, recorded := i.known[session]
	live = i.live[session]
	messages = map[string]bool{}
	for id := range strings.FieldsSeq(ids) {
		messages[id] = true
	}
	return live, !live && (recorded || i.gone[session]), messages
}

// Add records messages that are now in a session. Save makes it durable.
func (i *Imports) Add(session string, messages []string) {
	ids := strings.Join(messages, " ")
	i.live[session] = true
	i.known[session] += " " + ids
	i.added = append(i.added, importedLine{session, ids})
}

// Save writes what was added. The messages must be safe on disk by then: one that is recorded
// and missing counts as deleted.
func (i *Imports) Save() error {
	if len(i.added) == 0 || i.store.dir == nil {
		return nil
	}
	f, err := i.store.dir.OpenFile(importsFile, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return wholefile.Explain("writing "+importsFile, err)
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return wholefile.Explain("writing "+importsFile, err)
	}
	var data []byte
	last := []byte{'\n'}
	if fi.Size() > 0 {
		_, err = f.ReadAt(last, fi.Size()-1)
	}
	if last[0] != '\n' {
		data = append(data, '\n')
	}
	for _, l := range i.added {
		line, merr := json.Marshal(l)
		err = errors.Join(err, merr)
		data = append(append(data, line...), '\n')
	}
	if err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Sync()
	}
	i.added = nil
	return wholefile.Wrap("writing "+importsFile, err)
}

// Close lets another import begin.
func (i *Imports) Close() { i.release() }
