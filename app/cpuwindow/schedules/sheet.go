package schedules

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/app/i18n"
	"mac-stats/app/schedule"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// The choices for how often, besides the values of schedule.Days.
const (
	oftenWeekly = "week"
	oftenHourly = "hour"
	oftenCron   = "cron"
)

// sheet creates or changes a schedule.
type sheet struct {
	p         *Page
	original  schedule.Schedule // zero for a new one
	name      *kit.ValueField
	prompt    *kit.TextBox
	frequency string // hour, day, weekday, week or cron
	oftens    map[string]*kit.Button
	day       string // of the week
	days      map[string]*kit.Button
	at        *kit.ValueField
	cron      *kit.ValueField
	preview   *prose.Text
	agent     *kit.Button
	agents    string // slug of the chosen one
	quiet     *kit.ValueField
	battery   *kit.Switch
	allow     *kit.ValueField
	err       *prose.Text
	save      *kit.Button
}

func newSheet(p *Page, s *schedule.Schedule) *sheet {
	f := &sheet{p: p, frequency: "day", day: "monday", oftens: map[string]*kit.Button{}, days: map[string]*kit.Button{}}
	at, cron, allow := "8:00", "", ""
	f.original.OnBattery, f.original.Enabled = true, true
	if s != nil {
		f.original = *s
		allow = strings.Join(p.known.allowed[s.Name], ", ")
		if plain, ok := s.When.Plain(); !ok {
			f.frequency, cron = oftenCron, s.When.String()
		} else {
			f.frequency, at = plain.Every, strconv.Itoa(plain.Hour)+":"+twoDigits(plain.Minute)
			if slices.Contains(weekdays(), plain.Every) {
				f.frequency, f.day = oftenWeekly, plain.Every
			}
		}
	}
	f.name = kit.NewFieldRow(i18n.T("Name, such as Morning"), f.original.Name)
	f.prompt = kit.NewTextBox(f.original.Prompt)
	f.prompt.Entry.SetPlaceHolder(i18n.T("What should I know about this machine today?"))
	f.at, f.cron = kit.NewFieldRow("8:00", at), kit.NewFieldRow("0 8 * * 1-5", cron)
	for _, field := range []*kit.ValueField{f.name, f.at, f.cron} {
		field.Entry.OnKey = nil // Esc keeps the typed text
	}
	f.at.OnChange = func(string) { f.show() }
	f.cron.OnChange = f.at.OnChange
	f.preview, f.err = prose.New(nil, kit.SizeText, kit.RoleMuted), prose.New(nil, kit.SizeText, kit.RoleHot)
	f.agents = f.original.Agent
	f.agent = kit.NewButton(kit.ButtonPill, "", nil)
	f.agent.OnTap = func() { kit.ShowMenu(f.agentMenu(), f.agent, p.host.Canvas()) }
	f.quiet = kit.NewFieldRow("22:00-7:00", f.original.Quiet.String())
	f.quiet.OnChange = f.at.OnChange
	f.battery = kit.NewSwitch(func(value string) { f.battery.SetValue(value, false) })
	f.battery.SetValue(strconv.FormatBool(f.original.OnBattery), false)
	f.allow = kit.NewFieldRow("RUN_CMD df", allow)
	f.save = kit.NewButton(kit.ButtonPrimary, i18n.T("Save"), f.submit)
	for _, o := range []struct{ often, words string }{
		{"day", i18n.T("Every day")},
		{"weekday", i18n.T("Weekdays")},
		{oftenWeekly, i18n.T("Weekly")},
		{oftenHourly, i18n.T("Hourly")},
		{oftenCron, i18n.T("Cron line")},
	} {
		f.oftens[o.often] = choice(o.words, func() { f.frequency = o.often; f.show(); p.draw() })
	}
	for _, d := range weekdays() {
		f.days[d] = choice(dayName(d), func() { f.day = d; f.show() })
	}
	f.show()
	return f
}

func choice(words string, tap func()) *kit.Button {
	b := kit.NewButton(kit.ButtonPlain, words, tap)
	b.PadX = kit.Gap8
	return b
}

func twoDigits(n int) string {
	return strings.Repeat("0", max(0, 2-len(strconv.Itoa(n)))) + strconv.Itoa(n)
}

// show updates the sheet and its preview from the choices.
func (f *sheet) show() {
	for often, b := range f.oftens {
		b.SetSelected(often == f.frequency)
	}
	for day, b := range f.days {
		b.SetSelected(day == f.day)
	}
	f.agent.SetText(f.agents)
	if f.agents == "" {
		f.agent.SetText(i18n.T("the default agent"))
	}
	w, err := f.when()
	text, role := "", kit.RoleMuted
	if err != nil {
		text, role = err.Error(), kit.RoleHot
	} else {
		now := time.Now()
		var times []string
		s := schedule.Schedule{When: w}
		s.Quiet, _ = schedule.ParseQuiet(f.quiet.Entry.Text) // saving says what is wrong with them
		for t, _ := s.Next(now); len(times) < 3; t, _ = s.Next(t) {
			times = append(times, timeWords(t, now))
		}
		text = i18n.With("Next: {{.When}}", i18n.Places{"When": strings.Join(times, " · ")})
	}
	f.preview.SetRuns([]prose.Run{{Text: text, Role: role}})
	f.p.View.Remeasure(f.preview)
}

// when returns the chosen times.
func (f *sheet) when() (schedule.When, error) {
	text := "every hour"
	switch f.frequency {
	case oftenHourly:
	case oftenCron:
		text = f.cron.Entry.Text
		if len(strings.Fields(text)) != 5 {
			return schedule.When{}, errors.New(i18n.T("A cron line has five fields: minute, hour, day of the month, month, day of the week"))
		}
	default:
		day := f.frequency
		if day == oftenWeekly {
			day = f.day
		}
		text = "every " + day + " at " + strings.TrimSpace(f.at.Entry.Text)
	}
	w, err := schedule.ParseWhen(text)
	switch {
	case err != nil && f.frequency == oftenCron:
		err = errors.New(i18n.T("This cron line can't be read, or its day never comes"))
	case err != nil:
		err = errors.New(i18n.T("Write the time like 8:00 or 17:30"))
	}
	return w, err
}

// rows returns the rows of the sheet. Its fields stay the same objects.
func (f *sheet) rows() []*column.Placed {
	title := i18n.T("New schedule")
	if f.original.Name != "" {
		title = i18n.With("Edit {{.Name}}", i18n.Places{"Name": f.original.Name})
	}
	rows := []*column.Placed{{Row: column.NewBoxRow(kit.Title(title)), Gap: kit.Gap4, Max: kit.ProseMax}}
	add := func(gap float32, r kit.Row) { rows = append(rows, &column.Placed{Row: r, Gap: gap, Max: kit.ProseMax}) }
	label := func(text string) { add(kit.Gap16, column.NewBoxRow(kit.Text(text))) }
	label(i18n.T("Name"))
	add(kit.Gap4, f.name)
	label(i18n.T("Prompt"))
	add(kit.Gap4, f.prompt)
	label(i18n.T("When"))
	add(kit.Gap4, kit.NewFlowRow(kit.Gap4, f.oftens["day"], f.oftens["weekday"], f.oftens[oftenWeekly], f.oftens[oftenHourly], f.oftens[oftenCron]))
	if f.frequency == oftenWeekly {
		var days []fyne.CanvasObject
		for _, d := range weekdays() {
			days = append(days, f.days[d])
		}
		add(kit.Gap8, kit.NewFlowRow(kit.Gap4, days...))
	}
	switch f.frequency {
	case oftenHourly:
	case oftenCron:
		add(kit.Gap8, f.cron)
	default:
		add(kit.Gap8, column.NewBoxRow(kit.Line(kit.Gap8, -1, kit.Muted(i18n.T("at")), kit.Sized(f.at, 80, 0))))
	}
	add(kit.Gap8, f.preview)
	label(i18n.T("Agent"))
	add(kit.Gap4, kit.NewFlowRow(0, f.agent))
	label(i18n.T("Quiet hours"))
	add(kit.Gap4, f.quiet)
	add(kit.Gap4, prose.NewParagraph(i18n.T("A run that falls due during quiet hours waits until they end. Leave this empty for none."), kit.RoleMuted))
	add(kit.Gap16, column.NewBoxRow(kit.Line(kit.Gap12, 1, f.battery, kit.Text(i18n.T("Run on battery, too")).Squeezable())))
	label(i18n.T("May run without a question"))
	add(kit.Gap4, f.allow)
	add(kit.Gap4, prose.NewParagraph(i18n.T("Nobody is there to ask while a schedule runs. List the tools it may use without asking, separated by commas, such as RUN_CMD df. This applies only to this schedule and its agent."), kit.RoleMuted))
	if f.err.SelectLen() > 0 {
		add(kit.Gap12, f.err)
	}
	add(kit.Gap16, column.NewBoxRow(kit.Line(kit.Gap8, -1, f.save, kit.NewButton(kit.ButtonPlain, i18n.T("Cancel"), f.p.closeSheet))))
	return rows
}

// agentMenu lists the agents to choose from.
func (f *sheet) agentMenu() *fyne.Menu {
	item := func(slug, words string) *fyne.MenuItem {
		m := fyne.NewMenuItem(words, func() { f.agents = slug; f.show() })
		m.Checked = slug == f.agents
		return m
	}
	menu := fyne.NewMenu("", item("", i18n.T("the default agent")))
	for _, slug := range f.p.parts.Agents() {
		menu.Items = append(menu.Items, item(slug, slug))
	}
	return menu
}

// entered returns the schedule from the sheet's fields. Its error is meant for people.
func (f *sheet) entered() (schedule.Schedule, error) {
	s := f.original
	s.Name, s.Prompt = strings.TrimSpace(f.name.Entry.Text), strings.TrimSpace(f.prompt.Entry.Text)
	s.Agent, s.OnBattery = f.agents, f.battery.On
	if s.Name == "" {
		return s, errors.New(i18n.T("Give it a name."))
	}
	if s.Prompt == "" {
		return s, errors.New(i18n.T("Write the question to ask."))
	}
	w, err := f.when()
	if err != nil {
		return s, err
	}
	if old := s.When; old.Next(time.Now()).IsZero() || whenWords(old) != whenWords(w) {
		s.When = w // otherwise the times stay as a person wrote them in the file
	}
	if s.Quiet, err = schedule.ParseQuiet(f.quiet.Entry.Text); err != nil {
		return s, errors.New(i18n.T("Write quiet hours like 22:00-7:00, or leave them empty."))
	}
	return s, nil
}

// submit saves the schedule and returns to the list.
func (f *sheet) submit() {
	s, err := f.entered()
	if err != nil {
		f.fail(err)
		return
	}
	var allow []string
	for tool := range strings.SplitSeq(f.allow.Entry.Text, ",") {
		if tool = strings.TrimSpace(tool); tool != "" {
			allow = append(allow, tool)
		}
	}
	f.save.Disable()
	old := f.original.Name
	go func() {
		err := f.p.parts.Book.PutSchedule(f.p.host.Context(), old, s, allow)
		f.p.host.Do(func() {
			f.save.Enable()
			switch {
			case f.p.sheet != f: // it was closed meanwhile
				f.p.Load()
			case err != nil:
				f.fail(err)
			default:
				f.p.closeSheet()
			}
		})
	}()
}

// fail shows why nothing was saved.
func (f *sheet) fail(err error) {
	f.err.SetRuns([]prose.Run{{Text: sentence(err), Role: kit.RoleHot}})
	f.p.draw()
}
