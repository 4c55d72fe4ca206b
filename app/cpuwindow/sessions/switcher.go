package sessions

import (
	"cmp"
	"context"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/textfold"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wordsearch"
)

const (
	switcherWidth float32 = 560
	switcherRows  float32 = 420 // largest height of the results
	switcherHits          = 50  // largest number of conversations shown
)

// Switcher searches and switches conversations. Below its field it shows recent conversations or
// the results. It lies over the window until Esc, Enter or a click beside it.
type Switcher struct {
	*overlay.SearchCard
	rows   []*HitRow
	at     int
	host   kit.Window
	search Search
	closed func()
	stop   context.CancelFunc // ends the search in progress; nil before the first
	// looking is set while the shown results are those of an earlier query. enter is set if
	// Enter was pressed meanwhile; it opens the first result of the new query.
	looking, enter bool
	onOpen         func(h wordsearch.Hit, query string)
}

// Search holds what the switcher searches.
type Search struct {
	Finder  Finder
	Related func(ctx context.Context, query string, quick bool) ([]recall.Hit, recall.State, error)
	Infos   func() []transcript.Info // returns all sessions, newest first; called on the UI goroutine
}

// Finder finds conversations that contain every word.
type Finder interface {
	Search(ctx context.Context, query string, limit int) ([]wordsearch.Hit, error)
	Find(text, phrase string) []textfold.Mark
}

// OpenSwitcher shows the switcher with the recent conversations. It calls open with the chosen
// conversation, and closed when the switcher closes.
func OpenSwitcher(h kit.Window, search Search, open func(hit wordsearch.Hit, query string), closed func()) *Switcher {
	p := &Switcher{host: h, search: search, closed: closed}
	p.onOpen = func(hit wordsearch.Hit, query string) {
		p.Close()
		open(hit, query)
	}
	p.SearchCard = overlay.NewSearchCard("", fyne.NewSize(switcherWidth, switcherRows), p.Close)
	p.Port.Pad, p.Port.Top, p.Port.Bottom = kit.Gap8, kit.Gap4, kit.Gap8
	p.OnKey = p.key
	p.Entry.PlaceHolder = i18n.T("Search conversations")
	p.Entry.OnChanged = p.find
	p.find("")
	p.Open(h.Canvas())
	return p
}

// Close closes the switcher and ends its search.
func (p *Switcher) Close() {
	if p.stop != nil {
		p.stop()
	}
	p.host.Canvas().Overlays().Remove(p.SearchCard)
	p.closed()
	p.closed = func() {}
}

// show replaces the results and the hint. related holds related conversations, which get a heading
// if there are hits too. The selected result stays selected if it is still there.
func (p *Switcher) show(hits, related []wordsearch.Hit, hint string, now time.Time) {
	chosen, offset := wordsearch.Hit{}, p.Port.Offset
	if p.at > 0 && p.at < len(p.rows) {
		chosen = p.rows[p.at].hit
	}
	p.rows, p.at = nil, 0
	at := 0
	placed := make([]*column.Placed, 0, len(hits)+len(related)+1)
	for i, h := range append(slices.Clone(hits), related...) {
		r := newHitRow(h, now, func() { p.onOpen(h, p.Entry.Text) }, func() { p.moveTo(i) })
		p.rows = append(p.rows, r)
		if i == len(hits) && i > 0 {
			placed = append(placed, &column.Placed{Row: column.NewBoxRow(kit.Inset(kit.Gap8, 0, kit.Gap8, 0, kit.Small(i18n.T("Related")))), Gap: kit.Gap8})
		}
		placed = append(placed, &column.Placed{Row: r, Gap: 2})
		if chosen.Info.Name != "" && h.Info.Name == chosen.Info.Name && h.Block == chosen.Block {
			at = i
		}
	}
	p.Hint.SetText(hint)
	p.moveTo(at)
	p.Fill(placed)
	if at > 0 {
		p.Port.Offset = offset
		p.Port.Refresh()
	}
	if p.looking = false; p.enter {
		p.enter = false
		p.openChosen()
	}
}

// openChosen opens the selected conversation, if any.
func (p *Switcher) openChosen() {
	if len(p.rows) > 0 {
		p.onOpen(p.rows[p.at].hit, p.Entry.Text)
	}
}

func (p *Switcher) moveTo(i int) {
	if len(p.rows) == 0 {
		return
	}
	p.rows[p.at].choose(false)
	p.at = min(max(i, 0), len(p.rows)-1)
	p.rows[p.at].choose(true)
}

// key handles the keys that move in the results. It reports whether it did.
func (p *Switcher) key(k *fyne.KeyEvent) bool {
	to := p.at
	switch k.Name {
	case fyne.KeyUp:
		to--
	case fyne.KeyDown:
		to++
	case fyne.KeyPageUp:
		to -= 6
	case fyne.KeyPageDown:
		to += 6
	case fyne.KeyReturn, fyne.KeyEnter:
		if p.enter = p.looking; !p.enter {
			p.openChosen()
		}
		return true
	default:
		return false
	}
	p.enter = false
	p.moveTo(to)
	if len(p.rows) > 0 {
		p.Port.RevealRow(p.rows[p.at])
	}
	return true
}

// HitRow is a conversation that was found: title, source, time and a snippet.
type HitRow struct {
	widget.BaseWidget
	hit     wordsearch.Hit
	title   *prose.Text
	meta    *kit.Label
	snippet *prose.Text
	bg      *kit.Surface
	chosen  bool
	onTap   func()
	onPoint func() // called when the pointer moves over it
}

func newHitRow(h wordsearch.Hit, now time.Time, onTap, onPoint func()) *HitRow {
	title, marks := cmp.Or(h.Info.Title, h.Info.Name), h.TitleMarks
	if h.Info.Title == "" {
		marks = nil
	}
	if h.Info.Machine != "" {
		title = i18n.With("Conversation on {{.Machine}}", i18n.Places{"Machine": h.Info.Machine})
	}
	r := &HitRow{hit: h, bg: kit.NewSurface(kit.RoleNone, kit.RoleNone, kit.RadiusRow), onTap: onTap, onPoint: onPoint}
	r.title = prose.New(markedRuns(title, marks, kit.RoleText), kit.SizeText, kit.RoleText)
	when := h.Time
	if when.IsZero() {
		when = h.Info.Active
	}
	meta := SourceWords(h.Info.Source) + " · " + i18n.When(when, now)
	if h.Info.Archived {
		meta += i18n.T(" · archived")
	}
	if h.Blocks > 1 {
		meta += i18n.With(" · {{.Blocks}} places", i18n.Places{"Blocks": h.Blocks})
	}
	r.meta = kit.Small(meta)
	if h.Snippet != "" {
		r.snippet = prose.New(markedRuns(h.Snippet, h.Marks, kit.RoleMuted), kit.SizeSmall, kit.RoleMuted)
	}
	r.ExtendBaseWidget(r)
	return r
}

// markedRuns returns text in a role, with the marks in the accent colour.
func markedRuns(text string, marks []textfold.Mark, role fyne.ThemeColorName) []prose.Run {
	var runs []prose.Run
	at := 0
	for _, m := range marks {
		if m.From > at {
			runs = append(runs, prose.Run{Text: text[at:m.From], Role: role})
		}
		runs = append(runs, prose.Run{Text: text[m.From:m.To], Role: kit.RoleAccent, Bold: true})
		at = m.To
	}
	if at < len(text) || runs == nil {
		runs = append(runs, prose.Run{Text: text[at:], Role: role})
	}
	return runs
}

// Measure implements kit.Row.
func (r *HitRow) Measure(width float32) float32 {
	h := r.title.Measure(width-2*kit.Gap8) + 16 + 12
	if r.snippet != nil {
		h += r.snippet.Measure(width-2*kit.Gap8) + 2
	}
	return h
}

func (r *HitRow) choose(on bool) {
	r.chosen = on
	fill := kit.RoleNone
	if on {
		fill = kit.RoleAccentSoft
	}
	r.bg.Set(fill, kit.RoleNone)
}

// Tapped implements fyne.Tappable.
func (r *HitRow) Tapped(*fyne.PointEvent) { r.onTap() }

// MouseIn implements desktop.Hoverable.
func (r *HitRow) MouseIn(*desktop.MouseEvent) {}

// MouseMoved implements desktop.Hoverable. It selects the row under the pointer.
func (r *HitRow) MouseMoved(*desktop.MouseEvent) {
	if !r.chosen {
		r.onPoint()
	}
}

// MouseOut implements desktop.Hoverable.
func (r *HitRow) MouseOut() {}

// CreateRenderer implements fyne.Widget.
func (r *HitRow) CreateRenderer() fyne.WidgetRenderer {
	parts := []fyne.CanvasObject{r.bg, r.title, r.meta}
	if r.snippet != nil {
		parts = append(parts, r.snippet)
	}
	return kit.NewRenderer(r, r.layOut, parts...)
}

func (r *HitRow) layOut(s fyne.Size) {
	r.bg.Resize(s)
	w, y := s.Width-2*kit.Gap8, float32(6)
	put := func(x fyne.CanvasObject, h float32) {
		x.Move(fyne.NewPos(kit.Gap8, y))
		x.Resize(fyne.NewSize(w, h))
		y += h
	}
	put(r.title, r.title.Measure(w))
	if r.snippet != nil {
		put(r.snippet, r.snippet.Measure(w))
		y += 2
	}
	put(r.meta, 16)
}

// find starts a search off the UI goroutine and ends the previous one.
func (p *Switcher) find(query string) {
	if p.stop != nil {
		p.stop()
	}
	infos := slices.Clone(p.search.Infos())
	if len([]rune(query)) == 0 {
		hits, hint := recent(infos), i18n.T("Arrow keys choose · Enter opens · Esc closes")
		if len(hits) == 0 {
			hint = i18n.T("There are no conversations yet.")
		}
		p.show(hits, nil, hint, time.Now())
		return
	}
	ctx, stop := context.WithCancel(p.host.Context())
	p.stop = stop
	p.looking, p.enter = true, false
	show := func(f found) {
		p.host.Do(func() {
			if ctx.Err() != nil {
				return
			}
			enter := p.enter && f.early // Enter waits for the final results
			p.enter = p.enter && !f.early
			p.show(f.hits, f.related, f.words(query), time.Now())
			p.looking, p.enter = f.early, enter
		})
	}
	go p.search.run(ctx, query, infos, show)
}

// recent returns the newest conversations.
func recent(infos []transcript.Info) []wordsearch.Hit {
	var out []wordsearch.Hit
	for _, in := range infos {
		if in.Err == nil && !in.Archived && len(out) < switcherHits {
			out = append(out, wordsearch.Hit{Info: in, Time: in.Active})
		}
	}
	return out
}

// words returns the hint: how much was found, and what the index lacks.
func (f found) words(query string) string {
	text := foundWords(query, len(f.hits), len(f.related), f.err)
	if f.early {
		text = i18n.T("Close matches; still looking for every word…")
	}
	if f.err == nil && f.state != "" {
		text += " · " + i18n.With("index: {{.State}}", i18n.Places{"State": f.state})
	}
	return text
}

func foundWords(query string, n, related int, err error) string {
	switch {
	case n == 0 && related > 0 && err == nil:
		return i18n.T("No exact match. Closest results:")
	case err != nil:
		return i18n.With("The conversations can't be searched: {{.Error}}", i18n.Places{"Error": err.Error()})
	case n == 0:
		return i18n.With("No conversation contains every word of “{{.Query}}”.", i18n.Places{"Query": i18n.Shorten(query, 40)})
	case n == switcherHits:
		return i18n.With("The newest {{.N}} · more words narrow it down", i18n.Places{"N": n})
	}
	return i18n.Count("{{.N}} conversations", n)
}
