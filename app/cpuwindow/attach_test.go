package cpuwindow

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/app/cpuwindow/compose"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/screentest"
	"mac-stats/app/winclip"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/transcript"
)

// stubKeeper holds in memory what the store writes to disk.
type stubKeeper struct {
	mu       sync.Mutex
	files    map[string][]byte
	settings map[string]transcript.Settings
	private  map[string]bool
	clip     []byte
	refuse   error // of SetSettings
}

func newStubKeeper() *stubKeeper {
	return &stubKeeper{files: map[string][]byte{}, settings: map[string]transcript.Settings{}, private: map[string]bool{}}
}

func (k *stubKeeper) ReadAttachment(_ string, a transcript.Attachment) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if data, ok := k.files[a.File]; ok {
		return data, nil
	}
	return nil, attach.ErrKept
}

func (k *stubKeeper) AttachmentPath(session string, a transcript.Attachment) string {
	if k.IsPrivate(session) {
		return ""
	}
	return "/data/session/files/" + a.File
}

func (k *stubKeeper) SetSettings(_ context.Context, name string, s transcript.Settings) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.refuse == nil {
		k.settings[name] = s
	}
	return k.refuse
}

func (k *stubKeeper) SetPrivate(name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.private[name] = true
}

func (k *stubKeeper) IsPrivate(name string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.private[name]
}

func (k *stubKeeper) clipImage(context.Context) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.clip == nil {
		return nil, winclip.ErrNone
	}
	return k.clip, nil
}

func pictureBytes(t testing.TB, w, h int) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = uint8(i % 251)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (b *bench) drop(paths ...string) {
	b.t.Helper()
	b.w.chat.Files.Attach(paths)
	b.Settle()
}

func chipNames(b *bench) []string {
	var names []string
	for _, o := range b.w.chat.Compose.Chips.Objects {
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
		note := b.w.chat.Compose.Note
		for _, want := range []string{"the folder holds no text files of less than 1 MB.", "gone.txt can't be attached: it isn't there any more."} {
			if note.Hidden || !strings.Contains(note.Flat, want) {
				t.Errorf("the composer says %q, not %q", note.Flat, want)
			}
		}
		test.Type(b.w.chat.Compose.Entry, "What is this?")
		b.w.chat.Compose.Submit()
		b.Settle()
		req := b.turns.requests[0]
		if req.Text != "What is this?" || len(req.Files) != 2 || req.Files[0].Name != "notes.txt" || !req.Files[1].Image {
			t.Errorf("sent %q with %d files", req.Text, len(req.Files))
		}
		if !b.w.chat.Compose.Chips.Hidden || !note.Hidden {
			t.Error("they are still beside the next message")
		}
		b.Sees("What is this?", "notes.txt")
		b.run(0).events <- agents.Event{Type: agents.EventError, Kind: fault.KindDisk, Text: "The disk is full."}
		close(b.run(0).events)
		b.Settle()
		b.w.chat.View.Act.Retry(conversation.Fault{Text: "What is this?"})
		b.Settle()
		if again := b.turns.requests[1]; len(again.Files) != 2 || again.Text != req.Text {
			t.Errorf("what never reached the disk is sent again with %d files", len(again.Files))
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
		b.w.chat.Compose.Chips.Objects[0].(*compose.Chip).Remove.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
		b.Settle()
		if diff := cmp.Diff([]string{"b.txt · 5 bytes"}, chipNames(b)); diff != "" {
			t.Error(diff)
		}
		b.w.chat.Compose.Submit() // without a word
		b.Settle()
		if req := b.turns.requests[0]; req.Text != "" || len(req.Files) != 1 {
			t.Errorf("sent %+v", req)
		}
		if b.w.chats().Shown().Title() != "b.txt" {
			t.Errorf("the chat is called %q", b.w.chats().Shown().Title())
		}
	})
}

func TestPastedLongTextAndImagesBecomeFiles(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		clip := b.w.p.App.Clipboard()
		paste := func(text string) {
			clip.SetContent(text)
			b.w.chat.Compose.Entry.TypedShortcut(&fyne.ShortcutPaste{Clipboard: clip})
			b.Settle()
		}
		paste("short")
		paste(strings.Repeat("long line\n", 1000))
		b.keeper.clip = pictureBytes(t, 4, 4)
		paste("")
		if got := b.w.chat.Compose.Entry.Text; got != "short" {
			t.Errorf("the field holds %d bytes", len(got))
		}
		got := chipNames(b)
		if len(got) != 2 || !strings.HasPrefix(got[0], "pasted ") || !strings.Contains(got[0], ".txt · 10 KB") || !strings.Contains(got[1], ".png · ") {
			t.Errorf("chips %v", got)
		}
		b.keeper.clip = nil
		paste("")
		if note := b.w.chat.Compose.Note; note.Flat != "There is no image on the clipboard." {
			t.Errorf("the composer says %q", note.Flat)
		}
	})
}

func TestAttachOpensAFileOrFolderDialog(t *testing.T) {
	for _, want := range []string{"Attach a text file, a PDF or an image", "Attach the text files of a folder"} {
		t.Run(want, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t).shown()
				t.Setenv("HOME", t.TempDir())
				b.w.chat.Compose.Attach.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
				b.Sees("File…", "Folder of text files…")
				b.focusedKey(fyne.KeyDown)
				if strings.Contains(want, "folder") {
					b.focusedKey(fyne.KeyDown)
				}
				b.focusedKey(fyne.KeyReturn)
				if b.w.chooser.open == nil {
					t.Fatal("nothing is open")
				}
				b.Sees(want)
			})
		})
	}
}

func TestFilesStayWithTheirConversation(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		file := filepath.Join(t.TempDir(), "a.txt")
		writeTo(t, file, []byte("a"))
		b.drop(file)
		first := b.w.chats().Shown()
		b.w.OpenSession("cpu-other")
		b.Settle()
		if len(chipNames(b)) != 0 {
			t.Error("another conversation has them")
		}
		b.w.OpenSession(first.Name)
		b.Settle()
		if len(chipNames(b)) != 1 {
			t.Error("they are lost")
		}
	})
}

func TestFilesOfATranscriptAreShown(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		shot := transcript.Attachment{Name: "shot.png", File: strings.Repeat("1", 64) + ".png", Image: true}
		gone := transcript.Attachment{Name: "gone.png", File: strings.Repeat("2", 64) + ".png", Image: true}
		notes := transcript.Attachment{Name: "notes.txt", File: strings.Repeat("3", 64) + ".txt"}
		b.keeper.files[shot.File] = pictureBytes(t, 900, 300)
		b.sessions.files["cpu-a"] = &transcript.Transcript{
			Info:   transcript.Info{Name: "cpu-a", Title: "Pictures", Path: "/x.md"},
			Blocks: []transcript.Block{{ID: "1", Kind: transcript.KindUser, Text: transcript.WithLinks("Look at these", shot, gone, notes)}},
		}
		b.shown()
		b.w.OpenSession("cpu-a")
		b.Settle()
		b.Sees("Look at these", "notes.txt", "gone.png is missing")
		b.SeesNot("files/")
		img, ok := b.thumb(shot)
		if !ok || img.Bounds().Dx() != 480 || img.Bounds().Dy() != 160 {
			t.Errorf("the picture is %v", img)
		}
		b.w.Hide()
		if _, ok := b.thumb(shot); ok {
			t.Error("a hidden window holds pictures")
		}
	})
}

// thumb returns the thumbnail of a file of the shown session, if it is in memory.
func (b *bench) thumb(a transcript.Attachment) (img image.Image, ok bool) {
	b.w.chat.Files.Actions(b.w.chats().Shown().Name).Thumb(a, func(i image.Image, _ error) { img, ok = i, true })
	return img, ok
}

func TestAPictureIsShownBeforeItIsOnDisk(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		u, err := attach.New("shot.png", pictureBytes(t, 40, 40))
		if err != nil {
			t.Fatal(err)
		}
		picture := filepath.Join(t.TempDir(), "shot.png")
		writeText(t, picture, string(u.Data))
		b.w.chat.Files.Attach([]string{picture})
		b.Settle()
		b.w.chat.Files.DropThumbs()
		b.w.chat.Send("look")
		b.Settle()
		b.SeesNot("is missing")
		if _, ok := b.thumb(u.Attachment()); !ok {
			t.Error("no picture was made")
		}
		b.run(0).events <- agents.Event{Type: agents.EventState, State: agents.StateReading, Block: "1"}
		b.run(0).events <- agents.Event{Type: agents.EventDone}
		close(b.run(0).events)
		b.Settle()
		if len(b.w.chats().Shown().FilesSent()) != 0 {
			t.Error("what is on disk is kept in memory, too")
		}
	})
}

func writeTo(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestWarnsBeforeSendingATextTooLongForTheModel(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.server.models = []ollama.ModelInfo{{Name: "small:1b", MaxContext: 2048}, {Name: "large:8b", MaxContext: 131072}}
		b.shown()
		text := strings.Repeat("word ", 500)
		for model, want := range map[string]string{
			"":         "",
			"large:8b": "",
			"small:1b": "About 625 tokens: small:1b has room for about 536. Shorten it, attach it as a file, or choose a model with a larger context.",
		} {
			b.choose(b.w.chats().Shown(), transcript.Settings{Model: model})
			b.w.chat.Compose.Entry.SetText(text)
			if got := b.w.chat.Compose.Warned; got != want || b.w.chat.Compose.Note.Hidden != (want == "") {
				t.Errorf("%q: it says %q", model, got)
			}
			b.w.chat.Compose.Entry.SetText("")
			if b.w.chat.Compose.Warned != "" {
				t.Errorf("of nothing it says %q", b.w.chat.Compose.Warned)
			}
		}
		b.w.chats().Shown().Apply(agents.Event{Type: agents.EventUsage, Usage: &agents.Usage{ContextSize: 1500}})
		b.w.chat.Compose.Entry.SetText(text)
		if !strings.Contains(b.w.chat.Compose.Warned, "has room for about 125.") {
			t.Errorf("it says %q", b.w.chat.Compose.Warned)
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
		if want := "notes: 1 file left out: no text, hidden, or beyond 1 MB."; b.w.chat.Compose.Note.Flat != want {
			t.Errorf("the composer says %q, want %q", b.w.chat.Compose.Note.Flat, want)
		}
		files := b.w.chats().Shown().Attached()
		b.w.chat.Files.Actions(b.w.chats().Shown().Name).ShowLarge(files[1].Attachment())
		b.Settle()
		if p, ok := b.w.win.Canvas().Overlays().Top().(*overlay.Picture); !ok {
			t.Error("the picture is not shown large")
		} else {
			p.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		}
		if b.w.win.Canvas().Overlays().Top() != nil {
			t.Error("Esc leaves the picture there")
		}
	})
}
