package schedule

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"mac-stats/sessionmem/wholefile"
)

const (
	maxFile   = 1 << 20 // bytes
	maxName   = 60      // characters
	maxPrompt = 20_000  // characters
)

// Schedule is a prompt that runs at its times.
type Schedule struct {
	Name      string
	When      When
	Prompt    string
	Agent     string // selector; "" means the default agent
	Enabled   bool
	Quiet     Quiet
	OnBattery bool // runs on battery too
	// Permissions is the ID that ties entries of permissions.toml to this schedule, as
	// opposed to another one with its name. Those entries may run without asking.
	Permissions string
}

// Session returns the name of the schedule's session.
func (s Schedule) Session() string { return sessionOf(s.Name) }

// sessionOf derives a session's name from a schedule's: "Morning news" →
// schedule-morning-news.
func sessionOf(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() == 40 {
			break
		}
	}
	slug := strings.Trim(b.String(), "-")
	if strings.IndexFunc(name, func(r rune) bool { return r > 127 }) >= 0 || slug == "" { // other names may give the same result
		h := fnv.New32a()
		_, _ = h.Write([]byte(name)) // never fails
		slug = strings.TrimPrefix(slug+"-"+strconv.FormatUint(uint64(h.Sum32()), 36), "-")
	}
	return "schedule-" + slug
}

// Problem is a mistake in schedules.toml.
type Problem struct {
	Line int    // 0 if unknown
	Name string // the schedule's name, if it has one
	Text string // what is wrong and what to do
	kind kind
}

// kind distinguishes some problems from others.
type kind int

const (
	other    kind = iota
	notTOML       // the whole file is unreadable
	sameName      // two schedules share a session
)

func (p Problem) String() string {
	place := "schedules.toml"
	if p.Line > 0 {
		place += ", line " + strconv.Itoa(p.Line)
	}
	if p.Name != "" {
		place += " (" + p.Name + ")"
	}
	return place + ": " + p.Text
}

// Load reads schedules.toml; a missing file has no schedules. A schedule with any mistake
// is left out and reported as a Problem.
func Load(file string) ([]Schedule, []Problem) {
	data, err := wholefile.Read(file, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []Problem{{Text: wholefile.WhyNot(err) + ". No schedule runs until then."}}
	}
	return parse(data)
}

func parse(data []byte) ([]Schedule, []Problem) {
	var raw map[string]any
	if err := toml.Unmarshal(bytes.TrimPrefix(data, []byte("\uFEFF")), &raw); err != nil {
		p := Problem{Text: err.Error(), kind: notTOML}
		var bad *toml.DecodeError
		if errors.As(err, &bad) {
			p.Line, _ = bad.Position()
		}
		p.Text = "it isn't TOML here: " + strings.TrimPrefix(p.Text, "toml: ") + ". Fix that line; no schedule runs until then."
		return nil, []Problem{p}
	}
	r := reader{places: sectionsOf(data)}
	for _, key := range slices.Sorted(maps.Keys(raw)) {
		tables, ok := raw[key].([]any)
		if key != "schedule" || !ok {
			r.problem(Problem{Text: fmt.Sprintf("%q isn't known. Begin each schedule with a line [[schedule]].", key)})
			continue
		}
		for i, t := range tables {
			table, _ := t.(map[string]any) // otherwise it is empty and has no name
			r.schedule(i, table)
		}
	}
	return r.list, r.problems
}

// reader collects schedules and problems.
type reader struct {
	places   []section
	list     []Schedule
	problems []Problem
}

func (r *reader) problem(p Problem) { r.problems = append(r.problems, p) }

func (r *reader) schedule(i int, table map[string]any) {
	s := Schedule{Enabled: true, OnBattery: true}
	s.Name, _ = table["name"].(string)
	before := len(r.problems)
	find := func(key, text string) {
		p := Problem{Name: s.Name, Text: text}
		if i < len(r.places) {
			p.Line = r.places[i].line(key)
		}
		r.problem(p)
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if why := s.set(key, table[key]); why != "" {
			find(key, key+": "+why+". This schedule doesn't run until that is fixed.")
		}
	}
	for _, key := range []string{"name", "when", "prompt"} {
		if _, ok := table[key]; !ok {
			find("", key+" is missing. Add a line "+key+` = "…"; this schedule doesn't run until then.`)
		}
	}
	if slices.ContainsFunc(r.list, func(o Schedule) bool { return o.Session() == s.Session() }) {
		find("name", "another schedule has this name, or one much like it. Give it a name of its own; it doesn't run until then.")
		r.problems[len(r.problems)-1].kind = sameName
	}
	if len(r.problems) == before {
		r.list = append(r.list, s)
	}
}

// set sets one key and returns what is wrong, or "".
func (s *Schedule) set(key string, value any) string {
	text, isText := value.(string)
	on, isSwitch := value.(bool)
	switch key {
	case "name", "when", "prompt", "agent", "quiet", "permissions":
		if !isText {
			return "it must be a text in quotation marks"
		}
	case "enabled", "on_battery":
		if !isSwitch {
			return "it must be true or false"
		}
	}
	var err error
	switch key {
	case "name":
		err = checkName(text)
	case "when":
		s.When, err = ParseWhen(text)
	case "prompt":
		s.Prompt, err = text, checkPrompt(text)
	case "agent":
		s.Agent = strings.TrimSpace(text)
	case "enabled":
		s.Enabled = on
	case "quiet":
		s.Quiet, err = ParseQuiet(text)
	case "on_battery":
		s.OnBattery = on
	case "permissions":
		s.Permissions = strings.TrimSpace(text)
	default:
		return "there is no such key; the keys are name, when, prompt, agent, enabled, quiet, on_battery and permissions"
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// checkName describes what is wrong with a schedule's name.
func checkName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("it is empty; give it at least one word")
	case name != strings.TrimSpace(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return errors.New("it must be one line without spaces around it")
	case utf8.RuneCountInString(name) > maxName:
		return fmt.Errorf("it has more than %d characters", maxName)
	}
	return nil
}

func checkPrompt(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return errors.New("it is empty; write the question to ask")
	case utf8.RuneCountInString(text) > maxPrompt:
		return fmt.Errorf("it has more than %d characters", maxPrompt)
	}
	return nil
}

// section is the position of a [[schedule]] in the file, as byte offsets.
type section struct {
	header     int // start of its line
	headerEnd  int // end of its line
	headerLine int // counted from 1
	end        int // end of the line of its last key
	keys       map[string]place
}

// place is the position of a key's value.
type place struct{ line, start, end, lineStart, lineEnd int }

// line returns the line number of a key, or of the section if it has no such key.
func (s section) line(key string) int {
	if p, ok := s.keys[key]; ok {
		return p.line
	}
	return s.headerLine
}

// sectionsOf finds every [[schedule]] in a valid TOML file.
func sectionsOf(data []byte) []section {
	skip := 0
	if bytes.HasPrefix(data, []byte("\uFEFF")) {
		skip = len("\uFEFF")
	}
	lineStart := func(at int) int { return bytes.LastIndexByte(data[:at], '\n') + 1 }
	lineEnd := func(at int) int {
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			return at + i + 1
		}
		return len(data)
	}
	var list []section
	ours := false
	var p unstable.Parser
	p.Reset(data[skip:])
	for p.NextExpression() {
		n := p.Expression()
		name, at, keyEnd := keyOf(n.Key())
		at, keyEnd = at+skip, keyEnd+skip
		switch n.Kind {
		case unstable.Table, unstable.ArrayTable:
			if ours = n.Kind == unstable.ArrayTable && name == "schedule"; ours {
				list = append(list, section{
					header: lineStart(at), headerEnd: lineEnd(at), end: lineEnd(at),
					headerLine: 1 + bytes.Count(data[:at], []byte("\n")), keys: map[string]place{},
				})
			}
		case unstable.KeyValue:
			if !ours {
				continue
			}
			s := &list[len(list)-1]
			start := keyEnd + bytes.IndexByte(data[keyEnd:], '=') + 1
			start += len(data[start:]) - len(bytes.TrimLeft(data[start:], " \t"))
			end := skip + int(n.Raw.Offset+n.Raw.Length)
			end = start + len(bytes.TrimRight(data[start:end], " \t\r\n"))
			s.keys[name] = place{1 + bytes.Count(data[:at], []byte("\n")), start, end, lineStart(at), lineEnd(end)}
			s.end = lineEnd(end)
		}
	}
	return list
}

// keyOf joins a dotted key and returns its offsets.
func keyOf(it unstable.Iterator) (name string, start, end int) {
	var parts []string
	for it.Next() {
		n := it.Node()
		if len(parts) == 0 {
			start = int(n.Raw.Offset)
		}
		end = int(n.Raw.Offset + n.Raw.Length)
		parts = append(parts, string(n.Data))
	}
	return strings.Join(parts, "."), start, end
}
