//go:build e2e

package e2etest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/app/config"
)

// What the person on the walk can do and see.

// asks types a message and waits until the first conversation has n answers that were not
// stopped, the last of which is answer.
func (w *walk) asks(t *testing.T, message string, n int, answer string) {
	t.Helper()
	w.screen.typeLine(t, message)
	waitFor(t, patience, fmt.Sprintf("answer %d: %q", n, answer), func() bool {
		all := w.sessions(t)
		return len(all) > 0 && strings.Contains(all[0][strings.LastIndex(all[0], "\n## User · ")+1:], answer) && strings.Contains(all[0], message)
	})
}

// stopWhenItWrites presses Esc as soon as an answer begins to arrive.
func (w *walk) stopWhenItWrites(t *testing.T) {
	t.Helper()
	before := strings.Count(w.sessions(t)[0], "interrupted")
	waitFor(t, patience, "the beginning of an answer", func() bool {
		files, err := filepath.Glob(filepath.Join(w.home, "session", ".partial", "*.md"))
		if err != nil || len(files) == 0 {
			return false
		}
		text, err := os.ReadFile(files[0])
		return err == nil && strings.Contains(string(text), "tick tock and so on")
	})
	w.keys(t, "Escape")
	waitFor(t, patience, "the end of the answer", func() bool {
		return strings.Count(w.sessions(t)[0], "interrupted") > before
	})
}

// sizes takes pictures of the current screen narrow, wide, and at 200 %.
func (w *walk) sizes(t *testing.T, name string) {
	t.Helper()
	w.camera.resize(t, narrowWidth, narrowHeight)
	w.camera.shot(t, name+"-420")
	w.camera.resize(t, wideWidth, wideHeight)
	w.camera.shot(t, name+"-2000")
	w.zoom(t, 200)
	w.camera.resize(t, bigWidth, bigHeight)
	w.camera.shot(t, name+"-200-percent")
	w.zoom(t, 100)
	w.camera.resize(t, walkWidth, walkHeight)
	w.camera.still(t)
}

func (w *walk) zoom(t *testing.T, percent int) {
	t.Helper()
	before := w.camera.still(t)
	if err := config.Set(filepath.Join(w.home, "config.toml"), "window.zoom", fmt.Sprint(percent)); err != nil {
		t.Fatal(err)
	}
	w.camera.waitChange(t, before, 1000, fmt.Sprintf("a zoom of %d %%", percent))
}

// again waits until press has restarted the program.
func (w *walk) again(t *testing.T, press func()) {
	t.Helper()
	before := w.panel.Registrations()
	press()
	waitFor(t, patience, "the program's next start", func() bool { return w.panel.Registrations() > before })
	w.icon = w.desk.icon(t)
	w.camera.aim(t, w.app.pid(), walkWidth, walkHeight)
}

// keys presses keys one after another.
func (w *walk) keys(t *testing.T, keys ...string) {
	t.Helper()
	w.screen.run(t, "xdotool", append([]string{"key", "--clearmodifiers", "--delay", "60"}, keys...)...)
	time.Sleep(100 * time.Millisecond)
}

// sessionFiles returns the transcripts' files, oldest first.
func (w *walk) sessionFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(w.home, "session", "session-memory-*.md"))
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(files, func(a, b string) int { return strings.Compare(w.started(t, a), w.started(t, b)) })
	return files
}

// started returns when a transcript's session began.
func (w *walk) started(t *testing.T, file string) string {
	t.Helper()
	_, rest, _ := strings.Cut(strings.Join(w.read(t, file), ""), "\nstarted: ")
	when, _, _ := strings.Cut(rest, "\n")
	return when
}

// sessions returns the transcripts, oldest first.
func (w *walk) sessions(t *testing.T) []string {
	t.Helper()
	var texts []string
	for _, file := range w.sessionFiles(t) {
		texts = append(texts, w.read(t, file)...)
	}
	return texts
}

func (w *walk) read(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil { // the demo removes its own when it ends
			texts = append(texts, string(text))
		}
	}
	return texts
}

// asked returns the requests that end with a message of the person. Others, such as those
// for a summary, may come between them.
func (w *walk) asked(t *testing.T, message string) []api.ChatRequest {
	t.Helper()
	var chats []api.ChatRequest
	for _, c := range w.proxy.Chats(t) {
		if last := c.Messages[len(c.Messages)-1]; last.Role == "user" && strings.Contains(last.Content, message) && len(c.Messages) > 2 {
			chats = append(chats, c)
		}
	}
	if len(chats) == 0 {
		t.Fatalf("no request asks %q", message)
	}
	return chats
}

func (w *walk) lastAsked(t *testing.T, message string) api.ChatRequest {
	t.Helper()
	chats := w.asked(t, message)
	return chats[len(chats)-1]
}
