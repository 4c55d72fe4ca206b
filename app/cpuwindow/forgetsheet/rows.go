package forgetsheet

import (
	"path/filepath"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/forgotten"
)

const (
	// sheetWidth is the largest width of the sheet.
	sheetWidth float32 = 480
	// sheetRest is the height the sheet needs besides its list, and sheetLeast the least height
	// of the list.
	sheetRest, sheetLeast float32 = 240, 120
	// sheetPlaces is the largest number of places the sheet lists in a group.
	sheetPlaces = 30
	// sheetQuote is the largest length of a quoted text, in characters.
	sheetQuote = 120
)

// forgetGroup is a group of places with the same action, and its heading.
type forgetGroup struct {
	action string
	head   *prose.Text
	places []forgotten.Touched
}

// forgetGroups groups places by what happens to them, in the order they are shown. It leaves out
// places that the user may choose. done is set for a report and unset for a plan.
func forgetGroups(found []forgotten.Touched, done bool) []forgetGroup {
	by := map[string][]forgotten.Touched{}
	shipped := "shipped"
	for _, t := range found {
		switch {
		case t.Offer != "":
		case t.Final:
			by[shipped] = append(by[shipped], t)
		default:
			by[t.Action] = append(by[t.Action], t)
		}
	}
	emptied := i18n.T("Will be erased")
	if done {
		emptied = i18n.T("Erased")
	}
	var groups []forgetGroup
	for _, g := range []struct {
		action string
		head   string
		role   fyne.ThemeColorName
	}{
		{forgotten.Refused, i18n.T("Couldn't be removed"), kit.RoleWarn},
		{forgotten.Pending, i18n.T("Not done yet: happens automatically"), kit.RoleWarn},
		{forgotten.Emptied, emptied, kit.RoleText},
		{forgotten.Rebuilt, i18n.T("Summaries rewritten from what is left"), kit.RoleText},
		{forgotten.Removed, i18n.T("Removed"), kit.RoleText},
		{forgotten.Renamed, i18n.T("Files with another name"), kit.RoleText},
		{forgotten.Proposed, learntWords(false), kit.RoleText},
		{forgotten.Kept, i18n.T("Stays"), kit.RoleText},
		{shipped, i18n.T("Refused: it came with mac-stats"), kit.RoleText},
	} {
		if len(by[g.action]) > 0 {
			groups = append(groups, forgetGroup{g.action, prose.New([]prose.Run{{Text: g.head, Bold: true}}, kit.SizeText, g.role), by[g.action]})
		}
	}
	return groups
}

// learntWords returns the heading of the lessons that were learned from forgotten text.
func learntWords(atOnce bool) string {
	if atOnce {
		return i18n.T("Learnt from it: removed at once")
	}
	return i18n.T("Learnt from it: removal proposed in the inbox")
}

// groupRows returns the rows of a plan or a report.
func groupRows(groups []forgetGroup) []*column.Placed {
	var rows []*column.Placed
	for _, g := range groups {
		rows = append(rows, &column.Placed{Row: g.head, Gap: kit.Gap12})
		for _, t := range g.places[:min(len(g.places), sheetPlaces)] {
			rows = append(rows, placeRows(t, kit.Gap8)...)
		}
		if more := len(g.places) - sheetPlaces; more > 0 {
			rows = append(rows, &column.Placed{Row: prose.New([]prose.Run{{Text: i18n.Count("… and {{.N}} more", more)}}, kit.SizeSmall, kit.RoleMuted), Gap: kit.Gap4, Indent: kit.Gap8})
		}
	}
	return rows
}

// placeRows returns the rows of one place: its text, and below it what and where it is.
func placeRows(t forgotten.Touched, indent float32) []*column.Placed {
	var rows []*column.Placed
	if t.Text != "" {
		rows = append(rows, &column.Placed{Row: prose.New([]prose.Run{{Text: "“" + i18n.Shorten(t.Text, sheetQuote) + "”"}}, kit.SizeText, kit.RoleText), Gap: kit.Gap4, Indent: indent})
	}
	gap := kit.Gap4
	if len(rows) > 0 {
		gap = 0
	}
	return append(rows, &column.Placed{Row: prose.New([]prose.Run{{Text: placeMeta(t)}}, kit.SizeSmall, kit.RoleMuted), Gap: gap, Indent: indent})
}

// placeMeta returns what a place is, where and when, and the reason for its action.
func placeMeta(t forgotten.Touched) string {
	words := []string{placeName(t.Place)}
	where := t.Session
	if t.Path != "" && (where == "" || t.Action == forgotten.Refused) {
		where = filepath.Join(filepath.Base(filepath.Dir(t.Path)), filepath.Base(t.Path))
	}
	if where != "" {
		words = append(words, where)
	}
	if !t.Time.IsZero() {
		words = append(words, i18n.Moment(t.Time.Local(), time.Now()))
	}
	text := strings.Join(words, " · ")
	if t.Why != "" {
		text += ": " + t.Why
	}
	return text
}

// placeName returns the name of a kind of place.
func placeName(place string) string {
	switch place {
	case "user":
		return i18n.T("your message")
	case "assistant":
		return i18n.T("answer")
	case "agent":
		return i18n.T("sub-call")
	case "tool":
		return i18n.T("tool's result")
	case "summary":
		return i18n.T("summary")
	case "title":
		return i18n.T("title")
	case "lesson", "memory":
		return i18n.T("memory")
	case "proposal":
		return i18n.T("proposal")
	case "index":
		return i18n.T("search index")
	case "server":
		return i18n.T("memory server")
	}
	return place // rare kinds have no translated name
}

// forgetPlanRows returns the rows of a plan: what will be forgotten, and what the user may add.
func forgetPlanRows(plan *forget.Plan, chosen *forgetChoice) []*column.Placed {
	groups := forgetGroups(plan.Found, false)
	rows := groupRows(groups)
	choices := plan.Offers()
	asksLessons := placesWith(plan, forgotten.Proposed) > 0 && !plan.Selection.Lessons
	if len(choices) == 0 && !asksLessons {
		return rows
	}
	head := i18n.T("These may repeat it. Select what to forget too:")
	rows = append(rows, &column.Placed{Row: prose.New([]prose.Run{{Text: head, Bold: true}}, kit.SizeText, kit.RoleText), Gap: kit.Gap16})
	if asksLessons {
		rows = append(rows, &column.Placed{Row: column.NewChoiceRow(i18n.T("What was learnt from it, at once"), "", func(on bool) { chosen.setLessons(groups, on) }), Gap: kit.Gap8})
	}
	for _, o := range choices {
		title := "“" + i18n.Shorten(o.Text, sheetQuote) + "”"
		rows = append(rows, &column.Placed{Row: column.NewChoiceRow(title, placeMeta(o), func(on bool) { chosen.also[o.Offer] = on }), Gap: kit.Gap8})
	}
	return rows
}

func placesWith(p *forget.Plan, action string) (n int) {
	for _, t := range p.Found {
		if t.Action == action {
			n++
		}
	}
	return n
}
