//go:build e2e

package e2etest

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jezek/xgb/xproto"

	"mac-stats/agents/testkit"
)

// Files dragged from a file manager go with the next message, a text as text and a picture
// as a picture.
func TestDroppedFilesReachTheModel(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	server := testkit.Start(t, testkit.Script{
		Models: []testkit.Model{{Name: "eyes:1b", Capabilities: []string{"completion", "vision"}, ContextLength: 16384}},
		Rules:  []testkit.Rule{{Reply: testkit.Reply{Text: "Both are here."}}},
	})
	d.host = server.Addr()
	notes := filepath.Join(d.user, "Äpfel & Birnen.txt") // its address needs escapes
	if err := os.WriteFile(notes, []byte("apples, and pears"), 0o600); err != nil {
		t.Fatal(err)
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	shot := filepath.Join(d.user, "shot.png")
	if err := os.WriteFile(shot, picture.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}

	app, icon := d.launch(t)
	d.click(t, icon, "Open CPU window")
	id, err := strconv.ParseUint(d.screen.waitWindow(t, app.pid()), 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	d.screen.waitDrawn(t)
	before := d.screen.still(t)
	files, err := startDrag(d.screen.display, notes, shot)
	if err != nil {
		t.Fatal(err)
	}
	if err := files.onto(xproto.Window(id), 600, 400); err != nil {
		t.Fatal(err)
	}
	waitFor(t, patience, "the files in the window", func() bool { return differing(d.screen.picture(t), before) >= 1000 })
	d.screen.shot(t, "dropped")
	d.screen.typeLine(t, "What are these?")
	d.waitAnswer(t, 1, "Both are here.")

	chats := asks(server)
	asked := chats[0].Chat.Messages
	last := asked[len(asked)-1]
	if !strings.Contains(last.Content, "What are these?") || !strings.Contains(last.Content, "Äpfel & Birnen.txt") || !strings.Contains(last.Content, "apples, and pears") {
		t.Errorf("the model was told %q", last.Content)
	}
	if len(last.Images) != 1 || !bytes.Equal(last.Images[0], picture.Bytes()) {
		t.Errorf("the model was given %d pictures", len(last.Images))
	}
	said := d.transcript(t)
	for _, name := range []string{"Äpfel & Birnen.txt", "shot.png"} {
		if !strings.Contains(said, name) {
			t.Errorf("the transcript does not name %s:\n%s", name, said)
		}
	}
	d.click(t, icon, "Quit")
	app.waitExit(t)
}
