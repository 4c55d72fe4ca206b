package cpuwindow

import (
	"image"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem/transcript"
)

// chip is a file beside a message: its name, and where it can be removed a ×.
type chip struct {
	widget.BaseWidget
	bg     *kit.Surface
	name   *kit.Label
	remove *kit.Button
}

const (
	chipHeight float32 = 24
	chipMax    float32 = 260
)

func newChip(label string, onRemove func()) *chip {
	c := &chip{bg: kit.NewSurface(kit.RolePanel, kit.RoleLine, kit.RadiusRow), name: kit.NewLabel(label, kit.RoleText, kit.SizeSmall).Squeezable()}
	c.remove = kit.NewButton(kit.ButtonQuiet, "×", onRemove)
	c.remove.TextSize = kit.SizeText
	c.ExtendBaseWidget(c)
	return c
}

// CreateRenderer implements fyne.Widget.
func (c *chip) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(container.NewStack(c.bg, kit.Inset(0, 0, kit.Gap8, kit.Gap8, kit.Line(kit.Gap8, 0, c.name, c.remove))))
}

// MinSize implements fyne.CanvasObject: as wide as the name, up to a limit.
func (c *chip) MinSize() fyne.Size {
	w := kit.MeasureText(c.name.Text, c.name.TextSize, c.name.Style).Width + c.remove.MinSize().Width + 3*kit.Gap8 + 1
	return fyne.NewSize(min(w, chipMax), chipHeight)
}

// flowLayout puts objects side by side and on as many lines as they need.
type flowLayout struct {
	width float32 // it was laid out for
	right bool    // at the right edge
}

func (l *flowLayout) place(o []fyne.CanvasObject, width float32, at func(o fyne.CanvasObject, p fyne.Position, s fyne.Size)) float32 {
	var x, y, tall float32
	first := 0
	flush := func(to int) {
		shift := float32(0)
		if l.right {
			shift = max(0, width-(x-kit.Gap8))
		}
		px := shift
		for _, obj := range o[first:to] {
			m := obj.MinSize()
			m.Width = min(m.Width, width)
			at(obj, fyne.NewPos(px, y), m)
			px += m.Width + kit.Gap8
		}
		first = to
	}
	for i, obj := range o {
		m := obj.MinSize()
		m.Width = min(m.Width, width)
		if i > first && x+m.Width > width {
			flush(i)
			x, y, tall = 0, y+tall+kit.Gap4, 0
		}
		x += m.Width + kit.Gap8
		tall = max(tall, m.Height)
	}
	flush(len(o))
	return y + tall
}

// MinSize implements fyne.Layout.
func (l *flowLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	width := l.width
	if width <= 0 {
		width = chipMax
	}
	return fyne.NewSize(40, l.place(o, width, func(fyne.CanvasObject, fyne.Position, fyne.Size) {}))
}

// Layout implements fyne.Layout.
func (l *flowLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	l.width = s.Width
	l.place(o, s.Width, func(obj fyne.CanvasObject, p fyne.Position, m fyne.Size) {
		obj.Move(p)
		obj.Resize(m)
	})
}

// fileRow is the files of a message in the chat, below its bubble: names to open,
// small pictures of images.
type fileRow struct {
	widget.BaseWidget
	flow *flowLayout
	box  *fyne.Container
}

// fileActions is what a file in the chat can do; nil where it can't.
type fileActions struct {
	thumb func(a transcript.Attachment, done func(image.Image, error)) // done on the UI goroutine
	open  func(a transcript.Attachment)
}

func newFileRow(files []transcript.Attachment, act fileActions) *fileRow {
	r := &fileRow{flow: &flowLayout{right: true}}
	var objects []fyne.CanvasObject
	for _, f := range files {
		if f.Image && act.thumb != nil {
			objects = append(objects, newPicture(f, act))
			continue
		}
		b := kit.NewButton(kit.ButtonPlain, f.Name, func() {
			if act.open != nil {
				act.open(f)
			}
		})
		b.TextSize = kit.SizeSmall
		objects = append(objects, b)
	}
	r.box = container.New(r.flow, objects...)
	r.ExtendBaseWidget(r)
	return r
}

func (r *fileRow) Measure(width float32) float32 {
	r.flow.width = width
	return r.box.MinSize().Height
}

// CreateRenderer implements fyne.Widget.
func (r *fileRow) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(r.box) }

// newPicture is an image in the chat, small; pressing opens it. Until it is read,
// and where it can't be, its name stands there. It always takes the same room, so
// that nothing moves when it arrives.
func newPicture(a transcript.Attachment, act fileActions) fyne.CanvasObject {
	name := kit.Small(a.Name).Squeezable()
	name.Align = fyne.TextAlignCenter
	img := canvas.NewImageFromImage(nil)
	img.FillMode, img.CornerRadius = canvas.ImageFillContain, kit.RadiusCard
	img.Hide()
	body := container.NewStack(kit.Inset(0, 0, kit.Gap8, kit.Gap8, name), kit.Inset(1, 1, 1, 1, img))
	t := kit.NewTappable(kit.NewSurface(kit.RolePanel, kit.RoleLine, kit.RadiusCard), body, func() {
		if act.open != nil {
			act.open(a)
		}
	})
	act.thumb(a, func(m image.Image, err error) {
		switch {
		case err != nil:
			name.Set(i18n.With("{{.Name}} is missing", i18n.Places{"Name": a.Name}), kit.RoleHot)
		case m != nil:
			img.Image = m
			img.Show()
			img.Refresh()
			name.Hide()
		}
	})
	return kit.Sized(t, thumbWidth, thumbHeight)
}

// userRows are a message's bubble and its files.
func (c *chatView) userRows(e *conversation.EntryView, actions fyne.CanvasObject, group *kit.HoverGroup) []*kit.Placed {
	var rows []*kit.Placed
	if e.Text != "" {
		rows = append(rows, &kit.Placed{Row: newBubble(e.Text, actions), Gap: kit.Gap16, Hot: group})
	}
	if len(e.Files) == 0 {
		return rows
	}
	var act fileActions
	if c.act.files != nil {
		act = c.act.files(c.shown)
	}
	gap := kit.Gap16
	if len(rows) > 0 {
		gap = kit.Gap8
	}
	return append(rows, &kit.Placed{Row: newFileRow(e.Files, act), Gap: gap})
}

// fileActions is what the files of a session's messages can do.
func (w *Window) fileActions(session string) fileActions {
	return fileActions{
		thumb: func(a transcript.Attachment, done func(image.Image, error)) {
			read := func() ([]byte, error) { return w.parts.keeper.ReadAttachment(session, a) }
			if c := w.convs[session]; c != nil {
				if data, ok := c.HeldFile(a.File); ok {
					read = func() ([]byte, error) { return data, nil }
				}
			}
			if img, ok := w.thumbs.get(a.File); ok {
				done(img, nil)
				return
			}
			w.thumbs.load(read, a, func(img image.Image, err error) { w.p.Do(func() { done(img, err) }) })
		},
		open: func(a transcript.Attachment) {
			path := w.parts.keeper.AttachmentPath(session, a)
			if path == "" {
				w.tell(i18n.With("{{.Name}} is in memory only", i18n.Places{"Name": a.Name}), i18n.T("Nothing of a private chat is written, so no other program can open it."))
				return
			}
			go func() {
				if _, err := w.parts.keeper.ReadAttachment(session, a); err != nil {
					w.p.Do(func() { w.tell(i18n.Capital(err.Error()), "") })
					return
				}
				w.openFile(path)
			}()
		},
	}
}
