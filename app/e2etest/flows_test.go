//go:build e2e

package e2etest

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"mac-stats/agents/testkit"
)

// What the window offers besides a plain chat, with keys and clicks in one program: find,
// versions, Continue, a PDF, exports, models, a setting and its Reset, imports.
func TestEveryFlowByKeysAndClicks(t *testing.T) {
	t.Parallel()
	f := startFlows(t)
	f.findsInTheChat(t)
	f.goesBetweenVersions(t)
	f.continuesACutAnswer(t)
	f.attachesAPDF(t)
	f.exports(t)
	f.pullsAModel(t)
	f.changesASettingAndResetsIt(t)
	f.imports(t)
	f.click(t, f.icon, "Quit")
	f.app.waitExit(t)
}

const (
	firstFan, secondFan = "One process keeps a core busy: the fan.", "Dust is in the fan."
	storyBegun          = "Once upon a time there was"
)

// flows is a person who knows the window.
type flows struct {
	*walk
	server *testkit.Server
}

func startFlows(t *testing.T) *flows {
	t.Helper()
	s := startScreenOf(t, walkWidth+100, walkHeight+100)
	f := &flows{walk: &walk{desk: newcomersDesk(t, s), camera: newCamera(t, s, "flows")}}
	f.ollama.Stop()
	chat := func(name string) testkit.Model {
		return testkit.Model{Name: name, ParameterSize: "8.2B", Capabilities: []string{"completion"}, ContextLength: 16384}
	}
	f.server = testkit.Start(t, testkit.Script{
		Models: []testkit.Model{chat("bench:8b")},
		Pulls:  map[string]testkit.Pull{"tiny:1b": {Model: chat("tiny:1b"), Steps: 5, Delay: 50 * time.Millisecond}},
		Rules: []testkit.Rule{
			{UserContains: "fan loud", Times: 1, Reply: testkit.Reply{Text: firstFan}},
			{UserContains: "fan loud", Reply: testkit.Reply{Text: secondFan}},
			{UserContains: "a story", Reply: testkit.Reply{Text: storyBegun, DoneReason: "length"}},
			{UserContains: "Continue where you stopped", Reply: testkit.Reply{Text: "a fan that was never heard."}},
			{Reply: testkit.Reply{Text: "So be it."}},
		},
	})
	f.host = f.server.Addr()
	for file, text := range map[string]string{
		".mac-stats/config.toml": "[session]\nauto_title = false\n",
		"Downloads/":             "",
		"aa-chatgpt.zip":         chatGPTExport,
		"ab-claude.zip":          claudeExport,
		"compost.pdf":            onePage("Twigs first, then leaves."),
	} {
		f.put(t, file, text)
	}
	f.app, f.icon = f.launch(t)
	f.click(t, f.icon, "Open CPU window")
	f.camera.aim(t, f.app.pid(), walkWidth, walkHeight)
	return f
}

// put writes a file of the person's, an export as the only part of a zip; a name ending in
// a slash is a folder.
func (f *flows) put(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(f.user, name)
	if strings.HasSuffix(name, "/") {
		path = filepath.Join(path, ".keep")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if filepath.Ext(name) != ".zip" {
		_, err = file.WriteString(text)
	} else {
		z := zip.NewWriter(file)
		defer z.Close()
		part, createErr := z.Create("conversations.json")
		if createErr != nil {
			t.Fatal(createErr)
		}
		_, err = part.Write([]byte(text))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (f *flows) findsInTheChat(t *testing.T) {
	f.asks(t, "Why is my fan loud?", 1, firstFan)
	before := f.camera.still(t)
	f.keys(t, "ctrl+f")
	f.screen.run(t, "xdotool", "type", "--delay", "15", "busy")
	f.camera.waitChange(t, before, 500, "the bar and the marks")
	f.camera.shot(t, "find")
	f.keys(t, "Escape")
	waitFor(t, patience, "the chat as it was", func() bool { return differing(lower(f.camera.still(t)), lower(before)) < 500 })
}

func (f *flows) goesBetweenVersions(t *testing.T) {
	f.keys(t, "ctrl+l", "ctrl+r")
	f.waitAnswer(t, 2, secondFan)
	f.camera.shot(t, "versions")
	f.camera.click(t, 237, 258) // ‹
	waitFor(t, patience, "the choice in the transcript", func() bool { return strings.Contains(f.transcript(t), "note=version") })
	f.camera.still(t)
	f.keys(t, "ctrl+l")
	f.asks(t, "And now?", 3, "So be it.")
	chats := asks(f.server)
	last := chats[len(chats)-1].Chat
	if !holds(*last, firstFan) || holds(*last, secondFan) {
		t.Errorf("the conversation doesn't go on with the first version: %s", roles(*last))
	}
}

func (f *flows) continuesACutAnswer(t *testing.T) {
	f.asks(t, "Tell me a story", 4, storyBegun)
	f.camera.still(t)
	f.camera.clickColour(t, accents(), 20) // Continue
	f.waitAnswer(t, 5, "never heard")
	f.camera.shot(t, "continued")
}

func (f *flows) attachesAPDF(t *testing.T) {
	id, err := strconv.ParseUint(f.camera.window, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	before := f.camera.still(t)
	files, err := startDrag(f.screen.display, filepath.Join(f.user, "compost.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	if err := files.onto(xproto.Window(id), 600, 400); err != nil {
		t.Fatal(err)
	}
	f.camera.waitChange(t, before, 500, "the PDF in the composer")
	f.asks(t, "What comes first?", 6, "So be it.")
	f.camera.shot(t, "pdf")
	chats := asks(f.server)
	if last := testkit.LastUser(*chats[len(chats)-1].Chat); !strings.Contains(last, "[page 1]") || !strings.Contains(last, "Twigs first, then leaves.") {
		t.Errorf("the model was told %q", last)
	}
}

// exports exports from the conversation's menu in the list: as markdown, which is a zip with
// the attached PDF's text, and as HTML.
func (f *flows) exports(t *testing.T) {
	for ext, down := range map[string]int{".zip": 7, ".html": 8} {
		f.screen.run(t, "xdotool", "mousemove", "--window", f.camera.window, "100", "222", "click", "3")
		f.camera.still(t)
		f.camera.shot(t, "export"+ext)
		f.keys(t, append(slices.Repeat([]string{"Down"}, down), "Return")...)
		var files []string
		waitFor(t, patience, "an export as "+ext, func() bool {
			files, _ = filepath.Glob(filepath.Join(f.user, "Downloads", "*"+ext)) // the pattern is valid
			return len(files) == 1
		})
		text := f.read(t, files[0])[0]
		if ext == ".zip" {
			text = unzipped(t, files[0])
		}
		if !strings.Contains(text, "fan loud") || !strings.Contains(text, firstFan) {
			t.Errorf("the export as %s holds\n%s", ext, text)
		}
	}
}

func (f *flows) pullsAModel(t *testing.T) {
	f.keys(t, "ctrl+5")
	f.camera.still(t)
	f.camera.click(t, 496, 331)
	f.screen.typeLine(t, "tiny:1b")
	waitFor(t, patience, "the model on the server", func() bool {
		return slices.ContainsFunc(f.server.Requests(), func(r testkit.Request) bool {
			return r.Path == "/api/pull" && strings.Contains(string(r.Raw), "tiny:1b")
		})
	})
	f.camera.shot(t, "pulled")
}

func (f *flows) changesASettingAndResetsIt(t *testing.T) {
	f.searchSettings(t, "on top")
	file := filepath.Join(f.home, "config.toml")
	f.keys(t, "Tab", "space")
	waitFor(t, patience, "the setting in the file", func() bool { return strings.Contains(f.read(t, file)[0], "on_top = true") })
	f.camera.shot(t, "changed")
	f.keys(t, "Tab", "Return") // Reset
	waitFor(t, patience, "the default in the file", func() bool { return !strings.Contains(f.read(t, file)[0], "on_top = true") })
	f.camera.shot(t, "reset")
}

// unzipped returns the transcript of an export, which has one attached file beside it.
func unzipped(t *testing.T, path string) string {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if len(z.File) != 2 || filepath.Ext(z.File[0].Name) != ".md" {
		t.Fatalf("the export holds %d files, the first %s", len(z.File), z.File[0].Name)
	}
	part, err := z.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	defer part.Close()
	text, err := io.ReadAll(part)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// imports imports an export of each of the two kinds, counting first.
func (f *flows) imports(t *testing.T) {
	for i, source := range []string{"chatgpt", "claude"} {
		f.searchSettings(t, "import")
		f.keys(t, "Tab", "Return") // Choose a file…
		f.camera.still(t)
		f.camera.click(t, 400, 193+38*(1+i)) // below the parent folder
		f.camera.shot(t, "choosing-"+source)
		f.camera.click(t, 796, 598) // Count
		f.camera.still(t)
		f.camera.shot(t, "counted-"+source)
		f.camera.click(t, 282, 384) // Import
		waitFor(t, patience, "a conversation of "+source, func() bool {
			files, err := filepath.Glob(filepath.Join(f.home, "session", "session-memory-"+source+"-*.md"))
			return err == nil && len(files) == 1
		})
		f.camera.shot(t, "imported-"+source)
	}
}

func (f *flows) searchSettings(t *testing.T, words string) {
	t.Helper()
	f.keys(t, "ctrl+comma")
	f.camera.still(t)
	f.camera.click(t, 534, 229)
	f.keys(t, "ctrl+a")
	f.screen.run(t, "xdotool", "type", "--delay", "15", words)
	f.camera.still(t)
}

const chatGPTExport = `[{"title":"Tea","create_time":1767254400.5,"current_node":"c","conversation_id":"6f1b-AA","mapping":{
 "r":{"id":"r","message":null,"parent":null,"children":["a"]},
 "a":{"id":"a","message":{"author":{"role":"user"},"create_time":1767254401,"content":{"content_type":"text","parts":["How long does green tea steep?"]}},"parent":"r","children":["c"]},
 "c":{"id":"c","message":{"author":{"role":"assistant"},"create_time":1767254405,"content":{"content_type":"text","parts":["Two minutes."]}},"parent":"a","children":[]}}}]`

const claudeExport = `[{"uuid":"0b7-ZZ","name":"Cups","created_at":"2026-01-02T08:00:00.123456Z","updated_at":"2026-01-02T08:01:00Z","chat_messages":[
 {"uuid":"1","text":"Which cup?","sender":"human","created_at":"2026-01-02T08:00:01Z"},
 {"uuid":"2","text":"The blue one.","sender":"assistant","created_at":"2026-01-02T08:00:09Z"}]}]`

// onePage returns a PDF file with a line of text.
func onePage(line string) string {
	content := "BT /F1 10 Tf 72 700 Td (" + line + ") Tj ET"
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[4 0 R]>>", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
		"<</Type/Page/Parent 2 0 R/Resources<</Font<</F1 3 0 R>>>>/Contents 5 0 R>>",
		fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content),
	}
	file, table := "%PDF-1.4\n", "0000000000 65535 f \n"
	for i, o := range objects {
		table += fmt.Sprintf("%010d 00000 n \n", len(file))
		file += fmt.Sprintf("%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	return file + fmt.Sprintf("xref\n0 %d\n%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table, len(objects)+1, len(file))
}
