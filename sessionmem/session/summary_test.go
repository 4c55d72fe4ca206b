package session_test

import (
	"path/filepath"
	"testing"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

func TestListShowsTheLastAgent(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	open := func() *sessionmem.Store {
		s, err := sessionmem.Open(sessionmem.Config{Root: root, CacheDir: cache, MaxFileBytes: func() int64 { return 500 }})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	mustAppend(t, s, "cpu-a", user("q"))
	if got := onlyInfo(t, s).Agent; got != "" {
		t.Errorf("without an answer it is %q", got)
	}
	// given answers of two agents, and work of a third for one of them
	threeParts(t, s)
	mustAppend(t, s, "cpu-a", transcript.Block{Kind: transcript.KindAssistant, Agent: "coder", Text: "a"})
	mustAppend(t, s, "cpu-a", transcript.Block{Kind: transcript.KindAgent, Agent: "doctor", Text: "b"})
	mustAppend(t, s, "cpu-a", user("the last word"))
	if got := onlyInfo(t, s); got.Agent != "coder" || len(got.Parts) < 2 {
		t.Errorf("who answered last is %q, in %d parts", got.Agent, len(got.Parts))
	}
	// then a later start knows it too, from the files and from the cache
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = open()
		if got := onlyInfo(t, s).Agent; got != "coder" {
			t.Errorf("after a start who answered last is %q", got)
		}
		tr, err := s.LoadFile(filepath.Join(onlyInfo(t, s).Path))
		if err != nil || tr.Info.Agent != "coder" {
			t.Errorf("its file says %q, %v", tr.Info.Agent, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
