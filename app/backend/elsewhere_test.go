package backend

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mac-stats/agents/ollamatest"
	"mac-stats/app/config"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/postgres/postgrestest"
	"mac-stats/sessionmem/transcript"
)

// TestAConversationOfAnotherMachineIsReadFromTheServer, without what was forgotten here.
func TestAConversationOfAnotherMachineIsReadFromTheServer(t *testing.T) {
	address := postgrestest.Start(t).Database(t)
	s := ollamatest.Start(t, ollamatest.Script{})
	machine := func() *Backend {
		b := open(t, Options{Environ: environ(t.TempDir(), "OLLAMA_HOST="+s.Addr())})
		if err := errors.Join(b.Set("recall.postgres_url", address), b.Set("recall.backend", "postgres")); err != nil {
			t.Fatal(err)
		}
		return b
	}
	push := func(b *Backend) {
		t.Helper()
		index, err := b.Recall()
		if err == nil {
			_, err = index.Sync(t.Context())
		}
		if err == nil {
			_, err = index.Push(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	desk, lap := machine(), machine()
	for _, b := range []transcript.Block{
		{Kind: transcript.KindUser, Text: "where is the ferry"}, {Kind: transcript.KindAssistant, Agent: "orchestrator", Text: "At the pier."}, {Kind: transcript.KindUser, Text: "the code is zanzibar"},
	} {
		b.Time = time.Now().Add(-time.Hour)
		if _, err := lap.Store.Append(t.Context(), "cpu-far", b); err != nil {
			t.Fatal(err)
		}
	}
	push(desk)
	push(lap)
	hits, _, err := desk.Related(t.Context(), "ferry", true)
	if err != nil || len(hits) != 1 || hits[0].Machine == "" {
		t.Fatalf("%+v, %v", hits, err)
	}
	for _, name := range []string{hits[0].Machine, ""} {
		tr, err := desk.Elsewhere(t.Context(), "cpu-far", name)
		if err != nil || len(tr.Blocks) != 3 || tr.Blocks[1].Text != "At the pier." || tr.Blocks[1].Kind != transcript.KindAssistant || tr.Info.Machine != hits[0].Machine || !tr.Info.ReadOnly {
			t.Errorf("%+v, %v", tr, err)
		}
	}
	if _, err := lap.Elsewhere(t.Context(), "cpu-far", ""); !errors.Is(err, sessionmem.ErrNotFound) {
		t.Errorf("its own conversation is of another machine: %v", err)
	}
	if st, err := desk.TestServer(t.Context()); err != nil || len(st.Machines) != 2 {
		t.Errorf("%+v, %v", st, err)
	}
	plan, err := desk.ForgetPlan(t.Context(), forget.Selection{Text: "zanzibar"}) // it stands there alone
	if err == nil {
		_, err = desk.Forget(t.Context(), plan)
	}
	if err != nil {
		t.Fatal(err)
	}
	tr, err := desk.Elsewhere(t.Context(), "cpu-far", "")
	if err != nil || len(tr.Blocks) != 2 {
		t.Errorf("%+v, %v: want two messages", tr, err)
	}
	push(lap)
	if b, err := os.ReadFile(files(t, lap)[0]); err != nil || string(b) == "" || recallHas(t, lap, "zanzibar") {
		t.Errorf("the other machine keeps it: %s, %v", b, err)
	}
}

func files(t *testing.T, b *Backend) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(b.Paths.Home, "session", "*.md"))
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	return all
}

func recallHas(t *testing.T, b *Backend, word string) bool {
	t.Helper()
	found, _, err := b.Find(t.Context(), recall.Query{Text: word})
	if err != nil {
		t.Fatal(err)
	}
	return len(found.Hits) > 0
}

func TestTheListOfServersIsEmptiedTwice(t *testing.T) {
	b := &Backend{Paths: config.Paths{Home: t.TempDir()}}
	if err := b.changeServers(func([]string) []string { return []string{"postgres://db.example.org/memory"} }); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := b.changeServers(func([]string) []string { return nil }); err != nil {
			t.Error(err)
		}
	}
}
