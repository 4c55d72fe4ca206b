package discord_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"mac-stats/agents/testkit"
	"mac-stats/app/apptest"
)

// picture returns a small PNG.
func picture(t *testing.T) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 6, 4))
	img.Set(2, 1, color.RGBA{R: 200, A: 255})
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func (r *rig) attach(text string, files ...apptest.Attachment) {
	r.fake.Say(apptest.Message{Channel: general, Author: anna, Text: text, Mentions: []apptest.User{luna}, Attachments: files})
}

func TestTextAndImagesReachTheModel(t *testing.T) {
	t.Parallel()
	r := start(t, options{})
	r.attach("look at these",
		apptest.Attachment{Name: "notes.txt", Type: "text/plain", Data: []byte("the notes of Anna")},
		apptest.Attachment{Name: "cat.png", Type: "image/png", Data: picture(t)})
	if got := r.answered(general, 1)[0].Text; got != "the answer" {
		t.Errorf("it said %q", got)
	}
	chat := r.lastChat()
	inOrder(t, sent(chat), "look at these", "the notes of Anna")
	last := chat.Messages[len(chat.Messages)-1]
	if len(last.Images) != 1 {
		t.Fatalf("the model was sent %d images, want 1", len(last.Images))
	}
	got, err := png.Decode(bytes.NewReader(last.Images[0]))
	if err != nil {
		t.Fatal(err)
	}
	if red, _, _, _ := got.At(2, 1).RGBA(); got.Bounds().Dx() != 6 || got.Bounds().Dy() != 4 || red>>8 != 200 {
		t.Errorf("the image is another: %v", got.Bounds())
	}
}

func TestImagesGoToAModelWithVision(t *testing.T) {
	t.Parallel()
	blind := testkit.Model{Name: "qwen3:8b", ParameterSize: "8B", Capabilities: []string{"completion"}, ContextLength: 16384}
	seeing := testkit.Model{Name: "llava:7b", ParameterSize: "7B", Capabilities: []string{"completion", "vision"}, ContextLength: 16384}
	tests := map[string]struct {
		models []testkit.Model
		reply  string
		asked  string
	}{
		"given one beside the usual": {[]testkit.Model{blind, seeing}, "the answer", "llava:7b"},
		"given none":                 {[]testkit.Model{blind}, "I can't look at images with the model I have here.", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, options{
				script:   testkit.Script{Models: tt.models},
				channels: openToAll + "model = \"qwen3:8b\"\n",
			})
			r.attach("what is it?", apptest.Attachment{Name: "cat.png", Type: "image/png", Data: picture(t)})
			if got := r.answered(general, 1)[0].Text; got != tt.reply {
				t.Errorf("it said %q, want %q", got, tt.reply)
			}
			asked := ""
			for _, c := range r.model.Chats() {
				asked += c.Chat.Model
			}
			if asked != tt.asked {
				t.Errorf("asked %q, want %q", asked, tt.asked)
			}
		})
	}
}

func TestUnusableFilesAreNamed(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		file  apptest.Attachment
		reply string
	}{
		"given a broken image":      {apptest.Attachment{Name: "broken.png", Type: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}, "broken.png can't be attached: the image is damaged"},
		"given neither of the two":  {apptest.Attachment{Name: "tool.exe", Type: "application/octet-stream", Data: []byte{0, 1, 2, 3, 0xff}}, "tool.exe can't be attached: it is neither text nor"},
		"given one that is too big": {apptest.Attachment{Name: "huge.txt", Type: "text/plain", Data: bytes.Repeat([]byte("all work "), 12<<20/9)}, "huge.txt is too large"},
		"given too much text":       {apptest.Attachment{Name: "long.txt", Type: "text/plain", Data: bytes.Repeat([]byte("all work "), 2<<20/9)}, "long.txt can't be attached: it has"},
		"given an empty one":        {apptest.Attachment{Name: "empty.txt", Type: "text/plain"}, "empty.txt can't be attached: it is empty"},
		"given a name with signs":   {apptest.Attachment{Name: "../../**@every`one**\n.bin", Data: []byte{0, 0xff}}, `\*\*@every`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, options{})
			r.attach("look", apptest.Attachment{Name: "notes.txt", Type: "text/plain", Data: []byte("the notes of Anna")}, tt.file)
			got := r.answered(general, 1)[0].Text
			if !strings.HasPrefix(got, "the answer\n\n(") || !strings.Contains(got, tt.reply) {
				t.Errorf("it said %q, want the answer and %q", got, tt.reply)
			}
			text := sent(r.lastChat())
			inOrder(t, text, "look", "the notes of Anna") // usable files are used
			if name != "given a name with signs" {
				inOrder(t, text, tt.reply)
			}
			tr, err := r.store.Load(t.Context(), "discord-"+general)
			if err != nil {
				t.Fatal(err)
			}
			if answer := tr.Blocks[len(tr.Blocks)-1].Text; answer != "the answer" {
				t.Errorf("the transcript's answer is %q, want the model's words alone", answer)
			}
		})
	}
}
