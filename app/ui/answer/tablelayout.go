package answer

import (
	"fyne.io/fyne/v2"

	"mac-stats/app/ui/kit"
)

// gather collects the objects of the visible rows.
func (t *tableRow) gather() {
	t.firstVisible, t.lastVisible = t.visibleRows()
	t.objects = append(t.objects[:0], t.frame)
	for i := t.firstVisible; i < t.lastVisible; i++ {
		if i > 0 {
			t.objects = append(t.objects, t.lines[i-1])
		}
		for _, p := range t.cells[i] {
			t.objects = append(t.objects, p)
		}
	}
	if t.listed {
		for _, p := range t.names {
			t.objects = append(t.objects, p)
		}
	}
}

func (t *tableRow) layOut(s fyne.Size) {
	t.Measure(s.Width)
	t.gather()
	for _, p := range t.names {
		p.Hidden = !t.listed
	}
	for _, p := range t.cells[0] {
		p.Hidden = t.listed
	}
	if t.listed {
		t.layoutList(s)
		return
	}
	t.layoutColumns(s)
}

func (t *tableRow) layoutColumns(s fyne.Size) {
	var full float32
	for _, w := range t.widths {
		full += w + 2*kit.Gap12
	}
	full = min(full, s.Width)
	t.frame.Resize(fyne.NewSize(full, s.Height))
	y := float32(0)
	for i, cells := range t.cells {
		if i < t.firstVisible || i >= t.lastVisible {
			y += t.heights[i]
			continue
		}
		if i > 0 {
			t.lines[i-1].Move(fyne.NewPos(0, y))
			t.lines[i-1].Resize(fyne.NewSize(full, 1))
		}
		x := kit.Gap12
		for c, p := range cells {
			px := x
			if c < len(t.right) && t.right[c] {
				px += max(0, t.widths[c]-p.Widest)
			}
			p.Move(fyne.NewPos(px, y+kit.Gap4))
			p.Resize(fyne.NewSize(t.widths[c], t.heights[i]))
			x += t.widths[c] + 2*kit.Gap12
		}
		y += t.heights[i]
	}
}

func (t *tableRow) layoutList(s fyne.Size) {
	t.frame.Resize(s)
	name := t.nameWidth(s.Width)
	y, n := kit.Gap8, 0
	for i, cells := range t.cells[1:] {
		t.lines[i].Resize(fyne.Size{})
		if i > 0 {
			t.lines[i].Move(fyne.NewPos(0, y+kit.Gap8-kit.Gap4))
			t.lines[i].Resize(fyne.NewSize(s.Width, 1))
			y += kit.Gap16
		}
		for _, v := range t.namedCells(cells) {
			t.names[n].Move(fyne.NewPos(kit.Gap12, y+2))
			t.names[n].Resize(fyne.NewSize(name, t.heights[n]))
			v.Move(fyne.NewPos(kit.Gap12+name+kit.Gap12, y))
			v.Resize(fyne.NewSize(s.Width-name-3*kit.Gap12, t.heights[n]))
			y += t.heights[n] + kit.Gap4
			n++
		}
	}
}
