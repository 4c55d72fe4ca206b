package backend

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents"
	"mac-stats/agents/testkit"
	"mac-stats/sessionmem/attach"
)

// eager returns a scripted model that asks to remember something in each turn and each
// summary.
func eager(t *testing.T) *testkit.Server {
	t.Helper()
	asked := func(req api.ChatRequest) bool {
		return !slices.ContainsFunc(req.Messages, func(m api.Message) bool { return m.Role == "assistant" && strings.Contains(m.Content, "MEMORY_APPEND") })
	}
	s := testkit.New(testkit.Script{
		Models: []testkit.Model{{Name: "tiny:1b", ParameterSize: "1B", Capabilities: []string{"completion"}}},
		Rules: []testkit.Rule{
			{Task: "You compress a conversation", Reply: testkit.Reply{
				Text: `{"context": "They spoke of xyzzy.", "lessons": [{"text": "The user likes xyzzy tea.", "confidence": 0.9}], "people": [{"who": "Xyzzy", "fact": "sells tea", "confidence": 0.9}]}`,
			}},
			{When: asked, Reply: testkit.Reply{Text: "MEMORY_APPEND: The user likes xyzzy tea.\n"}},
			{Reply: testkit.Reply{Text: "Yes, xyzzy."}},
		},
	})
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// No file of the data, cache or runtime folder reveals a private chat, whatever happens in
// it: a file is attached, the model asks to remember something, it is summarised after
// turns, periodically and on request.
func TestAPrivateChatIsSummarisedWithoutLessons(t *testing.T) {
	for _, tt := range []struct{ name, setting, value string }{
		{"a private chat", "", ""},
		{"a private chat, memory.write = ask", "MAC_STATS_MEMORY_WRITE", "ask"},
		{"session.in_memory_only", "MAC_STATS_SESSION_IN_MEMORY_ONLY", "true"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			b := open(t, Options{Environ: environ(dir, "OLLAMA_HOST="+eager(t).Addr(), "DEBUG=", tt.setting+"="+tt.value), Watch: true})
			if tt.value != "true" {
				b.Store.SetPrivate("cpu-p")
			}
			file, err := attach.New(t.Context(), "xyzzy.txt", []byte("what xyzzy costs"))
			if err != nil {
				t.Fatal(err)
			}
			for i := range 5 {
				req := agents.Request{Session: "cpu-p", Text: "I like xyzzy tea."}
				if i == 0 {
					req.Files = []attach.File{file}
				}
				if _, err := b.Engine.Start(t.Context(), req).Wait(); err != nil {
					t.Fatal(err)
				}
			}
			awaitSummary(t, b)
			if err := b.Compaction.Pass(t.Context()); err != nil {
				t.Error(err)
			}
			snap, _, err := b.Compaction.Snapshot(t.Context(), "cpu-p", "")
			if err != nil {
				t.Fatal(err)
			}
			if done, err := b.Compaction.Compact(t.Context(), snap, 2); err != nil || len(done.Lessons.Written) > 0 {
				t.Errorf("by hand: %+v, %v", done.Lessons, err)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			expectSilence(t, dir, "xyzzy", "cpu-p")
		})
	}
}

// awaitSummary waits for the summary that follows an answer.
func awaitSummary(t *testing.T, b *Backend) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		window, err := b.Store.Context(t.Context(), "cpu-p")
		if err != nil {
			t.Fatal(err)
		}
		if window.Summary != nil && strings.Contains(window.Summary.Text, "xyzzy") {
			return
		}
	}
	t.Fatal("nothing was summarised")
}

// expectSilence fails the test if a file below dir contains one of the words in its text or
// its path, in any case.
func expectSilence(t *testing.T, dir string, words ...string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		data = append(bytes.ToLower(data), strings.ToLower(path)...)
		for _, w := range words {
			if bytes.Contains(data, []byte(w)) {
				t.Errorf("%s tells of %s", path, w)
			}
		}
		return err
	})
	if err != nil || files < 3 {
		t.Errorf("%d files read, %v", files, err)
	}
}
