package chatpane

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/app/cpuwindow/compose"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/transcript"
)

func chipNames(b *bench) []string {
	var names []string
	for _, o := range b.pane.Compose.Chips.Objects {
		names = append(names, o.(*compose.Chip).Name.Text)
	}
	return names
}

func TestDroppedFilesGoWithTheNextMessageOnly(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		dir := t.TempDir()
		notes, shot := filepath.Join(dir, "notes.txt"), filepath.Join(dir, "shot.png")
		writeTo(t, notes, []byte("apples"))
		writeTo(t, shot, pictureBytes(t, 4, 4))
		b.drop(notes, shot, notes, t.TempDir(), filepath.Join(dir, "gone.txt"))
		if diff := cmp.Diff([]string{"notes.txt · 6 bytes", "shot.png · 83 bytes"}, chipNames(b)); diff != "" {
			t.Error(diff)
		}
		note := b.pane.Compose.Note
		for _, want := range []string{"the folder holds no text files of less than 1 MB.", "gone.txt can't be attached: it isn't there any more."} {
			if note.Hidden || !strings.Contains(note.Flat, want) {
				t.Errorf("the composer says %q, not %q", note.Flat, want)
			}
		}
		test.Type(b.pane.Compose.Entry, "What is this?")
		b.pane.Compose.Submit()
		b.Settle()
		req := b.turns.requests[0]
		if req.Text != "What is this?" || len(req.Files) != 2 || req.Files[0].Name != "notes.txt" || !req.Files[1].Image {
			t.Errorf("sent %q with %d files", req.Text, len(req.Files))
		}
		if !b.pane.Compose.Chips.Hidden || !note.Hidden {
			t.Error("they are still beside the next message")
		}
		b.Sees("What is this?", "notes.txt")
		b.run(0).Sent <- agents.Event{Type: agents.EventError, Kind: fault.KindDisk, Text: "The disk is full."}
		close(b.run(0).Sent)
		b.Settle()
		b.pane.View.Act.Retry(conversation.Fault{Text: "What is this?"})
		b.Settle()
		if again := b.turns.requests[1]; len(again.Files) != 2 || again.Text != req.Text {
			t.Errorf("what never reached the disk is sent again with %d files", len(again.Files))
		}
	})
}

// A message that is sent while its files are being read goes with them. If one can't be read,
// it stays in the composer.
func TestAMessageWaitsForFilesThatAreBeingRead(t *testing.T) {
	for name, want := range map[string]int{"notes.txt": 1, "gone.txt": 0} {
		screentest.InBubble(t, func(t *testing.T) {
			b := newBench(t).shown()
			dir := t.TempDir()
			writeTo(t, filepath.Join(dir, "notes.txt"), []byte("apples"))
			b.pane.Files.Attach([]string{filepath.Join(dir, name)})
			test.Type(b.pane.Compose.Entry, "What is this?")
			b.pane.Compose.Submit()
			if len(b.turns.requests) != 0 {
				t.Fatalf("%s: sent before it was read", name)
			}
			b.Settle()
			if len(b.turns.requests) != want {
				t.Fatalf("%s: %d messages are sent", name, len(b.turns.requests))
			}
			if want == 1 {
				if req := b.turns.requests[0]; req.Text != "What is this?" || len(req.Files) != 1 || b.pane.Compose.Entry.Text != "" {
					t.Errorf("sent %+v", req)
				}
			} else if b.pane.Compose.Entry.Text != "What is this?" || !strings.Contains(b.pane.Compose.Note.Flat, "can't be attached") {
				t.Errorf("%q is left, and the composer says %q", b.pane.Compose.Entry.Text, b.pane.Compose.Note.Flat)
			}
		})
	}
}

// Stop and Escape end the reading of files: nothing is attached, and a message that waits for
// them stays in the composer.
func TestStopEndsTheReadingOfFiles(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.slow = true
		b.pane.Compose.Keys.OnPasteImage()
		test.Type(b.pane.Compose.Entry, "What is this?")
		b.pane.Compose.Submit()
		b.Settle()
		if !b.pane.Compose.Busy {
			t.Error("the composer shows no Stop while a file is read")
		}
		b.pane.Stop()
		b.Settle()
		if len(b.turns.requests) != 0 || len(chipNames(b)) != 0 || !b.pane.Compose.Note.Hidden || b.pane.Compose.Busy || b.pane.Compose.Entry.Text != "What is this?" {
			t.Errorf("%d messages are sent, attached are %q, the composer says %q, busy %v, and %q is left", len(b.turns.requests), chipNames(b), b.pane.Compose.Note.Flat, b.pane.Compose.Busy, b.pane.Compose.Entry.Text)
		}
		b.pane.Compose.Submit()
		b.Settle()
		if len(b.turns.requests) != 1 {
			t.Errorf("then %d messages are sent, want the one", len(b.turns.requests))
		}
	})
}

func TestAFileIsRemovedByItsChip(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		dir := t.TempDir()
		for _, name := range []string{"a.txt", "b.txt"} {
			writeTo(t, filepath.Join(dir, name), []byte(name))
			b.drop(filepath.Join(dir, name))
		}
		b.pane.Compose.Chips.Objects[0].(*compose.Chip).Remove.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
		b.Settle()
		if diff := cmp.Diff([]string{"b.txt · 5 bytes"}, chipNames(b)); diff != "" {
			t.Error(diff)
		}
		b.pane.Compose.Submit() // without a word
		b.Settle()
		if req := b.turns.requests[0]; req.Text != "" || len(req.Files) != 1 {
			t.Errorf("sent %+v", req)
		}
		if b.pane.Chats.Shown().Title() != "b.txt" {
			t.Errorf("the chat is called %q", b.pane.Chats.Shown().Title())
		}
	})
}

func TestPastedLongTextAndImagesBecomeFiles(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		clip := fyne.CurrentApp().Clipboard()
		paste := func(text string) {
			clip.SetContent(text)
			b.pane.Compose.Entry.TypedShortcut(&fyne.ShortcutPaste{Clipboard: clip})
			b.Settle()
		}
		paste("short")
		paste(strings.Repeat("long line\n", 1000))
		b.clip = pictureBytes(t, 4, 4)
		paste("")
		if got := b.pane.Compose.Entry.Text; got != "short" {
			t.Errorf("the field holds %d bytes", len(got))
		}
		got := chipNames(b)
		if len(got) != 2 || !strings.HasPrefix(got[0], "pasted ") || !strings.Contains(got[0], ".txt · 10 KB") || !strings.Contains(got[1], ".png · ") {
			t.Errorf("chips %v", got)
		}
		b.clip = nil
		paste("")
		if note := b.pane.Compose.Note; note.Flat != "There is no image on the clipboard." {
			t.Errorf("the composer says %q", note.Flat)
		}
	})
}

func TestFilesStayWithTheirConversation(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		file := filepath.Join(t.TempDir(), "a.txt")
		writeTo(t, file, []byte("a"))
		b.drop(file)
		first := b.pane.Chats.Shown()
		b.pane.OpenSession("cpu-other")
		b.Settle()
		if len(chipNames(b)) != 0 {
			t.Error("another conversation has them")
		}
		b.pane.OpenSession(first.Name)
		b.Settle()
		if len(chipNames(b)) != 1 {
			t.Error("they are lost")
		}
	})
}

func TestAPictureIsShownBeforeItIsOnDisk(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		u, err := attach.New(t.Context(), "shot.png", pictureBytes(t, 40, 40))
		if err != nil {
			t.Fatal(err)
		}
		picture := filepath.Join(t.TempDir(), "shot.png")
		writeTo(t, picture, u.Data)
		b.pane.Files.Attach([]string{picture})
		b.Settle()
		b.pane.Files.DropThumbs()
		b.pane.Send("look")
		b.Settle()
		b.SeesNot("is missing")
		if _, ok := b.thumb(u.Attachment()); !ok {
			t.Error("no picture was made")
		}
		b.run(0).Sent <- agents.Event{Type: agents.EventState, State: agents.StateReading, Block: "1"}
		b.run(0).Sent <- agents.Event{Type: agents.EventDone}
		close(b.run(0).Sent)
		b.Settle()
		if len(b.pane.Chats.Shown().FilesSent()) != 0 {
			t.Error("what is on disk is kept in memory, too")
		}
	})
}

func TestAttachedFolderAndPictureAreShownBeforeSending(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		dir := filepath.Join(t.TempDir(), "notes")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		writeTo(t, filepath.Join(dir, "a.txt"), []byte("apples"))
		writeTo(t, filepath.Join(dir, "b.md"), []byte("pears"))
		writeTo(t, filepath.Join(dir, "c.bin"), []byte{0, 1})
		shot := filepath.Join(t.TempDir(), "shot.png")
		writeTo(t, shot, pictureBytes(t, 40, 40))
		b.drop(dir, shot)
		if diff := cmp.Diff([]string{"notes · 2 files · 49 bytes", "shot.png · 497 bytes"}, chipNames(b)); diff != "" {
			t.Error(diff)
		}
		if want := "notes: 1 file left out: no text, hidden, or beyond 1 MB."; b.pane.Compose.Note.Flat != want {
			t.Errorf("the composer says %q, want %q", b.pane.Compose.Note.Flat, want)
		}
		files := b.pane.Chats.Shown().Attached()
		b.pane.Files.Actions(b.pane.Chats.Shown().Name).ShowLarge(files[1].Attachment())
		b.Settle()
		if p, ok := b.Win.Canvas().Overlays().Top().(*overlay.Picture); !ok {
			t.Error("the picture is not shown large")
		} else {
			p.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		}
		if b.Win.Canvas().Overlays().Top() != nil {
			t.Error("Esc leaves the picture there")
		}
	})
}

func TestAPictureInAnAnswerIsShownAndZoomed(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.saved("cpu-x",
			transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: "draw"},
			transcript.Block{ID: "a1", Kind: transcript.KindAssistant, Agent: "o", Model: "m", Parent: "u1", Text: "Here: ![a chart](data:image/png;base64," + base64.StdEncoding.EncodeToString(pictureBytes(t, 40, 30)) + ")\n\nand ![elsewhere](https://example.org/x.png)"})
		b.shown()
		b.pane.OpenSession("cpu-x")
		b.Settle()
		var shown []*canvas.Image
		var press *kit.Tappable
		for _, o := range test.LaidOutObjects(b.pane.View.Object) {
			switch o := o.(type) {
			case *kit.Tappable:
				press = o
			case *canvas.Image:
				if o.Visible() && o.Image != nil {
					shown = append(shown, o)
				}
			}
		}
		if len(shown) != 1 || shown[0].Image.Bounds().Dx() != 40 {
			t.Fatalf("%d pictures are shown", len(shown))
		}
		b.Sees("elsewhere")
		test.Tap(press)
		b.Settle()
		p, ok := b.Win.Canvas().Overlays().Top().(*overlay.Picture)
		if !ok {
			t.Fatal("it is not shown large")
		}
		b.Sees("a chart")
		p.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		if b.Win.Canvas().Overlays().Top() != nil {
			t.Error("Esc doesn't close it")
		}
		if b.pane.Files.ZoomLink("https://example.org/x.png") || !b.pane.Files.ZoomLink("data:image/png;base64,"+base64.StdEncoding.EncodeToString(pictureBytes(t, 4, 4))) { // of its words
			t.Error("only a picture that is here is one to show")
		}
		b.Settle()
		if _, ok := b.Win.Canvas().Overlays().Top().(*overlay.Picture); !ok {
			t.Error("its words don't open it")
		}
	})
}
