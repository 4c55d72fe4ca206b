package sessionmem

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
)

// The blocks written lately, one JSON object a line, stand beside the transcripts in
// a file for each session: an editor's late save can drop what a program wrote that
// has ended by then, and nobody else holds it. It holds text of messages: deleting a
// session deletes it too.
const (
	recentDir    = ".recent"
	recentSuffix = ".jsonl"

	// recentSize is from which size in bytes on old lines are taken out.
	recentSize = 256 << 10

	// recentKept is how long the file of a session is kept that nobody writes to.
	recentKept = 24 * time.Hour
)

// recentLine is a line of a session's recent file.
type recentLine struct {
	Seen     time.Time
	File     string // transcript that the block was written to, without its folder
	Restored bool   // put back after a late save
	Block    Block
}

func recentFile(name string) string { return recentDir + "/" + name + recentSuffix }

// noteRecent adds blocks that were just written, the first of which were put back.
// Where it fails, only the protection against a late save is less.
func (s *Store) noteRecent(ses *session, blocks []Block, restored int) {
	var data []byte
	for i, b := range blocks {
		line := recentLine{Seen: time.Now(), File: path.Base(ses.file), Restored: i < restored, Block: b}
		text, err := json.Marshal(line)
		if err != nil || len(text) > blockLimit {
			continue
		}
		data = append(append(data, text...), '\n')
	}
	if err := s.appendRecent(ses.name, data); err != nil {
		s.logger.Debug("what was written lately is not noted", "session", ses.name, "err", err)
	}
}

func (s *Store) appendRecent(name string, data []byte) error {
	file := recentFile(name)
	f, err := s.root.OpenFile(file, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := s.root.MkdirAll(recentDir, 0o700); err != nil {
			return err
		}
		f, err = s.root.OpenFile(file, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	full := err == nil && isOldRecent(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil || !full {
		return err
	}
	return s.shortenRecent(file)
}

// isOldRecent says whether the file is large and begins with what is out of date:
// then at least that can go, so that a file is shortened once in a while only.
func isOldRecent(f *os.File) bool {
	fi, err := f.Stat()
	if err != nil || fi.Size() < recentSize {
		return false
	}
	head := make([]byte, 256)
	n, _ := f.ReadAt(head, 0) // a shorter file does not come here
	var first recentLine
	// Seen is the first field: the line may be longer than what was read.
	text, _, _ := strings.Cut(string(head[:n]), ",")
	if json.Unmarshal([]byte(text+"}"), &first) != nil {
		return true
	}
	return time.Since(first.Seen) > 2*lateSave
}

// shortenRecent leaves what a late save could still drop.
func (s *Store) shortenRecent(file string) error {
	data, err := s.root.ReadFile(file)
	if err != nil {
		return err
	}
	var kept []byte
	for line := range bytes.Lines(data) {
		var l recentLine
		if json.Unmarshal(line, &l) == nil && time.Since(l.Seen) <= lateSave {
			kept = append(kept, line...)
		}
	}
	return writeAtomic(s.root, file, kept, false)
}

// joinRecent takes in what others wrote lately, in its order, after the session was
// read whole at a file of that time.
func (s *Store) joinRecent(ses *session, saved time.Time) {
	if ses.saved.IsZero() || !ses.rewrote {
		ses.saved = saved
	}
	noted := s.readRecent(ses)
	if len(noted) == 0 {
		return
	}
	mine := map[string]recentBlock{}
	for _, r := range ses.recent {
		mine[r.block.ID] = r
	}
	for i, r := range noted {
		if m, ok := mine[r.block.ID]; ok {
			m.restored = m.restored || r.restored
			noted[i] = m
			delete(mine, r.block.ID)
		}
	}
	var all []recentBlock
	for _, r := range ses.recent {
		if _, only := mine[r.block.ID]; only {
			all = append(all, r)
		}
	}
	all = append(all, noted...)
	ses.recent = all[max(0, len(all)-maxRecent):]
	for i, missing := range ses.missingAtEnds() {
		r := ses.recent[i]
		ses.rewrote = ses.rewrote || missing && !r.restored && ses.isLate(r, time.Now())
	}
}

// isLate says whether the save that dropped a block came so soon after it that its
// editor may have read the file before.
func (ses *session) isLate(r recentBlock, now time.Time) bool {
	return now.Sub(r.seen) <= lateSave || ses.saved.Round(0).Sub(r.seen.Round(0)) <= lateSave
}

// readRecent gives the noted blocks of the session's files, each once, oldest first.
func (s *Store) readRecent(ses *session) []recentBlock {
	data, err := s.root.ReadFile(recentFile(ses.name))
	if err != nil {
		return nil
	}
	var lines []recentLine
	last := map[string]int{}
	for text := range bytes.Lines(data) {
		var l recentLine
		if json.Unmarshal(text, &l) != nil || !ses.knowsFile(l.File) {
			continue // half a line of a program that was killed, or an older transcript
		}
		last[l.Block.ID] = len(lines)
		lines = append(lines, l)
	}
	var out []recentBlock
	for i, l := range lines {
		if last[l.Block.ID] != i {
			continue
		}
		r := recentBlock{block: l.Block, seen: l.Seen, file: l.File, restored: l.Restored, after: ses.index.hash("")}
		if i > 0 {
			r.after = ses.index.hash(lines[i-1].Block.ID)
		}
		out = append(out, r)
	}
	return out
}

// dropRecent forgets what was written lately to a session that is deleted.
func (s *Store) dropRecent(name string) error {
	if err := s.root.Remove(recentFile(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// clearRecent removes the recent files that nothing was added to for a day.
func (s *Store) clearRecent() error {
	d, err := s.root.Open(recentDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return explainDisk("reading what was written lately", err)
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return explainDisk("reading what was written lately", err)
	}
	for _, n := range names {
		file := recentDir + "/" + n
		if fi, err := s.root.Stat(file); err != nil || time.Since(fi.ModTime()) < recentKept {
			continue
		}
		if err := s.root.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return explainDisk("removing what was written lately", err)
		}
	}
	return nil
}
