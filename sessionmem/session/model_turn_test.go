package session_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// answer plays a turn with a streaming answer that ends by being committed or discarded, or
// with the program's death before or after the commit.
func (m *model) answer(s *sessionmem.Store, ses *modelSession) {
	turn, err := s.Session(ses.name).LockTurn(m.t.Context(), "window", nil)
	if err != nil {
		m.t.Fatal(err)
	}
	question := m.add(s, ses, transcript.Block{Kind: transcript.KindUser, Text: m.modelText()})
	b := transcript.Block{Kind: transcript.KindAssistant, Parent: question.ID, Text: m.message().Text}
	c := s.Session(ses.name).Checkpoint(m.t.Context(), transcript.Block{Kind: b.Kind, Parent: b.Parent})
	c.SetText(b.Text)
	session.FlushCheckpoint(c)
	b.ID = c.ID()
	switch m.rnd.IntN(5) {
	case 0:
		c.Discard()
		turn.Unlock()
	case 1, 2:
		out, err := c.Commit(m.t.Context(), b)
		if err != nil {
			m.t.Fatal(err)
		}
		ses.want = append(ses.want, out)
		turn.Unlock()
	case 3:
		m.add(s, ses, b)
		m.dies(s, c)
		m.recover(ses)
	case 4:
		c.SetText(b.Text + " and what comes within two seconds")
		m.dies(s, c)
		m.recover(ses)
		m.tookAnswer(ses, b)
	}
	m.checkNothingLeft()
}

// dies ends a program as a crash does: nothing is committed, what was written stays.
func (m *model) dies(s *sessionmem.Store, c *session.Checkpoint) {
	session.StopCheckpoint(c)
	m.restart(s, nil)
}

// recover does what the next start of a program, or its next turn, does.
func (m *model) recover(ses *modelSession) {
	s := m.stores[m.rnd.IntN(len(m.stores))]
	if m.rnd.IntN(2) == 0 {
		if err := s.Sessions().RecoverAll(m.t.Context()); err != nil {
			m.t.Error(err)
		}
		return
	}
	turn, err := s.Session(ses.name).LockTurn(m.t.Context(), "window", nil)
	if err != nil {
		m.t.Fatal(err)
	}
	turn.Unlock()
}

// tookAnswer checks that the interrupted answer is at the transcript's end, marked as such.
func (m *model) tookAnswer(ses *modelSession, b transcript.Block) {
	got := m.load(m.stores[0], ses)
	if n := len(got); n < 2 || got[n-2].ID != b.ID || got[n-2].Text != b.Normalized().Text || got[n-1].Note != transcript.NoteInterrupted {
		m.t.Fatalf("the cut answer %+v is not at the end: %+v", b, got[max(n-2, 0):])
	}
	ses.want = append(ses.want, got[len(got)-2:]...)
}

// checkNothingLeft checks that there is no checkpoint when no answer is streaming.
func (m *model) checkNothingLeft() {
	left, err := os.ReadDir(filepath.Join(m.root, transcript.SessionDir, ".partial"))
	if err != nil || len(left) > 0 {
		m.t.Errorf("left in the folder of checkpoints: %v, %v", left, err)
	}
}

// rest makes a program free its memory, as after hours without use.
func (m *model) rest(s *sessionmem.Store, _ *modelSession) {
	session.PassAnHour(s.Sessions())
	s.Sessions().Rest(time.Minute)
}

func (m *model) release(s *sessionmem.Store, ses *modelSession) { s.Session(ses.name).Release() }

// checkSecrets checks that no file contains a private message.
func (m *model) checkSecrets() {
	err := filepath.WalkDir(m.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(path+"\n"+string(data), secret) || slices.ContainsFunc(m.privates[:], func(ses *modelSession) bool {
			return ses != nil && strings.Contains(path, ses.name+"-")
		}) {
			m.t.Errorf("%s tells of a private conversation", path)
		}
		return err
	})
	if err != nil {
		m.t.Error(err)
	}
}
