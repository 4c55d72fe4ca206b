package session

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// Blocks that wait for the disk would be lost with the process. If Config.Rescue names
// another folder, it holds a transcript with each session's waiting blocks; a later start picks
// them up and writes them where they belong. Private sessions have no file there.

// errRescued is why blocks wait that an earlier process could not save.
var errRescued = errors.New("they could not be saved before mac-stats ended, and are being written now")

func (s *shared) rescueFile(name string) string {
	return filepath.Join(s.rescue, name+transcript.FileSuffix)
}

// writeRescue copies a session's waiting blocks to the rescue folder; without any it
// removes the copy. The caller holds s.mu.
func (s *state) writeRescue() {
	u := &s.unsaved
	u.rescued = false
	if s.rescue == "" {
		return
	}
	file := s.rescueFile(s.name)
	if len(u.blocks) == 0 {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.logger.Warn("a copy of what is saved by now stays", "file", file, "err", err)
		}
		return
	}
	if err := s.copyWaiting(file); err != nil {
		s.logger.Warn("what the disk refuses is in memory alone", "session", s.name, "err", err)
		return
	}
	u.rescued = true
}

func (s *state) copyWaiting(file string) error {
	blocks := make([]transcript.Block, len(s.unsaved.blocks))
	for i, b := range s.unsaved.blocks {
		blocks[i] = s.guard(b, false)
	}
	_, info := newFile(s.name, blocks)
	var text bytes.Buffer
	if err := transcript.Write(&text, &transcript.Transcript{Info: info, Blocks: blocks}); err != nil {
		return err
	}
	if err := os.MkdirAll(s.rescue, 0o700); err != nil {
		return err
	}
	return wholefile.Write(file, text.Bytes(), 0o600)
}

// takeRescued picks up what an earlier process could not save.
func (f *Folder) takeRescued() {
	if f.rescue == "" {
		return
	}
	files, err := os.ReadDir(f.rescue)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.logger.Warn("what was not saved before the last end can't be read now", "err", err)
	}
	for _, e := range files {
		name, ok := strings.CutSuffix(e.Name(), transcript.FileSuffix)
		if !ok || transcript.CheckName(name) != nil || !e.Type().IsRegular() {
			continue
		}
		t, err := f.LoadFile(filepath.Join(f.rescue, e.Name()))
		if err != nil || len(t.Blocks) == 0 {
			f.logger.Warn("what was not saved before the last end can't be read", "file", e.Name(), "err", err)
			continue
		}
		f.Session(name).addRescued(t.Blocks)
	}
}

// addRescued adds blocks that an earlier process could not save to those that wait.
func (s *Session) addRescued(blocks []transcript.Block) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unsaved.since, s.unsaved.err, s.unsaved.rescued = time.Now(), errRescued, true
	s.setUnsaved(blocks)
	s.notifyUnsaved()
	s.wakeRetry()
}
