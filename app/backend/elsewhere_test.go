package backend

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mac-stats/agents/testkit"
	"mac-stats/app/config"
	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/recalltest"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// Messages that were forgotten here are left out.
func TestAConversationOfAnotherMachineIsReadFromTheServer(t *testing.T) {
	address := recalltest.StartPostgres(t).Database(t)
	s := testkit.Start(t, testkit.Script{})
	machine := func() *Backend {
		b := open(t, Options{Environ: environ(t.TempDir(), "OLLAMA_HOST="+s.Addr())})
		if err := errors.Join(b.Set("recall.postgres_url", address), b.Set("recall.backend", "postgres")); err != nil {
			t.Fatal(err)
		}
		return b
	}
	push := func(b *Backend) {
		t.Helper()
		index, err := b.Index.Recall()
		if err == nil {
			_, err = index.Sync(t.Context())
		}
		if err == nil {
			_, err = index.Copy(t.Context())
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
	hits, _, err := desk.Index.Related(t.Context(), "ferry", true)
	if err != nil || len(hits) != 1 || hits[0].Machine == "" {
		t.Fatalf("%+v, %v", hits, err)
	}
	for _, name := range []string{hits[0].Machine, ""} {
		tr, err := desk.Shared.Elsewhere(t.Context(), "cpu-far", name)
		if err != nil || len(tr.Blocks) != 3 || tr.Blocks[1].Text != "At the pier." || tr.Blocks[1].Kind != transcript.KindAssistant || tr.Info.Machine != hits[0].Machine || !tr.Info.ReadOnly {
			t.Errorf("%+v, %v", tr, err)
		}
	}
	if _, err := lap.Shared.Elsewhere(t.Context(), "cpu-far", ""); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("its own conversation is of another machine: %v", err)
	}
	if st, err := desk.Shared.TestServer(t.Context()); err != nil || len(st.Machines) != 2 {
		t.Errorf("%+v, %v", st, err)
	}
	plan, err := desk.Forgetting.ForgetPlan(t.Context(), forget.Selection{Text: "zanzibar"}) // it is the only message with this word
	if err == nil {
		_, err = desk.Forgetting.Forget(t.Context(), plan)
	}
	if err != nil {
		t.Fatal(err)
	}
	tr, err := desk.Shared.Elsewhere(t.Context(), "cpu-far", "")
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
	found, _, err := b.Index.Find(t.Context(), recall.Query{Text: word})
	if err != nil {
		t.Fatal(err)
	}
	return len(found.Hits) > 0
}

func TestTheServerListIsEmptiedTwice(t *testing.T) {
	b := &SharedMemory{app: &base{start: &start{Paths: config.Paths{Home: t.TempDir()}}}}
	if err := b.changeServers(t.Context(), func([]string) []string { return []string{"postgres://db.example.org/memory"} }); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := b.changeServers(t.Context(), func([]string) []string { return nil }); err != nil {
			t.Error(err)
		}
	}
}

// A server that received something is noted even if the settings name another one by then,
// and even if only the environment names it.
func TestAServerThatReceivedTextIsNoted(t *testing.T) {
	cluster := recalltest.StartPostgres(t)
	first, second := cluster.Database(t), cluster.Database(t)
	s := testkit.Start(t, testkit.Script{})
	b := open(t, Options{Environ: environ(t.TempDir(), "OLLAMA_HOST="+s.Addr())})
	if err := errors.Join(b.Set("recall.postgres_url", first), b.Set("recall.backend", "postgres")); err != nil {
		t.Fatal(err)
	}
	to, err := b.Shared.Server()
	if err == nil {
		err = b.Set("recall.postgres_url", second) // while a push to the first server runs
	}
	if err == nil {
		err = b.Forgetting.beforeCopy(t.Context(), to)
	}
	if err != nil {
		t.Fatal(err)
	}
	if left := b.Shared.ServersLeft(); !slices.Equal(left, []string{first}) {
		t.Errorf("%v, want %s", left, first)
	}
	u, _ := url.Parse(second)
	for key, is := range map[string]string{"PGHOST": u.Query().Get("host"), "PGDATABASE": strings.TrimPrefix(u.Path, "/"), "PGUSER": u.Query().Get("user")} {
		t.Setenv(key, is)
	}
	if err := b.Set("recall.postgres_url", ""); err != nil {
		t.Fatal(err)
	}
	if to, err = b.Shared.Server(); err == nil {
		err = b.Forgetting.beforeCopy(t.Context(), to)
	}
	if err != nil {
		t.Fatal(err)
	}
	if left := b.Shared.ServersLeft(); !slices.Equal(left, []string{first}) {
		t.Errorf("%v, want %s", left, first)
	}
	for _, key := range []string{"PGHOST", "PGDATABASE", "PGUSER"} {
		t.Setenv(key, "")
	}
	if err := b.Set("recall.backend", "local"); err != nil {
		t.Fatal(err)
	}
	if left := b.Shared.ServersLeft(); len(left) != 2 {
		t.Errorf("%v, want both", left)
	}
	if names, err := b.Shared.DropMemory(t.Context()); err != nil || len(names) != 2 || len(b.Shared.ServersLeft()) != 0 {
		t.Errorf("%v, %v, %v: want both off", names, err, b.Shared.ServersLeft())
	}
}

func TestServersNotedAtOnceAreAllKept(t *testing.T) {
	home := t.TempDir()
	var all sync.WaitGroup
	for i := range 20 { // each stands for another process
		all.Go(func() {
			b := &SharedMemory{app: &base{start: &start{Paths: config.Paths{Home: home}}}}
			if err := b.changeServers(t.Context(), func(all []string) []string { return append(all, fmt.Sprintf("postgres://db%d.example.org/memory", i)) }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := len((&SharedMemory{app: &base{start: &start{Paths: config.Paths{Home: home}}}}).serversNoted()); n != 20 {
		t.Errorf("%d servers are noted, want 20", n)
	}
}
