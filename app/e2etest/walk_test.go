//go:build e2e

package e2etest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"mac-stats/agents/testkit/realollama"
	"mac-stats/app/apptest"
)

// The window of the walk, in pixels, and the other sizes of its key screens.
const (
	walkWidth, walkHeight     = 900, 700
	narrowWidth, narrowHeight = 420, 900
	wideWidth, wideHeight     = 2000, 1300
	bigWidth, bigHeight       = 1800, 1300 // at 200 %
)

const (
	tableAnswer = "Your fan is loud because **one process** keeps a whole core busy.\n\n" +
		"| process | CPU | since |\n|---|---:|---|\n| mds_stores | 98 % | 10:31 |\n| browser | 12 % | 09:02 |\n\n" +
		"1. Let it finish; it takes twenty minutes\n2. Or switch it off for `Backup`:\n\n" +
		"```bash\nsudo mdutil -i off /Volumes/Backup && sudo mdutil -E /Volumes/Backup --verbose\n```\n"
	handLesson = "Vielfrass never wants more than one sentence."
)

// guide is the orchestrator's model on the walk.
var guide = realollama.Model{
	Name: "guide",
	Answers: map[string]string{
		"fan":      tableAnswer,
		"delegate": "Let me hand that on.\n\nAGENT: coder Count the lines of main.go, please.\n",
		"counted":  countedAnswer,
		"short":    shortAnswer,
		"earlier":  earlierAnswer,
		"endless":  longAnswer(),
		"lost":     "I have no rule for that message.",
	},
	Endless: []string{"endless"},
	Rules: []realollama.Rule{
		{Contains: "forty-two lines", Answer: "counted"},
		{Contains: "How many lines", Answer: "delegate"},
		{Contains: "fan loud", Answer: "fan"},
		{Contains: "be short", Answer: "short"},
		{Contains: "did we talk", Answer: "earlier"},
		{Contains: "Go on", Answer: "endless"},
	},
	Default: "lost",
}

// walk is a person who uses mac-stats for the first time.
type walk struct {
	*desk
	camera *camera
	app    *process
	icon   *apptest.Item
}

// A person's first hour with the app. `make e2e` only walks with the dark theme; `make
// walk` with the light one too.
func TestWalkThrough(t *testing.T) {
	t.Parallel()
	for _, theme := range []string{"dark", "light"} {
		t.Run(theme, func(t *testing.T) {
			s := startScreenOf(t, wideWidth+100, wideHeight+100) // with a frame around
			w := &walk{desk: newcomersDesk(t, s, guide, coder), camera: newCamera(t, s, theme)}
			w.proxy.Pace(linePace)
			w.extra = []string{"FYNE_THEME=" + theme}
			gate := newGate(t, w.proxy.Host())
			w.host = gate.address
			w.meets(t)
			w.triesTheDemo(t)
			gate.open(t)
			w.isWelcomed(t)
			w.delegates(t)
			w.stops(t)
			w.asksAgain(t)
			w.edits(t)
			w.searches(t)
			w.reads(t)
			w.editsMemory(t)
			w.looksAtVitals(t)
			w.looksAtModels(t)
			w.quitsInMidEdit(t)
		})
	}
}

// meets checks that without a model server the first start says so.
func (w *walk) meets(t *testing.T) {
	w.app, w.icon = w.launch(t)
	w.camera.aim(t, w.app.pid(), walkWidth, walkHeight)
	w.camera.shot(t, "first-run-no-server")
	for _, name := range []string{"config.toml", "agents/soul.md", "agents/memory.md"} {
		if _, err := os.Stat(filepath.Join(w.home, name)); err != nil {
			t.Errorf("after the first start: %v", err)
		}
	}
}

// triesTheDemo starts the demo from the first page with the keyboard, and leaves it for the
// app.
func (w *walk) triesTheDemo(t *testing.T) {
	w.again(t, func() { w.keys(t, "Tab", "Return") }) // from Re-check; Ollama is installed and needs no download
	w.screen.typeLine(t, "Why is my machine slow?")
	var said string
	waitFor(t, patience, "the demo's answer", func() bool {
		said = strings.Join(w.read(t, filepath.Join(w.user, "tmp", "mac-stats-demo-*", "data", "session", "session-memory-*.md")), "")
		return strings.Contains(said, "\n## Assistant · ")
	})
	if !strings.Contains(said, "\n## Agent · ") {
		t.Errorf("the demo asked no specialist:\n%s", said)
	}
	w.camera.shot(t, "demo")
	if own := w.sessions(t); len(own) > 0 {
		t.Errorf("the demo wrote into the user's folder: %q", own)
	}
	w.again(t, func() {
		w.camera.clickColour(t, warnings(), 20) // the mark of the demo
		w.keys(t, "Down", "Return")
	})
	if left, err := filepath.Glob(filepath.Join(w.user, "tmp", "mac-stats-demo-*")); err != nil || len(left) > 0 {
		t.Errorf("the demo left %v, %v", left, err)
	}
}

// isWelcomed goes through the welcome page; the server has been started meanwhile, and its
// models are small.
func (w *walk) isWelcomed(t *testing.T) {
	before := w.camera.still(t)
	w.keys(t, "Return") // Re-check has the focus
	waitFor(t, patience, "a look at the server", func() bool { return len(w.proxy.Requests()) > 0 })
	w.camera.waitChange(t, before, 500, "the server that is found")
	w.camera.shot(t, "first-run-small-model")
	w.keys(t, "Tab", "Return") // from Pull to Begin
	w.camera.shot(t, "new-chat")
}

func (w *walk) delegates(t *testing.T) {
	w.asks(t, "Why is my fan loud?", 1, "one process")
	w.camera.shot(t, "answer")
	before := len(w.proxy.Chats(t))
	w.asks(t, "How many lines has main.go?", 2, countedAnswer)
	w.camera.shot(t, "delegation")
	var expert, after []api.ChatRequest // background requests may come between them
	for _, c := range w.proxy.Chats(t)[before:] {
		if c.Model == "tiny-coder:latest" {
			expert = append(expert, c)
		} else if holds(c, expertAnswer) {
			after = append(after, c)
		}
	}
	if len(expert) != 1 || len(after) == 0 {
		t.Fatalf("the specialist was asked %d times, its answer went back %d times", len(expert), len(after))
	}
	if first := w.asked(t, "How many lines has main.go?")[0]; !holds(first, "Why is my fan loud?") || holds(expert[0], "fan") {
		t.Errorf("the requests were %s and %s", roles(first), roles(expert[0]))
	}
	if diff := cmp.Diff([]string{"system", "user"}, roleList(expert[0])); diff != "" {
		t.Errorf("the specialist was asked (-want +got):\n%s", diff)
	}
	w.sizes(t, "chat")
}

// stops stops an answer that has begun; the text so far stays.
func (w *walk) stops(t *testing.T) {
	w.screen.typeLine(t, "Go on for ever")
	w.stopWhenItWrites(t)
	w.camera.shot(t, "stopped")
	text := w.sessions(t)[0]
	if !strings.Contains(text, "tick tock and so on") {
		t.Errorf("the transcript keeps no part of the answer:\n%s", text)
	}
}

// asksAgain asks for the answer again and stops it the same way.
func (w *walk) asksAgain(t *testing.T) {
	w.keys(t, "ctrl+r")
	w.stopWhenItWrites(t)
	w.camera.shot(t, "answered-again")
	chats := w.asked(t, "Go on for ever")
	first, second := chats[len(chats)-2], chats[len(chats)-1]
	if diff := cmp.Diff(roleList(first), roleList(second)); diff != "" {
		t.Errorf("the second request is not the first one again (-first +second):\n%s", diff)
	}
	if text := w.sessions(t)[0]; strings.Count(text, "Go on for ever") != 1 || strings.Count(text, "rewind") == 0 {
		t.Errorf("the transcript holds no branch, or the message twice:\n%s", text)
	}
}

// edits edits the last message in place and sends it again.
func (w *walk) edits(t *testing.T) {
	w.keys(t, "Up")
	w.camera.shot(t, "editing")
	w.keys(t, "ctrl+a")
	w.screen.typeLine(t, "Please be short from now on.")
	waitFor(t, patience, "the answer to the edited message", func() bool {
		return strings.Contains(w.sessions(t)[0], shortAnswer)
	})
	w.camera.shot(t, "edited")
	if chat := w.lastAsked(t, "be short from now on"); holds(chat, "Go on for ever") || !holds(chat, "be short") || !holds(chat, "How many lines") {
		t.Errorf("the edited message went out as %s", roles(chat))
	}
	if text := w.sessions(t)[0]; !strings.Contains(text, "Go on for ever") {
		t.Errorf("the earlier version is gone:\n%s", text)
	}
}

// searches finds the first conversation from a second one and continues it.
func (w *walk) searches(t *testing.T) {
	w.keys(t, "ctrl+n")
	w.screen.typeLine(t, "Please be short here too.")
	waitFor(t, patience, "a second conversation", func() bool {
		all := w.sessions(t)
		return len(all) == 2 && strings.Contains(all[1], shortAnswer)
	})
	before := w.camera.still(t)
	w.keys(t, "ctrl+k")
	w.screen.run(t, "xdotool", "type", "--delay", "15", "core busy")
	w.camera.waitChange(t, before, 2000, "what was found")
	w.camera.shot(t, "search")
	w.sizes(t, "search")
	w.keys(t, "Escape")
	w.camera.resize(t, narrowWidth, narrowHeight)
	w.camera.click(t, 40, 141) // Chats
	w.camera.shot(t, "list-narrow")
	w.keys(t, "Escape")
	w.camera.resize(t, walkWidth, walkHeight)
	w.keys(t, "ctrl+k")
	w.screen.typeLine(t, "core busy")
	w.camera.shot(t, "found")
	w.asks(t, "What did we talk about?", 4, earlierAnswer)
	if chat := w.lastAsked(t, "What did we talk about?"); !holds(chat, "one process") || holds(chat, "here too") {
		t.Errorf("the conversation that goes on is not the one that was found: %s", roles(chat))
	}
}

// reads reads the transcript while somebody edits it elsewhere.
func (w *walk) reads(t *testing.T) {
	w.keys(t, "ctrl+4")
	before := w.camera.shot(t, "transcript")
	name, err := filepath.Rel(w.home, w.sessionFiles(t)[0])
	if err != nil {
		t.Fatal(err)
	}
	w.editAsVim(t, name, func(old string) string {
		return strings.Replace(old, "\nYour fan is loud", "\nA line by hand.\n\nYour fan is loud", 1)
	})
	w.camera.waitChange(t, before, 1000, "the line that was added outside")
	w.camera.shot(t, "transcript-edited")
	if text := w.sessions(t)[0]; strings.Count(text, "A line by hand.") != 1 {
		t.Errorf("the line written by hand is there %d times", strings.Count(text, "A line by hand."))
	}
}

// editsMemory edits the memory in an editor; the window shows it, and the next prompt
// contains it.
func (w *walk) editsMemory(t *testing.T) {
	w.keys(t, "ctrl+2")
	before := w.camera.shot(t, "memory")
	w.editAsVim(t, "agents/memory.md", func(old string) string { return strings.TrimRight(old, "\n") + "\n- " + handLesson + "\n" })
	w.camera.waitChange(t, before, 500, "the line that was added in an editor")
	w.camera.shot(t, "memory-edited")
	w.sizes(t, "memory")
	w.keys(t, "ctrl+l")
	w.asks(t, "Please be short, as always.", 5, shortAnswer)
	if next := w.lastAsked(t, "Please be short, as always."); !holds(next, handLesson) {
		t.Errorf("the line is not in the next prompt: %s", roles(next))
	}
	w.camera.shot(t, "memory-used")
}

func (w *walk) looksAtVitals(t *testing.T) {
	before := w.camera.still(t)
	w.camera.click(t, 100, 40)
	w.camera.waitChange(t, before, 5000, "the vitals")
	w.camera.shot(t, "vitals")
	w.sizes(t, "vitals")
}

// looksAtModels looks at the real server's models.
func (w *walk) looksAtModels(t *testing.T) {
	before := w.camera.still(t)
	w.keys(t, "ctrl+5")
	w.camera.waitChange(t, before, 5000, "the models")
	w.camera.shot(t, "models")
	w.sizes(t, "models")
	w.keys(t, "ctrl+comma")
	w.camera.shot(t, "settings")
}

// quitsInMidEdit quits from the tray; unsaved text is there at the next start.
func (w *walk) quitsInMidEdit(t *testing.T) {
	const unsaved = "Half a thought"
	w.keys(t, "ctrl+2")
	w.camera.click(t, 843, 204) // Edit
	w.keys(t, "ctrl+End")
	w.screen.run(t, "xdotool", "type", "--delay", "15", unsaved)
	w.camera.shot(t, "unsaved")
	w.click(t, w.icon, "Quit")
	w.app.waitExit(t)
	if saved := w.read(t, filepath.Join(w.home, "agents/memory.md"))[0]; strings.Contains(saved, unsaved) {
		t.Errorf("what was not saved is in the file:\n%s", saved)
	}
	w.app, w.icon = w.launch(t)
	w.click(t, w.icon, "Open CPU window")
	w.camera.aim(t, w.app.pid(), walkWidth, walkHeight)
	w.camera.shot(t, "unsaved-is-told")
	w.keys(t, "ctrl+2")
	w.camera.shot(t, "unsaved-is-back")
	w.camera.click(t, 843, 204+60)
	w.keys(t, "ctrl+s")
	waitFor(t, patience, "the edit of before in the file", func() bool {
		return strings.Contains(w.read(t, filepath.Join(w.home, "agents/memory.md"))[0], unsaved)
	})
	w.click(t, w.icon, "Quit")
	w.app.waitExit(t)
}
