package postgres_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/postgres"
	"mac-stats/sessionmem/recall/recalltest"
	"mac-stats/sessionmem/transcript"
)

// machine is a data folder with its index, connected to a server.
type machine struct {
	*testing.T
	copied
	recalltest.Params
	now       time.Time
	forgetter *forget.Forgetter
	offline   bool
}

// mayBeOffline is the server as a machine's forgetter sees it.
type mayBeOffline struct {
	*postgres.Server
	m *machine
}

func (s mayBeOffline) Sweep(ctx context.Context, record string, gone func(mine bool, session string, b transcript.Block) bool) ([]string, error) {
	if s.m.offline {
		return nil, fmt.Errorf("%w: no network here", recall.ErrServer)
	}
	return s.Server.Sweep(ctx, record, gone)
}

func newMachine(t *testing.T, address, name string) *machine {
	t.Helper()
	root := t.TempDir()
	store, err := sessionmem.Open(sessionmem.Config{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{T: t, now: time.Date(2026, 5, 3, 10, 0, 0, 0, time.UTC)}
	m.Params = recalltest.Params{Root: root, CacheDir: t.TempDir(), Store: store, Memory: memory.New(memory.Config{Root: root}), Settings: func() recall.Settings {
		return recall.Settings{TopK: 20, Strategy: recall.Lexical, ColdAfter: 90 * 24 * time.Hour}
	}}
	m.start(address, name)
	t.Cleanup(func() {
		_ = m.Close() // a fault test may have closed it
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// start opens the index and the forgetter.
func (m *machine) start(address, name string) {
	m.Helper()
	m.copied = open(m.T, m.Params, address, name, func(c *recall.Config) {
		c.Forgotten = func() corpus.Tombstones { return m.Store.Forgotten() }
		c.BeforeCopy = func(ctx context.Context, _ recall.Server) error { return m.forgetter.Sweep(ctx, m.server) }
		c.ForgottenElsewhere = func(ctx context.Context, all []corpus.Chunk) error {
			_, err := m.forgetter.Adopt(ctx, all)
			return err
		}
	})
	m.forgetter = forget.New(forget.Params{
		Root: m.Root, CacheDir: m.CacheDir, Store: m.Store, Memory: m.Memory, Index: m.Index,
		Servers: func() ([]forget.Server, func()) { return []forget.Server{mayBeOffline{m.server, m}}, func() {} },
	})
}

// forget forgets what a selection covers, and returns what was done on the server.
func (m *machine) forget(s forget.Selection) (server forgotten.Touched) {
	m.Helper()
	plan, err := m.forgetter.Plan(m.Context(), s)
	if err != nil {
		m.Fatal(err)
	}
	r, err := m.forgetter.Do(m.Context(), plan)
	if err != nil {
		m.Fatal(err)
	}
	for _, t := range r.Found {
		if t.Place == "server" {
			server = t
		}
	}
	return server
}

// holds returns the files of the data folder that contain a word.
func (m *machine) holds(word string) (in []string) {
	m.Helper()
	err := filepath.WalkDir(m.Root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var data []byte
			if data, err = os.ReadFile(path); strings.Contains(string(data), word) {
				in = append(in, path)
			}
		}
		return err
	})
	if err != nil {
		m.Fatal(err)
	}
	return in
}

func (m *machine) say(session string, texts ...string) {
	m.Helper()
	for _, text := range texts {
		m.now = m.now.Add(time.Minute)
		if _, err := m.Store.Append(m.Context(), session, transcript.Block{Kind: transcript.KindUser, Text: text, Time: m.now}); err != nil {
			m.Fatal(err)
		}
	}
	m.sync()
}

func (m *machine) sync() {
	m.Helper()
	err := error(nil)
	if _, err = m.Index.Sync(m.Context()); err == nil && !m.offline {
		_, err = m.Copy(m.Context())
	}
	if err != nil {
		m.Fatal(err)
	}
}

// found returns the texts of the hits, each with its machine, in alphabetical order.
func (m *machine) found(question string) string {
	m.Helper()
	a, err := m.Search(m.Context(), recall.Query{Text: question, Now: m.now})
	if err != nil {
		m.Fatal(err)
	}
	var out []string
	for _, h := range a.Hits {
		text := h.Text
		if h.Machine != "" {
			text += " @" + h.Machine
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// file returns the only file of a session.
func (m *machine) file(session string) string {
	m.Helper()
	files, err := filepath.Glob(filepath.Join(m.Root, "session", "*"+session+"*.md"))
	if err != nil || len(files) != 1 {
		m.Fatal(files, err)
	}
	return files[0]
}

func (m *machine) edit(session, old, now string) {
	m.Helper()
	file := m.file(session)
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, []byte(strings.ReplaceAll(string(data), old, now)), 0o600)
	}
	if err != nil {
		m.Fatal(err)
	}
	m.sync()
}

func (m *machine) finds(question, want string) {
	m.Helper()
	if got := m.found(question); got != want {
		m.Errorf("%s: %q, want %q", question, got, want)
	}
}

func TestTwoMachinesFindWhatEachOtherSaid(t *testing.T) {
	address := recalltest.SharedPostgres(t).Database(t)
	a, b := newMachine(t, address, "desk"), newMachine(t, address, "lap")
	b.now = b.now.Add(time.Hour) // its clock is fast
	a.say("cpu-one", "the otter swims")
	b.say("cpu-two", "the otter sleeps")
	a.say("cpu-one", "an otter eats")
	b.say("cpu-two", "no otter here")
	a.finds("otter", "an otter eats, no otter here @lap, the otter sleeps @lap, the otter swims")
	b.finds("otter", "an otter eats @desk, no otter here, the otter sleeps, the otter swims @desk")

	a.edit("cpu-one", "swims", "dives") // an edit
	b.finds("dives", "the otter dives @desk")
	b.finds("swims", "")
	if err := os.Rename(a.file("cpu-one"), strings.Replace(a.file("cpu-one"), ".md", "-otters.md", 1)); err != nil { // another name
		t.Fatal(err)
	}
	a.sync()
	b.finds("dives eats", "an otter eats @desk, the otter dives @desk")
	backup, err := os.ReadFile(b.file("cpu-two"))
	if err != nil {
		t.Fatal(err)
	}
	b.say("cpu-two", "the last otter")
	a.finds("last otter", "an otter eats, no otter here @lap, the last otter @lap, the otter dives, the otter sleeps @lap")
	if err := os.WriteFile(b.file("cpu-two"), backup, 0o600); err != nil { // a backup is restored
		t.Fatal(err)
	}
	b.sync()
	a.finds("otter last sleeps", "an otter eats, no otter here @lap, the otter dives, the otter sleeps @lap")
	if err := os.Remove(b.file("cpu-two")); err != nil { // a session is deleted
		t.Fatal(err)
	}
	b.sync()
	a.finds("otter", "an otter eats, the otter dives")
	if err := a.Erase(t.Context(), nil, []string{"cpu-one"}, nil); err != nil { // and one forgotten
		t.Fatal(err)
	}
	for _, word := range []string{"dives", "eats", "sleeps", "last"} {
		if left := holding(t, address, word); left != nil {
			t.Errorf("%s is left in %v", word, left)
		}
	}
}

func TestPrivateSessionsNeverReachTheServer(t *testing.T) {
	address := recalltest.SharedPostgres(t).Database(t)
	a := newMachine(t, address, "desk")
	a.say("cpu-one", "the otter swims")
	a.Store.SetPrivate("cpu-two")
	a.say("cpu-two", "the quokka smiles")
	if left := holding(t, address, "quokka"); left != nil {
		t.Errorf("a private session is in %v", left)
	}
	if left := holding(t, address, "otter"); left == nil {
		t.Error("nothing is there: this proves nothing")
	}
}
