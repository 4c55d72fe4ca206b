package session_test

import (
	"os"
	"path/filepath"
	"testing"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

func TestRecoverAllRestoresInterruptedAnswers(t *testing.T) {
	// given two sessions with a checkpoint, one of which is being answered
	root := t.TempDir()
	dead, alive := openStore(t, root), openStore(t, root)
	for _, name := range []string{"cli-dead", "cli-busy"} {
		u := mustAppend(t, dead, name, user("q"))
		dead.Session(name).Checkpoint(t.Context(), transcript.Block{Kind: transcript.KindAssistant, Parent: u.ID}).SetText("half an answ")
		filetest.Await(t, filepath.Join(root, transcript.SessionDir, transcript.PartialDir, name+".*.md"))
	}
	busy, err := dead.Session("cli-busy").LockTurn(t.Context(), "window", nil) // recovers its own
	must(t, err)
	u := mustAppend(t, dead, "cli-busy", user("again"))
	dead.Session("cli-busy").Checkpoint(t.Context(), transcript.Block{Kind: transcript.KindAssistant, Parent: u.ID}).SetText("being written")
	live := filetest.Await(t, filepath.Join(root, transcript.SessionDir, transcript.PartialDir, "cli-busy.*.md"))

	// when another process starts
	must(t, alive.Sessions().RecoverAll(t.Context()))

	// then the dead one's text is in its transcript, and the busy one is left alone
	if diff := cmp.Diff([]string{"q", "half an answ"}, texts(t, alive, "cli-dead")); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(live); err != nil {
		t.Errorf("the checkpoint of a turn under way: %v", err)
	}
	busy.Unlock()
}
