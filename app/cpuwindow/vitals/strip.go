package vitals

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
	"mac-stats/app/monitor"
	"mac-stats/app/ui/kit"
)

// reading is the text of one cell of the strip.
type reading struct {
	label  string
	number string // "" if there is none
	unit   string
	na     string // why there is no number
	sub    string // a second, smaller number
	paused bool   // monitoring is
	role   fyne.ThemeColorName
	metric monitor.Metric
	full   float64 // the top of the sparkline; 0 for its own maximum
}

// The values from which numbers turn amber and red.
const (
	warnCPU, hotCPU       = 80, 95
	warnMemory, hotMemory = 85, 95
	warnTemp, hotTemp     = 80, 95
	warnDisk, hotDisk     = 10e9, 2e9 // bytes free
)

// Readings returns the texts of the six cells. While monitoring is paused they have no
// numbers, because the last ones are no longer true.
func Readings(s monitor.Snapshot) []reading {
	list := []reading{cpuReading(s), memoryReading(s), gpuReading(s), temperatureReading(s), diskReading(s), networkReading(s)}
	for i := range list {
		list[i].paused = s.Paused
	}
	return list
}

func cpuReading(s monitor.Snapshot) reading {
	r := reading{label: i18n.T("CPU"), metric: monitor.CPU, full: 100, na: s.CPU.NA, role: kit.RoleText}
	if n := len(s.CPU.Cores); n > 0 {
		r.label = i18n.With("CPU · {{.Cores}}", i18n.Places{"Cores": i18n.Count("{{.N}} cores", n)})
	}
	if r.na == "" && !s.Time.IsZero() {
		r.number, r.unit = strconv.Itoa(int(math.Round(s.CPU.Percent))), "%"
		r.role = level(s.CPU.Percent, warnCPU, hotCPU)
	}
	return r
}

func memoryReading(s monitor.Snapshot) reading {
	r := reading{label: i18n.T("Memory of the machine"), metric: monitor.Memory, full: 100, na: s.Memory.NA, role: kit.RoleText}
	if r.na == "" && s.Memory.Total > 0 {
		r.number = gigabytes(s.Memory.Used)
		r.unit = i18n.With("of {{.Total}} GB", i18n.Places{"Total": WholeGigabytes(s.Memory.Total)})
		r.role = level(100*float64(s.Memory.Used)/float64(s.Memory.Total), warnMemory, hotMemory)
	}
	return r
}

func gpuReading(s monitor.Snapshot) reading {
	r := reading{label: i18n.T("GPU"), metric: monitor.GPU, full: 100, na: cmp.Or(s.GPU.NA, s.GPU.PercentNA), role: kit.RoleText}
	if r.na == "" && !s.Time.IsZero() {
		r.number, r.unit = strconv.Itoa(int(math.Round(s.GPU.Percent))), "%"
	}
	return r
}

func temperatureReading(s monitor.Snapshot) reading {
	r := reading{label: i18n.T("Temperature"), metric: monitor.Temperature, full: 110, na: strings.Replace(s.Temperature.NA, "no temperature sensor", "no sensor", 1), role: kit.RoleText}
	if r.na == "" && s.Temperature.Celsius != 0 {
		r.number, r.unit = strconv.Itoa(int(math.Round(s.Temperature.Celsius))), i18n.T("°C hottest")
		r.role = level(s.Temperature.Celsius, warnTemp, hotTemp)
	}
	return r
}

func diskReading(s monitor.Snapshot) reading {
	r := reading{label: i18n.T("Disk"), metric: monitor.Disk, na: s.Disk.NA, role: kit.RoleText}
	if r.na == "" && s.Disk.Total > 0 {
		number, unit, _ := strings.Cut(i18n.Number(monitor.Bytes(s.Disk.Free)), " ")
		r.number, r.unit = number, i18n.With("{{.Unit}} free", i18n.Places{"Unit": unit})
		r.role = level(-float64(s.Disk.Free), -warnDisk, -hotDisk)
	}
	return r
}

func networkReading(s monitor.Snapshot) reading {
	r := reading{label: i18n.T("Network"), metric: monitor.Network, na: s.Network.NA, role: kit.RoleText}
	switch names := s.Network.Interfaces; len(names) {
	case 0:
	case 1:
		r.label = i18n.With("Network · {{.Interfaces}}", i18n.Places{"Interfaces": names[0]})
	default:
		r.label = i18n.With("Network · {{.Interfaces}}", i18n.Places{"Interfaces": i18n.Count("{{.N}} interfaces", len(names))})
	}
	if r.na == "" && !s.Time.IsZero() {
		r.number, r.unit = rate(s.Network.Down)
		up, unit := rate(s.Network.Up)
		r.unit += " ↓"
		r.sub = up + " " + unit + " ↑"
	}
	return r
}

func level(v, warn, hot float64) fyne.ThemeColorName {
	switch {
	case v >= hot:
		return kit.RoleHot
	case v >= warn:
		return kit.RoleWarn
	}
	return kit.RoleText
}

// gigabytes returns bytes of memory in units of 2^30. Other sizes are in powers of ten, as on
// the labels of disks.
func gigabytes(b uint64) string { return i18n.Number(fmt.Sprintf("%.1f", float64(b)/(1<<30))) }

// WholeGigabytes returns bytes of memory in units of 2^30, without a fraction.
func WholeGigabytes(b uint64) string { return strconv.Itoa(int(math.Round(float64(b) / (1 << 30)))) }

// rate returns bytes per second with at most three digits before the point.
func rate(v float64) (number, unit string) {
	switch {
	case v >= 1e9:
		return i18n.Number(fmt.Sprintf("%.1f", v/1e9)), "GB/s"
	case v >= 1e6:
		return i18n.Number(fmt.Sprintf("%.1f", v/1e6)), "MB/s"
	case v >= 1e3:
		return fmt.Sprintf("%.0f", v/1e3), "kB/s"
	}
	return "0", "kB/s"
}

// Strip is the strip at the top of the window. Every change in it repaints the whole window, which
// is most of the cost of an open window, so small changes are drawn together.
type Strip struct {
	Cells  []*VitalCell
	layout *cellLayout
	Object *fyne.Container
	drawn  atomic.Pointer[drawnReadings]
}

// drawnReadings are what the cells show, and since when.
type drawnReadings struct {
	readings []reading
	at       time.Time
}

// smallWaits is how long small changes wait to be drawn together.
const smallWaits = 3 * time.Second

// NewStrip returns the strip. open shows a metric in detail; "" means all of them.
func NewStrip(open func(monitor.Metric)) *Strip {
	v := &Strip{layout: &cellLayout{}}
	grid := container.New(v.layout)
	for _, r := range Readings(monitor.Snapshot{}) {
		c := newVitalCell()
		c.onTap = func() { open(r.metric) }
		v.Cells = append(v.Cells, c)
		grid.Add(c)
	}
	v.Object = container.NewStack(kit.NewTappable(kit.NewSurface(kit.RolePanel, kit.RoleNone, 0), container.New(kit.TightLayout{}, grid, kit.Hairline()), func() { open("") }))
	return v
}

// Due reports whether Update would draw: at once if a reading changed noticeably, otherwise every
// smallWaits. Any goroutine may call it.
func (v *Strip) Due(rs []reading) bool {
	d := v.drawn.Load()
	return d == nil || time.Since(d.at) >= smallWaits || !slices.EqualFunc(d.readings, rs, reading.almost)
}

// Update draws all cells together if they are due.
func (v *Strip) Update(rs []reading, history func(monitor.Metric, monitor.Range) monitor.Series) {
	if !v.Due(rs) {
		return
	}
	v.drawn.Store(&drawnReadings{rs, time.Now()})
	for i, r := range rs {
		v.Cells[i].set(r, history(r.metric, monitor.FiveMinutes).Points)
	}
}

// SetNarrow lays out the strip in two rows of three cells if the window is narrow. If it is also
// low, the second row is hidden.
func (v *Strip) SetNarrow(narrow, low bool) {
	v.layout.narrow, v.layout.low = narrow, narrow && low
}

// almost reports whether two readings differ by no more than one in the last digit, or by a
// twentieth.
func (r reading) almost(other reading) bool {
	near := near(r.number, other.number) && near(r.sub, other.sub)
	r.number, r.sub = other.number, other.sub
	return near && r == other
}

// near is almost for a number with its unit.
func near(a, b string) bool {
	if a == b {
		return true
	}
	a, unit, _ := strings.Cut(a, " ")
	b, unitB, _ := strings.Cut(b, " ")
	x, err := strconv.ParseFloat(a, 64)
	y, errB := strconv.ParseFloat(b, 64)
	if err != nil || errB != nil || unit != unitB {
		return false
	}
	step := 1.0
	if strings.Contains(a, ".") || strings.Contains(b, ".") {
		step = 0.1
	}
	return math.Abs(x-y) < max(1.5*step, x/20)
}

// cellLayout places the cells side by side. Narrow windows get rows of three; windows that are
// also low get only the first row.
type cellLayout struct{ narrow, low bool }

// The heights of a cell, in a wide and in a narrow window.
const (
	CellHeight  float32 = 83
	CellCompact float32 = 60
)

func (l *cellLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	switch {
	case l.low:
		return fyne.NewSize(240, CellCompact)
	case l.narrow:
		return fyne.NewSize(240, 2*CellCompact)
	}
	return fyne.NewSize(240, CellHeight)
}

func (l *cellLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	perRow, h := len(objects), size.Height
	switch {
	case l.low:
		perRow = 3
	case l.narrow:
		perRow, h = 3, size.Height/2
	}
	w := size.Width / float32(perRow)
	for i, o := range objects {
		o.(*VitalCell).Hidden = l.low && i >= perRow
		x := float32(math.Floor(float64(w * float32(i%perRow))))
		next := float32(math.Floor(float64(w * float32(i%perRow+1))))
		o.Move(fyne.NewPos(x, h*float32(i/perRow)))
		o.Resize(fyne.NewSize(next-x, h))
		o.(*VitalCell).edge.Hidden = i%perRow == perRow-1
	}
}

// VitalCell shows label, number, unit and sparkline of one metric.
type VitalCell struct {
	widget.BaseWidget
	r     reading
	label *kit.Label
	Num   *kit.Label
	unit  *kit.Label
	sub   *kit.Label // below: a second number, or why there is no number
	spark *chart
	edge  *kit.Surface
	onTap func()
}

// Tapped implements fyne.Tappable.
func (c *VitalCell) Tapped(*fyne.PointEvent) { c.onTap() }

// Cursor implements desktop.Cursorable.
func (c *VitalCell) Cursor() desktop.Cursor { return desktop.PointerCursor }

func newVitalCell() *VitalCell {
	c := &VitalCell{label: kit.Small("").Squeezable(), Num: kit.NewLabel("", kit.RoleText, kit.SizeNumber), unit: kit.Small("").Squeezable(), sub: kit.Small("").Squeezable(), spark: newChart(64, 20, false), edge: kit.NewSurface(kit.RoleLine, kit.RoleNone, 0)}
	c.Num.Style.Bold = true
	c.ExtendBaseWidget(c)
	return c
}

func (c *VitalCell) set(r reading, history []monitor.Point) {
	if r != c.r {
		c.r = r
		c.label.SetText(r.label)
		switch {
		case r.paused:
			c.Num.Set("–", kit.RoleFaint)
			c.unit.SetText("")
			c.sub.SetText(i18n.T("paused"))
		case r.number != "":
			c.Num.Set(r.number, r.role)
			c.unit.SetText(r.unit)
			c.sub.SetText(r.sub)
		case r.na != "":
			c.Num.Set("n/a", kit.RoleFaint)
			c.unit.SetText("")
			c.sub.SetText(naWords(r.na))
		default:
			c.Num.Set("–", kit.RoleFaint)
			c.unit.SetText("")
			c.sub.SetText("")
		}
		c.Refresh()
	}
	c.spark.set(history, r.full)
}

// CreateRenderer implements fyne.Widget.
func (c *VitalCell) CreateRenderer() fyne.WidgetRenderer { return &vitalRenderer{c} }

type vitalRenderer struct{ c *VitalCell }

func (r *vitalRenderer) MinSize() fyne.Size { return fyne.NewSize(60, CellCompact) }

func (r *vitalRenderer) Layout(s fyne.Size) {
	c := r.c
	pad := float32(14)
	if s.Width < 150 {
		pad = kit.Gap8
	}
	top := float32(12)
	if s.Height < CellHeight-1 {
		top = kit.Gap8
	}
	inner := s.Width - 2*pad
	place := func(o fyne.CanvasObject, x, y, w, h float32) {
		o.Move(fyne.NewPos(x, y))
		o.Resize(fyne.NewSize(max(0, w), h))
	}
	aside := float32(0)
	if c.r.number != "" && s.Height < CellHeight-1 && c.sub.Text != "" {
		aside = kit.MeasureText(c.sub.Text, c.sub.TextSize, c.sub.Style).Width + kit.Gap4
	}
	place(c.label, pad, top, inner-aside, 16)
	numW := kit.MeasureText(c.Num.Text, kit.SizeNumber, c.Num.Style).Width
	numH := kit.MeasureText("0", kit.SizeNumber, c.Num.Style).Height
	base := top + 16
	place(c.Num, pad, base-1, numW, numH)
	unitH := kit.MeasureText("0", kit.SizeSmall, fyne.TextStyle{}).Height
	place(c.unit, pad+numW+3, base+numH-unitH-5, inner-numW-3, unitH)
	if s.Height >= CellHeight-1 {
		r.placeLower(s, pad, inner-numW-3)
	} else {
		r.placeBeside(s, pad, numW, c.unit.Position().Y)
	}
	place(c.edge, s.Width-1, 0, 1, s.Height)
}

const (
	sparkWidth float32 = 64
	sparkLeast float32 = 24 // narrower ones show nothing useful
)

// placeLower places the second number and the sparkline on the lower line of a cell that has
// room for it. The number gets its room first. A unit that doesn't fit into beside pixels next
// to its number moves there too.
func (r *vitalRenderer) placeLower(s fyne.Size, pad, beside float32) {
	c := r.c
	written := c.sub
	if c.sub.Text == "" && widthOf(c.unit) > beside {
		written = c.unit
	}
	inner := s.Width - 2*pad
	w := min(inner, widthOf(written))
	if written == c.unit || written.Text != "" {
		written.Move(fyne.NewPos(pad, s.Height-26))
		written.Resize(fyne.NewSize(max(0, w), 16))
	}
	spark := min(sparkWidth, inner-w-kit.Gap4)
	c.spark.Hidden = c.r.number == "" || spark < sparkLeast
	c.spark.Resize(fyne.NewSize(max(0, spark), 20))
	c.spark.Move(fyne.NewPos(s.Width-pad-spark, s.Height-30))
}

// placeBeside lays out a compact cell: no sparkline, and the second number beside the label. If
// there is no number, the reason takes the place of the unit.
func (r *vitalRenderer) placeBeside(s fyne.Size, pad, numW, unitY float32) {
	c := r.c
	c.spark.Hide()
	at, size := fyne.NewPos(pad+numW+kit.Gap4, unitY), fyne.NewSize(s.Width-pad-numW-kit.Gap8, c.unit.Size().Height)
	if c.r.number != "" {
		w := widthOf(c.sub)
		at, size = fyne.NewPos(s.Width-pad-w, kit.Gap8), fyne.NewSize(w, 16)
	}
	c.sub.Move(at)
	c.sub.Resize(size)
}

// widthOf returns the width of the full text of a label.
func widthOf(w *kit.Label) float32 { return kit.MeasureText(w.Text, w.TextSize, w.Style).Width + 1 }

func (r *vitalRenderer) Refresh() { r.Layout(r.c.Size()); canvas.Refresh(r.c) }
func (r *vitalRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.c.label, r.c.Num, r.c.unit, r.c.sub, r.c.spark, r.c.edge}
}
func (r *vitalRenderer) Destroy() {}
