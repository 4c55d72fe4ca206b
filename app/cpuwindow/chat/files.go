package chat

import (
	"image"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem/transcript"
)

// FileActions are the actions on a file in the chat; nil for those that aren't possible.
type FileActions struct {
	Thumb     func(a transcript.Attachment, done func(image.Image, error)) // calls done on the UI goroutine
	Open      func(a transcript.Attachment)
	ShowLarge func(a transcript.Attachment) // shows an image over the window
}

// newFileRow returns the files of a message, below its bubble: names to open, and
// thumbnails of images.
func newFileRow(files []transcript.Attachment, act FileActions, right bool) *kit.FlowRow {
	r := kit.NewFlowRow(kit.Gap8)
	r.Right = right
	for _, f := range files {
		if f.Image && act.Thumb != nil {
			r.Objects = append(r.Objects, newPicture(f, act))
			continue
		}
		b := kit.NewButton(kit.ButtonPlain, f.Name, func() {
			if act.Open != nil {
				act.Open(f)
			}
		})
		b.TextSize = kit.SizeSmall
		r.Objects = append(r.Objects, b)
	}
	return r
}

// newPicture returns a thumbnail of an image; a tap shows it large. The image's name stands
// in its place until it is read, and if it can't be read. Its size is fixed, so that
// nothing moves when the image arrives.
func newPicture(a transcript.Attachment, act FileActions) fyne.CanvasObject {
	name := kit.Small(a.Name).Squeezable()
	name.Align = fyne.TextAlignCenter
	img := canvas.NewImageFromImage(nil)
	img.FillMode, img.CornerRadius = canvas.ImageFillContain, kit.RadiusCard
	img.Hide()
	body := container.NewStack(kit.Inset(0, 0, kit.Gap8, kit.Gap8, name), kit.Inset(1, 1, 1, 1, img))
	t := kit.NewTappable(kit.NewSurface(kit.RolePanel, kit.RoleLine, kit.RadiusCard), body, func() {
		if act.ShowLarge != nil {
			act.ShowLarge(a)
		}
	})
	act.Thumb(a, func(m image.Image, err error) {
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

// userRows returns a message's bubble and its files.
func (r *Rows) userRows(e *conversation.EntryView, actions fyne.CanvasObject, group *kit.HoverGroup) []*column.Placed {
	var rows []*column.Placed
	if e.Text != "" {
		f := newBubble(e.Text, actions)
		rows = append(rows, &column.Placed{Row: f, Gap: kit.Gap16, Hover: group})
		if b := r.fold(f, e.Key, e.Text); b != nil {
			rows = append(rows, &column.Placed{Row: newRightRow(b), Gap: kit.Gap4})
		}
	}
	if len(e.Files) == 0 {
		return rows
	}
	var act FileActions
	if r.Act.Files != nil {
		act = r.Act.Files(r.last.Name)
	}
	gap := kit.Gap16
	if len(rows) > 0 {
		gap = kit.Gap8
	}
	return append(rows, &column.Placed{Row: newFileRow(e.Files, act, true), Gap: gap})
}
