package settings

import (
	"cmp"
	"runtime"
	"strings"

	"fyne.io/fyne/v2"

	"mac-stats/app/config"
	"mac-stats/app/cpuwindow/shortcuts"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// Page shows config.toml: a row for every key, with rarely used ones folded away in their
// section. Rows stay the same objects while the page exists, so a change from outside never
// takes the focus or the text being typed.
type Page struct {
	host    Host
	parts   Parts
	writer  *Writer
	View    *column.Viewport
	search  *kit.ValueField
	query   string
	rows    map[string]*row
	order   []config.Setting
	open    map[string]bool // sections that are unfolded
	folds   map[string]*foldRow
	notices []Notice
	top     []*column.Placed
	discord *discordCard
	index   *indexCard
	server  *serverCard
	imports *importCard
	tools   kit.Row // link to the page of tools
}

// sections returns the keys and titles of the sections, in the order of the page.
func sections() []struct{ key, title string } {
	return []struct{ key, title string }{
		{"app", "Start"},
		{"window", "Appearance"},
		{"ollama", "Models"},
		{"agents", "Agents"},
		{"tools", "Tools and permissions"},
		{"session", "Conversations"},
		{"memory", "Memory"},
		{"monitor", "Vitals"},
		{"alerts", "Warnings"},
		{"heartbeat", "Heartbeat"},
		{"menubar", "Menu bar icon"},
		{"shortcuts", "Shortcuts"},
		{"discord", "Discord"},
		{"recall", "Earlier conversations"},
		{"compaction", "Summaries"},
		{"api", "Local API"},
		{"mcp", "Other assistants (MCP)"},
	}
}

// NewPage returns the page, which changes settings with a Writer.
func NewPage(h Host, parts Parts, w *Writer) *Page {
	p := &Page{host: h, parts: parts, writer: w, View: column.NewViewport(), rows: map[string]*row{}, open: map[string]bool{}, folds: map[string]*foldRow{}, order: config.Settings()}
	p.View.Follow, p.View.Fixed = false, true
	p.index, p.server, p.discord, p.imports = newIndexCard(p), newServerCard(p), &discordCard{page: p}, newImportCard(p)
	p.tools = kit.NewFlowRow(kit.Gap8, kit.NewButton(kit.ButtonPlain, i18n.T("Permissions and servers…"), h.ShowTools))
	p.search = kit.NewFieldRow(i18n.T("Search settings"), "")
	p.search.OnChange = func(text string) { p.query = strings.ToLower(strings.TrimSpace(text)); p.show() }
	for _, s := range p.order {
		p.rows[s.Key] = newRow(s, p.change)
	}
	for _, s := range sections() {
		p.folds[s.key] = newFoldRow(func() { p.open[s.key] = !p.open[s.key]; p.show() })
	}
	buttons := kit.Line(kit.Gap8, -1,
		kit.NewButton(kit.ButtonPlain, i18n.T("Open config.toml"), func() { h.OpenFile(parts.File) }),
		kit.NewButton(kit.ButtonPlain, i18n.T("Open data folder"), func() { h.OpenFile(parts.Home) }))
	p.top = []*column.Placed{
		column.TextRow(i18n.T("Every setting is a line in config.toml. Change it here or in the file; either takes effect at once."), kit.RoleMuted, kit.Gap8),
		{Row: column.NewBoxRow(buttons), Gap: kit.Gap8},
		{Row: p.search, Gap: kit.Gap12, Max: kit.ProseMax},
	}
	return p
}

// change writes a setting; its row shows the result.
func (p *Page) change(key, value string) {
	p.writer.Set(key, value, func(err error) {
		p.rows[key].failed(err)
		p.refresh()
		p.View.Remeasure(p.rows[key])
	})
}

// Load shows the current settings.
func (p *Page) Load() {
	p.notices = p.parts.Notices()
	p.refresh()
	p.show()
	p.discord.check()
	p.index.poll()
}

// Search shows the settings that contain these words.
func (p *Page) Search(words string) { p.search.Entry.SetText(words) }

// visible reports whether the page is on the screen.
func (p *Page) visible() bool { return p.host.Visible() && p.View.Visible() }

// refresh updates every row from the current configuration.
func (p *Page) refresh() {
	now, environ := p.parts.Config(), p.parts.Environ()
	waits := map[string]bool{}
	for _, key := range config.Waiting(p.parts.Started(), now) {
		waits[key] = true
	}
	conflicts := shortcuts.Conflicts(now, p.parts.Actions, runtime.GOOS)
	for _, s := range p.order {
		p.rows[s.Key].update(state{
			value: s.Shown(now), setBy: s.Overridden(environ), needsRestart: waits[s.Key], warning: conflicts[s.Key],
		})
	}
	if shown := p.server.address != ""; shown != p.server.used() {
		p.server.refresh()
		p.show()
	} else {
		p.server.refresh()
	}
}

// matches reports whether a setting contains every word of a query.
func matches(s config.Setting, section, query string) bool {
	text := strings.ToLower(strings.Join([]string{s.Key, section, i18n.T(section), title(s), i18n.T(title(s)), s.Help, i18n.T(s.Help), s.Allowed, strings.Join(s.Also, " "), s.Env}, " "))
	return hasWords(text, query)
}

func hasWords(text, query string) bool {
	for _, word := range strings.Fields(query) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// show puts the matching rows on the page; without a query, those that aren't folded away.
func (p *Page) show() {
	rows := append([]*column.Placed{}, p.top...)
	if p.query == "" {
		rows = append(rows, noticeCards(p.notices)...)
	}
	found := 0
	for _, section := range sections() {
		list, folded := p.section(section.key, section.title)
		cards := p.cards(section.key, section.title, len(list) > 0)
		found += len(list) + len(cards)
		if len(list)+len(cards)+folded == 0 {
			continue
		}
		rows = append(rows, &column.Placed{Row: column.NewBoxRow(kit.Title(i18n.T(section.title))), Gap: kit.Gap20 + kit.Gap8, Max: kit.ProseMax})
		rows = append(rows, cards...)
		rows = append(rows, list...)
		if p.query == "" && (folded > 0 || p.open[section.key]) && p.hasExperts(section.key) {
			fold := p.folds[section.key]
			fold.set(section.key, folded)
			rows = append(rows, &column.Placed{Row: fold, Gap: kit.Gap4, Max: kit.ProseMax})
		}
	}
	if found == 0 && p.query != "" {
		rows = append(rows, column.TextRow(i18n.T("No settings found. Search looks at names, descriptions and environment variables."), kit.RoleMuted, kit.Gap20))
	}
	if p.query == "" {
		about := "mac-stats " + cmp.Or(p.parts.Version, i18n.T("(no version)")) + " · " + p.parts.Home
		rows = append(rows, &column.Placed{Row: prose.New([]prose.Run{{Text: about}}, kit.SizeSmall, kit.RoleMuted), Gap: kit.Gap20, Max: kit.ProseMax})
	}
	p.View.SetRows(rows)
}

// cards returns the cards above a section's settings, if the query matches them. listed
// means that some of the section's settings match.
func (p *Page) cards(section, title string, listed bool) []*column.Placed {
	at := func(r kit.Row) []*column.Placed { return []*column.Placed{{Row: r, Gap: kit.Gap8, Max: kit.ProseMax}} }
	has := func(words string) bool {
		return hasWords(strings.ToLower(strings.Join([]string{section, title, i18n.T(title), words}, " ")), p.query)
	}
	switch {
	case section == "discord" && p.discord.card != nil && has(i18n.T("bot token channels roles people pairing code let in connect")):
		return at(p.discord.card)
	case section == "recall" && (listed || has(i18n.T("search index rebuild find remember recall forget forgotten memory meaning embedding passages server machines test connection"))):
		if p.server.used() {
			return append(at(p.index), at(p.server)...)
		}
		return at(p.index)
	case section == "tools" && (listed || has(i18n.T("mcp.json servers tools of other programs log sign in permissions allowed always never revoke"))):
		return at(p.tools)
	case section == "session" && (listed || has(i18n.T("import export conversations ChatGPT Claude zip"))):
		return at(p.imports)
	}
	return nil
}

// section returns a section's rows, and the number of those folded away.
func (p *Page) section(key, title string) (rows []*column.Placed, folded int) {
	for _, s := range p.order {
		table, _, _ := strings.Cut(s.Key, ".")
		switch {
		case table != key || p.query != "" && !matches(s, title, p.query):
		case p.query == "" && p.isFolded(s) && !p.open[key]:
			folded++
		default:
			p.rows[s.Key].setSearched(p.query != "")
			rows = append(rows, &column.Placed{Row: p.rows[s.Key], Gap: 0, Max: kit.ProseMax})
		}
	}
	return rows, folded
}

// isFolded reports whether a setting is folded away. Shortcuts are: they are many, and have
// a list of their own.
func (p *Page) isFolded(s config.Setting) bool {
	return s.Expert || s.Kind == config.KindShortcut
}

func (p *Page) hasExperts(section string) bool {
	for _, s := range p.order {
		if table, _, _ := strings.Cut(s.Key, "."); table == section && p.isFolded(s) {
			return true
		}
	}
	return false
}

// noticeCards shows the app's notices about its set-up.
func noticeCards(notices []Notice) []*column.Placed {
	var rows []*column.Placed
	for _, n := range notices {
		parts := []fyne.CanvasObject{prose.NewParagraph(n.Text, kit.RoleText)}
		if n.Next != "" {
			parts = append(parts, prose.NewParagraph(n.Next, kit.RoleMuted))
		}
		rows = append(rows, &column.Placed{Row: column.NewCardRow(kit.RoleWarn, parts...), Gap: kit.Gap8, Max: kit.ProseMax})
	}
	return rows
}

// titles are the titles of settings whose keys don't read as words.
var titles = map[string]string{
	"window.accent":           "Accent colour",
	"window.on_top":           "Keep window on top",
	"memory.write":            "Save memories",
	"alerts.hot":              "Heat warning above",
	"alerts.disk_free":        "Warn when disk below",
	"alerts.battery":          "Warn when battery below",
	"ollama.host":             "Ollama address",
	"ollama.num_ctx":          "Context size",
	"ollama.embed_model":      "Embedding model",
	"ollama.max_concurrent":   "Calls at the same time",
	"agents.default":          "Default agent",
	"tools.question_time":     "Question timeout",
	"tools.commands":          "Run programs",
	"tools.command_folder":    "Folder of programs",
	"tools.command_time":      "Time for a program",
	"tools.command_network":   "Programs use the network",
	"recall.cross_session":    "Quote other conversations",
	"recall.rerank":           "Reranking",
	"recall.backend":          "Search in",
	"recall.postgres_url":     "PostgreSQL address",
	"recall.top_k":            "Search results",
	"recall.cold_after_days":  "Search less after (days)",
	"discord.name":            "Bot name",
	"discord.max_msgs":        "Messages around a mention",
	"discord.max_chars":       "Characters around a mention",
	"discord.max_age":         "Age of messages around a mention",
	"discord.tail_count":      "Thread messages with a reply",
	"discord.workers":         "Channels at the same time",
	"memory.max_server":       "Facts about a server",
	"memory.max_user":         "Facts about a person",
	"compaction.interval":     "Periodic summaries every",
	"heartbeat.minutes":       "Go through it every (minutes)",
	"alerts.every":            "Repeat a warning after",
	"compaction.min_periodic": "Messages for a periodic summary",
	"compaction.threshold":    "Summarise after (messages)",
	"session.max_file_bytes":  "Largest transcript (bytes)",
	"api.listen":              "Listen on",
}

// valueNames are the names of values that don't read as words.
var valueNames = map[string]string{
	"auto": "Automatic", "ask": "Ask first", "on": "On", "off": "Off", "system": "As the system", "light": "Light", "dark": "Dark",
	"comfortable": "Comfortable", "compact": "Compact", "lexical": "By words", "semantic": "By meaning", "hybrid": "Both",
	"local": "This machine", "postgres": "PostgreSQL",
	"large": "Large", "middle": "Middle", "plain": "Plain", "last-user-message": "My last message",
}

// valueName returns the name of a value, in English.
func valueName(value string) string {
	words := strings.ReplaceAll(value, "-", " ")
	return cmp.Or(valueNames[value], strings.ToUpper(words[:1])+words[1:])
}

// title returns the title of a setting, in English.
func title(s config.Setting) string {
	_, name, _ := strings.Cut(s.Key, ".")
	words := strings.ReplaceAll(name, "_", " ")
	return cmp.Or(titles[s.Key], strings.ToUpper(words[:1])+words[1:])
}

// Texts returns the texts that the page translates without spelling them out: titles, and
// the help of settings.
func Texts() []string {
	var texts []string
	for _, s := range sections() {
		texts = append(texts, s.title)
	}
	for _, s := range config.Settings() {
		texts = append(texts, title(s), s.Help)
		for _, v := range s.Choices {
			if s.Kind != config.KindChoice {
				break
			}
			texts = append(texts, valueName(v))
		}
	}
	return texts
}
