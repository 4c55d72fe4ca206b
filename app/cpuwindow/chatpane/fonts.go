package chatpane

import (
	"slices"
	"strings"
	"unicode"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/markdown"
)

// script is a script that the bundled fonts lack, and a free font that has it.
type script struct {
	table *unicode.RangeTable
	name  func() string // its characters
	font  string
}

// missingFonts finds the scripts of the shown messages that no installed font has: their text
// is a row of boxes. Each script is looked up once. All methods are called on the UI goroutine.
type missingFonts struct {
	host    Host
	has     func(r rune) bool // reports whether an installed font has a character; any goroutine
	unasked []script
	asked   []script // the one found last comes first
	scanned map[string]int
	of      string // the conversation that scanned belongs to
}

func newMissingFonts(h Host, has func(r rune) bool) *missingFonts {
	return &missingFonts{host: h, has: has, unasked: []script{
		{unicode.Han, func() string { return i18n.T("Chinese characters") }, "Noto Sans CJK"},
		{unicode.Hiragana, func() string { return i18n.T("Japanese characters") }, "Noto Sans CJK"},
		{unicode.Katakana, func() string { return i18n.T("Japanese characters") }, "Noto Sans CJK"},
		{unicode.Hangul, func() string { return i18n.T("Korean characters") }, "Noto Sans CJK"},
		{unicode.Thai, func() string { return i18n.T("Thai characters") }, "Noto Sans Thai"},
		{unicode.Arabic, func() string { return i18n.T("Arabic characters") }, "Noto Sans Arabic"},
		{unicode.Hebrew, func() string { return i18n.T("Hebrew characters") }, "Noto Sans Hebrew"},
		{unicode.Devanagari, func() string { return i18n.T("Devanagari characters (Hindi)") }, "Noto Sans Devanagari"},
		{unicode.Bengali, func() string { return i18n.T("Bengali characters") }, "Noto Sans Bengali"},
		{unicode.Tamil, func() string { return i18n.T("Tamil characters") }, "Noto Sans Tamil"},
		{unicode.Telugu, func() string { return i18n.T("Telugu characters") }, "Noto Sans Telugu"},
		{unicode.Georgian, func() string { return i18n.T("Georgian characters") }, "Noto Sans Georgian"},
		{unicode.Armenian, func() string { return i18n.T("Armenian characters") }, "Noto Sans Armenian"},
		{unicode.Ethiopic, func() string { return i18n.T("Ethiopic characters (Amharic)") }, "Noto Sans Ethiopic"},
	}}
}

// check looks at the messages that changed since the last call.
func (m *missingFonts) check(v conversation.View) {
	if m.has == nil || len(m.unasked) == 0 {
		return
	}
	if m.of != v.Name || m.scanned == nil {
		m.of, m.scanned = v.Name, map[string]int{}
	}
	var found []rune // one of each script
	for i := range v.Entries {
		e := &v.Entries[i]
		if rev, ok := m.scanned[e.Key]; ok && rev == e.Rev {
			continue
		}
		m.scanned[e.Key] = e.Rev
		found = m.scan(found, e.Text)
		for _, leaves := range [][]markdown.Leaf{e.Leaves, e.Tail} {
			for i := range leaves {
				found = m.scanLeaf(found, &leaves[i])
			}
		}
	}
	if len(found) > 0 {
		asked := slices.Clone(m.asked)
		go m.lookUp(found, asked)
	}
}

func (m *missingFonts) scanLeaf(found []rune, l *markdown.Leaf) []rune {
	found = m.scan(found, l.Code)
	for _, r := range l.Runs {
		found = m.scan(found, r.Text)
	}
	for _, row := range l.Table {
		for _, cell := range row {
			for _, r := range cell {
				found = m.scan(found, r.Text)
			}
		}
	}
	return found
}

// scan appends a character of each script in a text that wasn't asked for before.
func (m *missingFonts) scan(found []rune, text string) []rune {
	for _, r := range text {
		if r < 0x530 || r >= 0x1E00 && r < 0x2E80 || r >= 0x1F000 && r < 0x20000 {
			continue // Latin, Greek, Cyrillic, symbols and emoji are bundled
		}
		if i := scriptOf(m.asked, r); i >= 0 {
			m.asked[0], m.asked[i] = m.asked[i], m.asked[0]
		} else if i := scriptOf(m.unasked, r); i >= 0 {
			m.asked = append(m.asked, m.unasked[i])
			m.unasked = slices.Delete(m.unasked, i, i+1)
			found = append(found, r)
		}
	}
	return found
}

// scriptOf returns the index of a character's script, or -1.
func scriptOf(list []script, r rune) int {
	return slices.IndexFunc(list, func(s script) bool { return unicode.Is(s.table, r) })
}

// lookUp shows a notice that names the scripts of found without a font. The first look at the
// system's fonts may scan them, so it is called off the UI goroutine.
func (m *missingFonts) lookUp(found []rune, asked []script) {
	var names, fonts []string
	for _, r := range found {
		if m.has(r) {
			continue
		}
		s := asked[scriptOf(asked, r)]
		if name := s.name(); !slices.Contains(names, name) {
			names = append(names, name)
		}
		if !slices.Contains(fonts, s.font) {
			fonts = append(fonts, s.font)
		}
	}
	if len(names) == 0 {
		return
	}
	m.host.Do(func() {
		m.host.Notify(i18n.With("No installed font shows {{.Characters}}", i18n.Places{"Characters": strings.Join(names, ", ")}),
			i18n.With("Install one, such as {{.Font}}, and restart mac-stats.", i18n.Places{"Font": strings.Join(fonts, ", ")}))
	})
}
