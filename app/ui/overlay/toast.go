package overlay

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/ui/kit"
)

// Toast shows at the lower edge what was done, and offers to undo it for a while.
type Toast struct {
	widget.BaseWidget
	text     *kit.Label
	Act      *kit.Button
	also     *kit.Button // a second action, usually hidden
	do       func()
	showing  int // number of times shown: only the newest timer hides it
	box      fyne.CanvasObject
	place    fyne.CanvasObject // the area it is laid out in
	Duration time.Duration     // how long it is shown
}

// undoTime is how long a deleted session can be restored with one click.
const undoTime = 10 * time.Second

// NewToast returns a hidden toast.
func NewToast() *Toast {
	t := &Toast{Duration: undoTime, text: kit.Text("").Squeezable()}
	t.Act = kit.NewButton(kit.ButtonLink, "", t.press)
	t.Act.TextSize = kit.SizeText
	t.also = kit.NewButton(kit.ButtonLink, "", nil)
	t.also.TextSize = kit.SizeText
	t.box = container.NewStack(kit.NewSurface(kit.RoleCard, kit.RoleLine, kit.RadiusCard), kit.Inset(kit.Gap8, kit.Gap8, kit.Gap16, kit.Gap16, kit.Line(kit.Gap16, 0, t.text, t.Act, t.also)))
	t.ExtendBaseWidget(t)
	t.Hide()
	return t
}

func (t *Toast) press() {
	t.Hide()
	if t.do != nil {
		t.do()
	}
}

// show shows a text with a button, or without one if do is nil.
func (t *Toast) show(text, label string, do func()) {
	t.showing++
	t.do = do
	t.text.SetText(text)
	t.Act.SetText(label)
	t.Act.Hidden = do == nil
	t.also.Hide()
	t.Show()
	t.Refresh()
}

// width returns the width the text needs.
func (t *Toast) width() float32 {
	w := kit.MeasureText(t.text.Text, t.text.TextSize, t.text.Style).Width + 2*kit.Gap16 + 2
	for _, b := range []*kit.Button{t.Act, t.also} {
		if !b.Hidden {
			w += kit.Gap16 + b.MinSize().Width
		}
	}
	return w
}

// CreateRenderer implements fyne.Widget.
func (t *Toast) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(t.box) }

// toastLayout places the toast above the lower edge, or above what is there, as wide as
// needed.
type toastLayout struct{ above func() float32 }

func (toastLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.Size{} }
func (l toastLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	t := o[0].(*Toast)
	w, h := min(t.width(), s.Width-2*kit.Gap16), t.MinSize().Height
	t.Move(fyne.NewPos((s.Width-w)/2, s.Height-l.above()-h-kit.Gap12))
	t.Resize(fyne.NewSize(w, h))
}

// Offer shows what was done and offers to undo it, for some seconds.
func (t *Toast) Offer(text, label string, do func()) {
	t.show(text, label, do)
	t.place.Refresh()
	turn := t.showing
	time.AfterFunc(t.Duration, func() {
		kit.HostOf(t).Do(func() {
			if t.showing == turn {
				t.Hide()
			}
		})
	})
}

// AlsoOffer adds a second action to the toast shown.
func (t *Toast) AlsoOffer(label string, do func()) {
	t.also.SetText(label)
	t.also.OnTap = func() {
		t.Hide()
		do()
	}
	t.also.Show()
	t.Refresh()
	t.place.Refresh()
}

// Above returns the toast in its place: above the lower edge, or above what edge leaves.
func (t *Toast) Above(edge func() float32) fyne.CanvasObject {
	t.place = container.New(toastLayout{above: edge}, t)
	return t.place
}
