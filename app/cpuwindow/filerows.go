package cpuwindow

import (
	"image"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
	"mac-stats/sessionmem"
)

// chip is a file beside a message: its name, and where it can be removed a ×.
type chip struct {
	widget.BaseWidget
	bg     *surface
	name   *words
	remove *button
}

const (
	chipHeight float32 = 24
	chipMax    float32 = 260
)

func newChip(label string, onRemove func()) *chip {
	c := &chip{bg: newSurface(rolePanel, roleLine, radiusRow), name: newWords(label, roleText, sizeSmall).squeezable()}
	c.remove = newButton(buttonQuiet, "×", onRemove)
	c.remove.size = sizeText
	c.ExtendBaseWidget(c)
	return c
}

// CreateRenderer implements fyne.Widget.
func (c *chip) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(container.NewStack(c.bg, inset(0, 0, gap8, gap8, line(gap8, 0, c.name, c.remove))))
}

// MinSize implements fyne.CanvasObject: as wide as the name, up to a limit.
func (c *chip) MinSize() fyne.Size {
	w := measureText(c.name.text, c.name.size, c.name.style).Width + c.remove.MinSize().Width + 3*gap8 + 1
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
			shift = max(0, width-(x-gap8))
		}
		px := shift
		for _, obj := range o[first:to] {
			m := obj.MinSize()
			m.Width = min(m.Width, width)
			at(obj, fyne.NewPos(px, y), m)
			px += m.Width + gap8
		}
		first = to
	}
	for i, obj := range o {
		m := obj.MinSize()
		m.Width = min(m.Width, width)
		if i > first && x+m.Width > width {
			flush(i)
			x, y, tall = 0, y+tall+gap4, 0
		}
		x += m.Width + gap8
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
	thumb func(a sessionmem.Attachment, done func(image.Image, error)) // done on the UI goroutine
	open  func(a sessionmem.Attachment)
}

func newFileRow(files []sessionmem.Attachment, act fileActions) *fileRow {
	r := &fileRow{flow: &flowLayout{right: true}}
	var objects []fyne.CanvasObject
	for _, f := range files {
		if f.Image && act.thumb != nil {
			objects = append(objects, newPicture(f, act))
			continue
		}
		b := newButton(buttonPlain, f.Name, func() {
			if act.open != nil {
				act.open(f)
			}
		})
		b.size = sizeSmall
		objects = append(objects, b)
	}
	r.box = container.New(r.flow, objects...)
	r.ExtendBaseWidget(r)
	return r
}

func (r *fileRow) measure(width float32) float32 {
	r.flow.width = width
	return r.box.MinSize().Height
}

// CreateRenderer implements fyne.Widget.
func (r *fileRow) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(r.box) }

// newPicture is an image in the chat, small; pressing opens it. Until it is read,
// and where it can't be, its name stands there. It always takes the same room, so
// that nothing moves when it arrives.
func newPicture(a sessionmem.Attachment, act fileActions) fyne.CanvasObject {
	name := smallWords(a.Name).squeezable()
	name.align = fyne.TextAlignCenter
	img := canvas.NewImageFromImage(nil)
	img.FillMode, img.CornerRadius = canvas.ImageFillContain, radiusCard
	img.Hide()
	body := container.NewStack(inset(0, 0, gap8, gap8, name), inset(1, 1, 1, 1, img))
	t := newTappable(newSurface(rolePanel, roleLine, radiusCard), body, func() {
		if act.open != nil {
			act.open(a)
		}
	})
	act.thumb(a, func(m image.Image, err error) {
		switch {
		case err != nil:
			name.set(i18n.With("{{.Name}} is missing", i18n.Places{"Name": a.Name}), roleHot)
		case m != nil:
			img.Image = m
			img.Show()
			img.Refresh()
			name.Hide()
		}
	})
	return sized(t, thumbWidth, thumbHeight)
}

// userRows are a message's bubble and its files.
func (c *chatView) userRows(e *entryView, actions fyne.CanvasObject, group *shyGroup) []*placed {
	var rows []*placed
	if e.text != "" {
		rows = append(rows, &placed{row: newBubble(e.text, actions), gap: gap16, hot: group})
	}
	if len(e.files) == 0 {
		return rows
	}
	var act fileActions
	if c.act.files != nil {
		act = c.act.files(c.shown)
	}
	gap := gap16
	if len(rows) > 0 {
		gap = gap8
	}
	return append(rows, &placed{row: newFileRow(e.files, act), gap: gap})
}

// wordsOf is a message without the links to its files.
func wordsOf(b sessionmem.Block) string {
	if len(b.Attachments()) == 0 {
		return b.Text
	}
	return sessionmem.WithoutAttachments(b.Text)
}

// namesOf are the names of files in one line.
func namesOf(files []sessionmem.Attachment) string {
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// fileActions is what the files of a session's messages can do.
func (w *Window) fileActions(session string) fileActions {
	return fileActions{
		thumb: func(a sessionmem.Attachment, done func(image.Image, error)) {
			read := func() ([]byte, error) { return w.parts.keeper.ReadAttachment(session, a) }
			if c := w.convs[session]; c != nil {
				if data, ok := c.heldFile(a.File); ok {
					read = func() ([]byte, error) { return data, nil }
				}
			}
			if img, ok := w.thumbs.get(a.File); ok {
				done(img, nil)
				return
			}
			w.thumbs.load(read, a, func(img image.Image, err error) { w.p.Do(func() { done(img, err) }) })
		},
		open: func(a sessionmem.Attachment) {
			path := w.parts.keeper.AttachmentPath(session, a)
			if path == "" {
				w.tell(i18n.With("{{.Name}} is in memory only", i18n.Places{"Name": a.Name}), i18n.T("Nothing of a private chat is written, so no other program can open it."))
				return
			}
			go func() {
				if _, err := w.parts.keeper.ReadAttachment(session, a); err != nil {
					w.p.Do(func() { w.tell(capital(err.Error()), "") })
					return
				}
				w.openFile(path)
			}()
		},
	}
}
