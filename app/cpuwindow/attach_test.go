package cpuwindow

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"strings"
	"sync"
	"testing"

	"fyne.io/fyne/v2"

	"mac-stats/app/cpuwindow/clipimage"
	"mac-stats/app/ui/screentest"
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
		return nil, clipimage.ErrNone
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
