package vitals

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
	"mac-stats/app/monitor"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// metricCard shows one metric on the vitals page: number, gauge, history and details. It redraws
// only what changed.
type metricCard struct {
	*column.CardRow
	title, scope *kit.Label
	num, unit    *kit.Label
	bar          *kit.Gauge
	number       *fyne.Container
	why          *prose.Text // why there is no number
	history      *chart
	summed       *kit.Label
	cores        *coreGrid
	lines        *prose.Text
}

// chartHeight is the height of the history on a card.
const chartHeight float32 = 48

func newMetricCard(ask func()) *metricCard {
	c := &metricCard{
		title: kit.Bold(""), scope: kit.Small("").Squeezable(),
		num: kit.NewLabel("", kit.RoleText, kit.SizeNumber), unit: kit.Small("").Squeezable(), bar: kit.NewGauge(88),
		why: prose.NewParagraph("", kit.RoleMuted), history: newChart(60, chartHeight, true), summed: kit.Small("").Squeezable(),
		cores: newCoreGrid(), lines: prose.New(nil, kit.SizeSmall, kit.RoleMuted),
	}
	c.num.Style.Bold = true
	c.number = kit.Line(kit.Gap4, 1, c.num, c.unit, c.bar)
	c.CardRow = column.NewCardRow(kit.RoleNone,
		kit.Line(kit.Gap8, 1, c.title, c.scope, kit.NewButton(kit.ButtonQuiet, i18n.T("Ask about this"), ask)),
		c.number, c.why, c.history, c.summed, c.cores, c.lines)
	return c
}

// set shows a metric and its history. It reports whether the height of the card may have changed.
func (c *metricCard) set(d detail, s monitor.Series, r monitor.Range) (resized bool) {
	before := c.Measure(c.Size().Width)
	there := d.number != ""
	c.title.SetText(d.label)
	c.scope.SetText(d.scope)
	c.num.Set(d.number, d.role)
	c.unit.SetText(d.unit)
	c.bar.Set(max(0, d.fraction), gaugeRole(d.role))
	why := cmp.Or(naWords(d.na), i18n.T("measuring …"))
	if d.na != "" {
		why = "n/a: " + naWords(d.na)
	}
	reword(c.why, why)
	reword(c.lines, strings.Join(d.lines, "\n"))
	resized = c.cores.set(d.cores)
	for o, shown := range map[fyne.CanvasObject]bool{
		c.number: there, c.why: !there, c.bar: there && d.fraction >= 0, c.cores: there && len(d.cores) > 1, c.lines: len(d.lines) > 0,
		c.history: there || anyPoint(s), c.summed: there || anyPoint(s),
	} {
		if o.Visible() != shown {
			resized = true
			if shown {
				o.Show()
			} else {
				o.Hide()
			}
		}
	}
	c.history.set(s.Points, d.full)
	summed, _ := summedWords(d.metric, r, s)
	c.summed.SetText(summed)
	if c.number.Size().Width > 0 { // the number may have grown
		c.number.Layout.Layout(c.number.Objects, c.number.Size())
	}
	return resized || c.Measure(c.Size().Width) != before
}

// reword replaces the text of a paragraph.
func reword(p *prose.Text, text string) {
	if p.SetRuns([]prose.Run{{Text: text}}) {
		p.Measure(p.Size().Width)
		p.Refresh()
	}
}

func gaugeRole(number fyne.ThemeColorName) fyne.ThemeColorName {
	if number == kit.RoleText {
		return kit.RoleAccent
	}
	return number
}

func anyPoint(s monitor.Series) bool {
	return slices.ContainsFunc(s.Points, func(p monitor.Point) bool { return p.OK })
}

// coreGrid shows the load of each core: up to labelledCores by a small gauge with its number and
// its share, as many side by side as fit; more of them by upright bars, whose rows begin with the
// number of their first core.
type coreGrid struct {
	widget.BaseWidget
	loads         []float64 // percent
	names, shares []*kit.Label
	bars          []*kit.Gauge
	backs, fills  []*canvas.Rectangle
	objects       []fyne.CanvasObject
}

const (
	labelledCores = 32

	coreWidth  float32 = 92
	coreHeight float32 = 18
	coreName   float32 = 18
	coreShare  float32 = 34

	barStep   float32 = 10 // from one bar to the next
	barWidth  float32 = 7
	barHeight float32 = 20
	barRow    float32 = 26
	barName   float32 = 30
	barGroup          = 8 // the bars of a row are a multiple of it
)

func newCoreGrid() *coreGrid {
	g := &coreGrid{}
	g.ExtendBaseWidget(g)
	return g
}

// set shows the load of each core in percent. It reports whether their number changed.
func (g *coreGrid) set(cores []float64) (resized bool) {
	resized = len(cores) != len(g.loads)
	if resized {
		g.names, g.shares, g.bars, g.backs, g.fills, g.objects = nil, nil, nil, nil, nil, nil
		for i := range cores {
			name := kit.NewLabel(fmt.Sprint(i+1), kit.RoleFaint, kit.SizeSmall)
			if len(cores) <= labelledCores {
				share, bar := kit.Small(""), kit.NewGauge(20)
				g.names, g.shares, g.bars = append(g.names, name), append(g.shares, share), append(g.bars, bar)
				g.objects = append(g.objects, name, bar, share)
				continue
			}
			back, fill := canvas.NewRectangle(color.Transparent), canvas.NewRectangle(color.Transparent)
			g.backs, g.fills = append(g.backs, back), append(g.fills, fill)
			g.objects = append(g.objects, back, fill)
			if i%barGroup == 0 {
				g.names, g.objects = append(g.names, name), append(g.objects, name)
			}
		}
	}
	redraw := resized
	for i, v := range cores {
		v = math.Round(v)
		if len(g.fills) > 0 {
			redraw = redraw || math.Round(g.loads[i]) != v
			continue
		}
		g.bars[i].Set(v/100, gaugeRole(level(v, warnCPU, hotCPU)))
		g.shares[i].SetText(fmt.Sprintf("%.0f %%", v))
	}
	g.loads = slices.Clone(cores)
	if redraw {
		g.Refresh()
	}
	return resized
}

// columns returns how many cores stand side by side.
func (g *coreGrid) columns(width float32) int {
	if len(g.fills) > 0 {
		return max(1, int((width-barName)/barStep)/barGroup) * barGroup
	}
	return max(1, int((width+kit.Gap12)/(coreWidth+kit.Gap12)))
}

func (g *coreGrid) Measure(width float32) float32 {
	n, height := g.columns(width), coreHeight
	if len(g.fills) > 0 {
		height = barRow
	}
	return float32((len(g.loads)+n-1)/n) * height
}

// CreateRenderer implements fyne.Widget.
func (g *coreGrid) CreateRenderer() fyne.WidgetRenderer {
	return &kit.Renderer{Widget: g, LayOut: g.layOut, Parts: func() []fyne.CanvasObject { return g.objects }}
}

func (g *coreGrid) layOut(s fyne.Size) {
	n := g.columns(s.Width)
	for i, fill := range g.fills {
		x, y := barName+float32(i%n)*barStep, float32(i/n)*barRow
		if i%barGroup == 0 {
			name := g.names[i/barGroup]
			kit.PlaceMiddle(name, 0, barName, y, barHeight)
			name.Hidden = i%n != 0
		}
		h := barHeight * float32(min(max(g.loads[i], 0), 100)/100)
		back := g.backs[i]
		back.FillColor, fill.FillColor = kit.Color(kit.RoleAccentSoft), kit.Color(gaugeRole(level(math.Round(g.loads[i]), warnCPU, hotCPU)))
		back.Move(fyne.NewPos(x, y))
		back.Resize(fyne.NewSize(barWidth, barHeight))
		fill.Move(fyne.NewPos(x, y+barHeight-h))
		fill.Resize(fyne.NewSize(barWidth, h))
	}
	w := (s.Width - float32(n-1)*kit.Gap12) / float32(n)
	for i, bar := range g.bars {
		x, y := float32(i%n)*(w+kit.Gap12), float32(i/n)*coreHeight
		kit.PlaceMiddle(g.names[i], x, coreName, y, coreHeight)
		kit.PlaceMiddle(bar, x+coreName, w-coreName-coreShare-kit.Gap4, y, coreHeight)
		kit.PlaceMiddle(g.shares[i], x+w-coreShare, coreShare, y, coreHeight)
	}
}

// pairRow shows two rows side by side if there is room, otherwise one below the other.
type pairRow struct {
	widget.BaseWidget
	left, right kit.Row
}

// pairFrom is the width from which two cards fit side by side.
const pairFrom float32 = 560

func newPairRow(left, right kit.Row) *pairRow {
	p := &pairRow{left: left, right: right}
	p.ExtendBaseWidget(p)
	return p
}

func (p *pairRow) Measure(width float32) float32 {
	if width < pairFrom {
		return p.left.Measure(width) + kit.Gap12 + p.right.Measure(width)
	}
	half := (width - kit.Gap12) / 2
	return max(p.left.Measure(half), p.right.Measure(half))
}

// CreateRenderer implements fyne.Widget.
func (p *pairRow) CreateRenderer() fyne.WidgetRenderer {
	return kit.NewRenderer(p, p.layOut, p.left, p.right)
}

func (p *pairRow) layOut(s fyne.Size) {
	half := (s.Width - kit.Gap12) / 2
	left, right, at := fyne.NewSize(half, s.Height), fyne.NewSize(half, s.Height), fyne.NewPos(half+kit.Gap12, 0)
	if s.Width < pairFrom {
		h := p.left.Measure(s.Width)
		left, right, at = fyne.NewSize(s.Width, h), fyne.NewSize(s.Width, max(0, s.Height-h-kit.Gap12)), fyne.NewPos(0, h+kit.Gap12)
	}
	p.left.Resize(left)
	p.right.Move(at)
	p.right.Resize(right)
}
