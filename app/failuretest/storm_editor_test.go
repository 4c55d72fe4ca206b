//go:build unix

package failuretest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/transcript"
)

// stormSessions are the sessions that get questions.
var stormSessions = []string{"cli-long", "cli-short", "cli-compacted"}

// transcriptOf returns the path of a session's transcript; "" before there is one.
func (s *storm) transcriptOf(session string) string {
	files, err := filepath.Glob(filepath.Join(s.p.home, "session", "session-memory-"+session+"-2*.md"))
	if err != nil || len(files) == 0 {
		return ""
	}
	return files[0]
}

// replace saves a file as most editors do.
func (s *storm) replace(path string, data []byte) {
	tmp := filepath.Join(filepath.Dir(path), ".editor.swp")
	if err := errors.Join(os.WriteFile(tmp, data, 0o600), os.Rename(tmp, path)); err != nil {
		s.t.Error(err)
	}
}

// saveLate reads transcripts and saves them later, until everything is killed.
func (s *storm) saveLate(stop <-chan struct{}) {
	for {
		path := s.transcriptOf(stormSessions[rand.IntN(len(stormSessions))])
		buffer, err := os.ReadFile(path)
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(100+rand.IntN(400)) * time.Millisecond):
		}
		if err == nil && rand.IntN(2) == 0 {
			s.replace(path, buffer)
			s.mu.Lock()
			s.total.Saves++
			s.mu.Unlock()
		}
	}
}

var stormBlock = regexp.MustCompile(`\n## [A-Z][a-z]+ · [^\n]*\n<!-- id=(\w+)[^\n]*\n`)

// deleteLast plays the user who deletes the last answer or question of a session while
// nothing runs.
func (s *storm) deleteLast() {
	path := s.transcriptOf(stormSessions[s.rnd.IntN(len(stormSessions))])
	data, err := os.ReadFile(path)
	at := stormBlock.FindAllSubmatchIndex(data, -1)
	if err != nil || len(at) < 3 || s.rnd.IntN(2) == 0 {
		return
	}
	last := at[len(at)-1]
	if !bytes.HasPrefix(data[last[0]:], []byte("\n## User")) && !bytes.HasPrefix(data[last[0]:], []byte("\n## Assistant")) {
		return
	}
	s.deleted[string(data[last[2]:last[3]])] = true
	s.total.Deleted++
	s.replace(path, data[:last[0]])
}

// journaled returns the blocks in a session's journal.
func (s *storm) journaled(session string) []transcript.Block {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.p.home, "session", ".journal", session+".md"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		s.t.Fatal(err)
	}
	t, err := transcript.Parse(bytes.NewReader(data))
	if err != nil {
		s.t.Fatal(err)
	}
	return t.Blocks
}

// This test asks again and again on a disk that is full somewhere: everything reported as
// written is in the transcript, whole, whatever happened to its journal, and with more
// space the journal catches up.
func TestDiskFullStorm(t *testing.T) {
	t.Parallel()
	if unshare() == nil {
		t.Skip("no disk can be mounted here")
	}
	rounds := stormCycles(t) / stormPlaces / 2
	for i := range stormPlaces {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			s := newStorm(t)
			s.p.run("agents", "list")
			failed := 0
			for range max(rounds, 2) {
				a := &asking{session: "cli-short", mark: s.mark("s")}
				a.text = "What of " + a.mark + "?"
				left := fmt.Sprint(s.rnd.IntN(16) << 12) // a page is the least that a RAM disk allows
				a.process = s.p.start(s.p.on(fullBut("4m", left), s.p.command("ask", "--json", "--session", a.session, a.text)))
				o := a.process.wait()
				if o.code != 0 {
					failed++
				}
				s.order[a.session] = append(s.order[a.session], a.mark)
				if s.said[a.session] == nil {
					s.said[a.session] = map[string]string{}
				}
				for line := range strings.Lines(o.stdout) {
					if !strings.Contains(line, `"type":"error"`) { // the disk's error, which is expected
						s.acknowledge(a, line)
					}
				}
				s.check()
			}
			s.end()
			t.Logf("%d of %d were refused by the disk", failed, max(rounds, 2))
		})
	}
}
