//go:build unix

package failuretest

import (
	"regexp"
	"slices"
	"strings"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// check checks everything after a restart.
func (s *storm) check() {
	s.t.Helper()
	store, err := sessionmem.Open(sessionmem.Config{Root: s.p.home})
	if err != nil {
		s.t.Fatal(err)
	}
	defer store.Close()
	s.total.Dropped = 0
	list, err := store.List(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	for _, info := range list {
		if info.Err != nil || info.ReadOnly {
			s.t.Errorf("%s can't be read: %+v", info.Name, info)
		}
		t, err := store.Load(s.t.Context(), info.Name)
		if err != nil {
			s.t.Error(err)
			continue
		}
		if info.Name != oldSession {
			s.checkTranscript(info.Name, t.Blocks, s.journaled(info.Name))
		}
	}
	for session, said := range s.said {
		if len(said) > 0 && !slices.ContainsFunc(list, func(i transcript.Info) bool { return i.Name == session }) {
			s.t.Errorf("%s is lost", session)
		}
	}
	if left := s.p.leftovers(); slices.ContainsFunc(left, func(f string) bool { return strings.Contains(f, ".partial") }) {
		s.t.Errorf("left behind: %v", left)
	}
	s.checkMemory()
	s.checkInbox()
	s.total.Lessons, s.total.Proposals, s.total.Acknowledged = len(s.lessons), len(s.proposed), 0
	for _, said := range s.said {
		s.total.Acknowledged += len(said)
	}
}

// checkTranscript checks that every acknowledged block is there once and unchanged, and
// that the questions are in order, each with at most one answer, which is a beginning of
// what was sent. Blocks that an editor dropped may be in the journal instead.
func (s *storm) checkTranscript(session string, blocks, journal []transcript.Block) {
	seen := map[string]string{}
	answers := map[string]string{}
	at := 0
	for _, b := range blocks {
		if _, twice := seen[b.ID]; twice {
			s.t.Errorf("%s: block %s is there twice", session, b.ID)
		}
		seen[b.ID] = b.Text
		if s.deleted[b.ID] {
			s.t.Errorf("%s: block %s was deleted and is back", session, b.ID)
		}
		mark := stormMark.FindString(b.Text)
		switch b.Kind {
		case transcript.KindUser:
			i := slices.Index(s.order[session], mark)
			if i < at {
				s.t.Errorf("%s: question %s is out of its order", session, mark)
			}
			at = i
		case transcript.KindAssistant:
			if answers[mark] != "" || !strings.HasPrefix(stormAnswer(mark), strings.TrimSpace(b.Text)) {
				s.t.Errorf("%s: the answer to %s is there twice or not as it was sent: %q", session, mark, b.Text)
			}
			answers[mark] = b.Text
		case transcript.KindText:
			s.t.Errorf("%s holds what can't be read: %q", session, b.Text)
		}
	}
	for _, b := range journal {
		if _, there := seen[b.ID]; !there && !s.deleted[b.ID] && b.Note != "removed" {
			seen[b.ID] = b.Text
			s.total.Dropped++
			if mark := stormMark.FindString(b.Text); b.Kind == transcript.KindAssistant && answers[mark] == "" {
				answers[mark] = b.Text
			}
		}
	}
	for id, text := range s.said[session] {
		if s.deleted[id] {
			continue
		}
		if got, there := seen[id]; !there || text != "" && got != text {
			s.t.Errorf("%s: block %s was acknowledged as %q and is %q, %t", session, id, text, got, there)
		}
	}
	for _, a := range s.cut {
		if a.session == session && !a.killed.IsZero() {
			s.checkCut(a, answers[a.mark])
		}
	}
}

// checkCut checks that an interrupted answer has all words sent more than two seconds
// before.
func (s *storm) checkCut(a *asking, kept string) {
	sent := s.sent.times(a.mark)
	have := len(strings.Fields(kept))
	if have < len(sent) {
		if age := a.killed.Sub(sent[have]); age > 0 {
			s.total.Cut++
			s.total.OldestLost = max(s.total.OldestLost, age)
			if age > stormLost+stormSlack {
				s.t.Errorf("%s: of %d words %d are kept: one that was sent %s before the kill is lost", a.mark, len(sent), have, age)
			}
		}
	}
}

// provenance matches the comment at the end of a remembered line.
var provenance = regexp.MustCompile(`^- (.*) <!-- \d{4}-\d\d-\d\d cli-[a-z]+ -->$`)

// checkMemory checks that every lesson reported as written is there once and whole.
func (s *storm) checkMemory() {
	count := map[string]int{}
	for _, line := range s.memoryFile() {
		if line == "" {
			continue
		}
		m := provenance.FindStringSubmatch(line)
		if m == nil || m[1] != stormLesson && m[1] != stormLine(stormMark.FindString(m[1])) {
			s.t.Errorf("memory.md holds %q", line)
			continue
		}
		count[m[1]]++
	}
	for text, n := range count {
		if n > 1 {
			s.t.Errorf("remembered %d times: %q", n, text)
		}
	}
	for text := range s.lessons {
		if count[text] != 1 {
			s.t.Errorf("%q was said to be remembered and is there %d times", text, count[text])
		}
	}
}

// checkInbox checks that every reported proposal is there once. A lesson may wait there too,
// because a kill in mid-write made its file look unsaved.
func (s *storm) checkInbox() {
	inbox, err := memory.New(memory.Config{Root: s.p.home}).Inbox()
	if err != nil {
		s.t.Error(err)
	}
	count := map[string]int{}
	for _, p := range inbox {
		count[p.ID]++
		if p.Why == memory.WhySaving && p.Text == stormLine(stormMark.FindString(p.Text)) {
			continue
		}
		if p.ID == "" || p.Old != "I drink green tea." || !strings.HasPrefix(p.Text, "I drink green tea from cup q") {
			s.t.Errorf("the inbox holds %+v", p)
		}
	}
	for id := range s.proposed {
		if count[id] != 1 {
			s.t.Errorf("the proposal %s was told of and is there %d times", id, count[id])
		}
	}
}
