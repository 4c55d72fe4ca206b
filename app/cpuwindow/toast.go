package cpuwindow

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// toast says at the lower edge what was done, and offers to undo it, for a while.
type toast struct {
	widget.BaseWidget
	text *words
	act  *button
	do   func()
	turn int // of the showing: only the newest one takes itself away
	box  fyne.CanvasObject
}

// undoStays is how long a deleted session can be brought back with one press.
const undoStays = 10 * time.Second

func newToast() *toast {
	t := &toast{text: textWords("").squeezable()}
	t.act = newButton(buttonLink, "", t.press)
	t.act.size = sizeText
	t.box = container.NewStack(newSurface(roleCard, roleLine, radiusCard), inset(gap8, gap8, gap16, gap16, line(gap16, 0, t.text, t.act)))
	t.ExtendBaseWidget(t)
	t.Hide()
	return t
}

func (t *toast) press() {
	t.Hide()
	if t.do != nil {
		t.do()
	}
}

// show says text with a button; do may be nil, then there is none.
func (t *toast) show(text, label string, do func()) {
	t.turn++
	t.do = do
	t.text.SetText(text)
	t.act.SetText(label)
	t.act.Hidden = do == nil
	t.Show()
	t.Refresh()
}

// width is what the words need.
func (t *toast) width() float32 {
	w := measureText(t.text.text, t.text.size, t.text.style).Width + 2*gap16 + 2
	if !t.act.Hidden {
		w += gap16 + t.act.MinSize().Width
	}
	return w
}

// CreateRenderer implements fyne.Widget.
func (t *toast) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(t.box) }

// toastLayout keeps the toast above the lower edge, or above what is there, as wide
// as it needs to be.
type toastLayout struct{ above func() float32 }

func (toastLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.Size{} }
func (l toastLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	t := o[0].(*toast)
	w, h := min(t.width(), s.Width-2*gap16), t.MinSize().Height
	t.Move(fyne.NewPos((s.Width-w)/2, s.Height-l.above()-h-gap12))
	t.Resize(fyne.NewSize(w, h))
}

// offer shows what was done with a way to undo it, for some seconds.
func (w *Window) offer(text, label string, do func()) {
	w.toast.show(text, label, do)
	w.toastBox.Refresh()
	turn := w.toast.turn
	time.AfterFunc(w.undoStays, func() {
		w.p.Do(func() {
			if w.toast.turn == turn {
				w.toast.Hide()
			}
		})
	})
}
