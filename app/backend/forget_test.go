package backend

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/testkit"
	"mac-stats/app/discord/botstate"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// quagga is a sentence with a word that occurs nowhere else; quaggaForms are the bytes that
// would reveal it: as typed, without case and accents, its stem, pieces of it, and base64.
const quagga = "my Quaggaflöte hides below stone 4711"

func quaggaForms() [][]byte {
	var forms [][]byte
	for _, f := range []string{"Quaggaflöte", "quaggaflöte", "QUAGGAFLÖTE", "quaggaflot", "quagg", "Quagg", "aggafl", "ggaflö", "gaflot", "UXVhZ2dh", "dWFnZ2Fm", "VhZ2dhZm"} {
		forms = append(forms, []byte(f))
	}
	return forms
}

// withQuagga returns the files below a folder that contain one of the forms.
func withQuagga(t *testing.T, dir string) (left []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		data := []byte(d.Name() + "\n")
		if d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			data = append(data, text...)
		}
		for _, form := range quaggaForms() {
			if bytes.Contains(data, form) {
				left = append(left, fmt.Sprintf("%s holds %s", path[len(dir):], form))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// quaggaServer repeats the sentence in answers, summaries, lessons and titles.
func quaggaServer(t *testing.T) *testkit.Server {
	t.Helper()
	return testkit.Start(t, testkit.Script{
		Models: []testkit.Model{
			{Name: "tiny:1b", ParameterSize: "1B", Capabilities: []string{"completion"}},
			{Name: "embed:1b", ParameterSize: "1B", Capabilities: []string{"embedding"}},
		},
		Rules: []testkit.Rule{
			{Task: "You compress a conversation", Times: 1, Reply: testkit.Reply{
				Text: `{"context":"They said that ` + quagga + `.","lessons":[{"text":"Know that ` + quagga + `","confidence":0.9}],"people":[]}`,
			}},
			{Task: "You compress a conversation", Reply: testkit.Reply{Text: `{"context":"They talked.","lessons":[],"people":[]}`}},
			{UserContains: "4711", Reply: testkit.Reply{Text: "I see, " + quagga + "."}},
			{Reply: testkit.Reply{Text: "Fine."}},
		},
	})
}

// liveWithQuagga fills a data folder with a day's work that mentions the sentence
// everywhere. It returns the ID of the first message with it.
func liveWithQuagga(t *testing.T, b *Backend) string {
	t.Helper()
	ctx := t.Context()
	file, err := attach.New(t.Context(), "flute.txt", []byte("Written down: "+quagga))
	check(t, err)
	for i := range 5 {
		req := agents.Request{Session: "cpu-day", Text: fmt.Sprintf("And what of number %d?", i)}
		if i == 0 {
			req.Text, req.Files = quagga, []attach.File{file}
		}
		_, err := b.Engine.Start(ctx, req).Wait()
		check(t, err)
	}
	awaitAnySummary(t, b, "cpu-day") // made in the background
	whole, err := b.Store.Load(ctx, "cpu-day")
	check(t, err)
	_, err = b.Store.Fork(ctx, whole, "", "cpu")
	check(t, err)
	_, err = b.Store.Append(ctx, "cpu-gone", transcript.Block{Kind: transcript.KindUser, Text: quagga})
	check(t, err)
	check(t, b.Store.Delete(ctx, "cpu-gone"))
	_, err = b.Memory.Propose(ctx, memory.Proposal{Text: "It matters: " + quagga, Session: "cpu-day"})
	check(t, err)
	check(t, b.Memory.KeepUnsaved(memory.Unsaved{Path: filepath.Join(b.Paths.Home, "agents", "memory.md"), Base: "- a\n", Text: "- a\n- " + quagga + "\n"}))
	state, err := botstate.Open(ctx, botstate.Config{File: filepath.Join(b.Paths.Home, "discord", "state.db")})
	check(t, err)
	check(t, state.Put(ctx, botstate.Message{ID: "1", Channel: "7", Role: "user", Author: "3", Name: "Ann", Text: quagga, At: time.Now()}))
	check(t, state.Close())
	for name, text := range map[string]string{
		"session/drafts.json":                 `{"format":"mac-stats-drafts/1","sessions":{"cpu-day":{"draft":"` + quagga + `, too"},"cpu-x":{"draft":"fine"}}}`,
		"session/window.json":                 `{"width":900,"height":600}`,
		"exports/day.md":                      "---\nformat: mac-stats-session/1\nsession: cpu-day\ntitle: " + quagga + "\n---\n\n## User · 2026-11-21T10:15:02+01:00\n<!-- id=" + whole.Blocks[0].ID + " -->\n\n" + quagga + "\n",
		"logs/crash-20261121-101112.txt":      "panic: " + quagga + "\n",
		"agents/.trash/agent-009/memory.md":   "- " + quagga + "\n",
		"agents/memory.sync-conflict-20.md":   "- " + quagga + "\n- kept\n",
		"../cache/unsaved-0123/cpu-day.md":    "---\nformat: mac-stats-session/1\nsession: cpu-day\n---\n\n## User · 2026-11-21T10:15:02+01:00\n<!-- id=zz -->\n\n" + quagga + "\n",
		"../cache/sessions-of-elsewhere.list": "\x00" + quagga,
	} {
		path := filepath.Join(b.Paths.Home, filepath.FromSlash(name))
		check(t, os.MkdirAll(filepath.Dir(path), 0o700))
		check(t, os.WriteFile(path, []byte(text), 0o600))
	}
	_, err = b.Store.List(ctx)
	check(t, err)
	index, err := b.Index.Recall()
	check(t, err)
	_, err = index.Sync(ctx)
	check(t, err)
	return whole.Blocks[0].ID
}

// awaitAnySummary waits until a session has a Summary.
func awaitAnySummary(t *testing.T, b *Backend, session string) {
	t.Helper()
	filetest.Until(t, "a Summary", func() bool {
		c, err := b.Store.Context(t.Context(), session)
		check(t, err)
		return c.Summary != nil
	})
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// After each kind of forgetting, no byte below the data, cache and runtime folders reveals
// the sentence: while the app runs, after it ends, and after the next start.
func TestForgettingLeavesNoByte(t *testing.T) {
	for name, selection := range map[string]func(id string) forget.Selection{
		"a chunk": func(id string) forget.Selection {
			return forget.Selection{Chunk: "cpu-day/" + id + "/0", Copies: true, Lessons: true}
		},
		"a session": func(string) forget.Selection {
			return forget.Selection{Session: "cpu-day", Copies: true, Lessons: true}
		},
		"a text": func(string) forget.Selection { return forget.Selection{Text: "QUAGGAFLOTE"} },
		"a time": func(string) forget.Selection {
			return forget.Selection{Since: time.Now().Add(-time.Hour), Copies: true, Lessons: true}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			o := Options{Environ: environ(dir, "OLLAMA_HOST="+quaggaServer(t).Addr(), "DEBUG=1"), Watch: true}
			b := open(t, o)
			id := liveWithQuagga(t, b)
			if n := len(withQuagga(t, dir)); n < 25 {
				t.Fatalf("before it, only %d places tell of it", n)
			}
			time.Sleep(time.Second) // messages of the same second are matched only by their IDs
			plan, err := b.Forgetting.ForgetPlan(t.Context(), selection(id))
			check(t, err)
			report, err := b.Forgetting.Forget(t.Context(), plan)
			check(t, err)
			for tries := 0; report.Left() > 0 && tries < 20; tries++ { // the index may be busy
				report, err = b.Forgetting.FinishForgetting(t.Context())
				check(t, err)
			}
			if report.Left() > 0 {
				t.Errorf("left: %+v", report.Found)
			}
			for _, left := range withQuagga(t, dir) {
				t.Errorf("while the app runs %s", left)
			}
			check(t, b.Close())
			for _, left := range withQuagga(t, dir) {
				t.Errorf("after its end %s", left)
			}
			b = open(t, o)
			index, err := b.Index.Recall()
			check(t, err)
			_, err = index.Rebuild(context.WithoutCancel(t.Context()))
			check(t, err)
			check(t, b.Close())
			for _, left := range withQuagga(t, dir) {
				t.Errorf("after the next start %s", left)
			}
			if left, err := os.ReadFile(filepath.Join(dir, "data", "session", "drafts.json")); err != nil || !bytes.Contains(left, []byte("fine")) {
				t.Errorf("another draft: %s %v", left, err)
			}
		})
	}
}
