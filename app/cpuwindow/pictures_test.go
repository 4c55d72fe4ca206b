package cpuwindow

import (
	"encoding/base64"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/transcript"
)

func TestAPictureInAnAnswerIsShownAndZoomed(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.sessions.files["cpu-x"] = &transcript.Transcript{Info: transcript.Info{Name: "cpu-x", Path: "/x", Title: "x"}, Blocks: []transcript.Block{
			{ID: "u1", Kind: transcript.KindUser, Text: "draw"},
			{ID: "a1", Kind: transcript.KindAssistant, Agent: "o", Model: "m", Parent: "u1", Text: "Here: ![a chart](data:image/png;base64," + base64.StdEncoding.EncodeToString(pictureBytes(t, 40, 30)) + ")\n\nand ![elsewhere](https://example.org/x.png)"},
		}}
		b.shown()
		b.w.OpenSession("cpu-x")
		b.Settle()
		var shown []*canvas.Image
		var press *kit.Tappable
		for _, o := range test.LaidOutObjects(b.w.chat.View.Object) {
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
		p, ok := b.w.win.Canvas().Overlays().Top().(*overlay.Picture)
		if !ok {
			t.Fatal("it is not shown large")
		}
		b.Sees("a chart")
		p.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		if b.w.win.Canvas().Overlays().Top() != nil {
			t.Error("Esc doesn't close it")
		}
		windowHost{b.w}.OpenLink("data:image/png;base64," + base64.StdEncoding.EncodeToString(pictureBytes(t, 4, 4))) // of its words
		b.Settle()
		if _, ok := b.w.win.Canvas().Overlays().Top().(*overlay.Picture); !ok {
			t.Error("its words don't open it")
		}
	})
}
