package channels

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"

	"mac-stats/app/discord/connection"
)

const (
	maxFile   = 1 << 20
	maxPrompt = 4000 // characters
)

// Finding is a part of the file that can't be used.
type Finding struct {
	File string
	Line int // 0 if unknown
	Key  string
	Text string // what is wrong, what is allowed, and what applies instead
}

func (f Finding) String() string {
	place := f.File
	if f.Line > 0 {
		place += ":" + strconv.Itoa(f.Line)
	}
	if f.Key != "" {
		place += ": " + f.Key
	}
	return place + ": " + f.Text
}

// ErrSyntax means that the file isn't TOML.
var ErrSyntax = errors.New("it is not TOML")

// Load reads a file; a missing one has the defaults. An error means that nothing of it can
// be used: what was read before should stay in force.
func Load(file string) (*File, []Finding, error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return defaults(), nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", file, err)
	}
	if info.Size() > maxFile || !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("reading %s: it is no file, or larger than 1 MB", file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", file, err)
	}
	return Parse(file, data)
}

// Parse parses the text of a file called name.
func Parse(name string, data []byte) (*File, []Finding, error) {
	var raw map[string]any
	if err := toml.Unmarshal(data, &raw); err != nil {
		var bad *toml.DecodeError
		if errors.As(err, &bad) {
			line, column := bad.Position()
			return nil, nil, fmt.Errorf("%s, line %d, column %d: %w: %s; nothing of it is used until that is put right", name, line, column, ErrSyntax, strings.TrimPrefix(bad.Error(), "toml: "))
		}
		return nil, nil, fmt.Errorf("%s: %w: %w", name, ErrSyntax, err)
	}
	r := &reader{file: defaults(), name: name, lines: linesOf(data)}
	for _, key := range slices.Sorted(maps.Keys(raw)) {
		r.section(key, raw[key])
	}
	r.file.name, r.file.lines = name, r.lines
	slices.SortStableFunc(r.found, func(a, b Finding) int { return a.Line - b.Line })
	return r.file, r.found, nil
}

// reader fills a File and collects what can't be used.
type reader struct {
	file  *File
	name  string
	lines map[string]int
	found []Finding
}

func (r *reader) find(key, format string, args ...any) {
	r.found = append(r.found, Finding{File: r.name, Line: r.lines[key], Key: key, Text: fmt.Sprintf(format, args...)})
}

func (r *reader) section(key string, value any) {
	table, ok := value.(map[string]any)
	if !ok {
		r.find(key, "there is no such key; the sections are [allow], [default], [channel.<id>], [people.<id>], [limits] and [having_fun]")
		return
	}
	switch key {
	case "allow":
		r.allow(table)
	case "default":
		r.given("default", table).apply(&r.file.defaults)
	case "limits":
		r.limits(table)
	case "having_fun":
		r.fun(table)
	case "channel", "people":
		r.byID(key, table)
	default:
		r.find(key, "there is no such section; there are [allow], [default], [channel.<id>], [people.<id>], [limits] and [having_fun]")
	}
}

func (r *reader) allow(table map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(table)) {
		full, value := "allow."+key, table[key]
		switch key {
		case "users":
			r.file.Users = r.ids(full, value)
		case "roles":
			r.file.Roles = r.ids(full, value)
		case "channels":
			r.file.Channels = r.ids(full, value)
		case "pairing":
			on, ok := value.(bool)
			if !ok {
				r.find(full, "it must be true or false; false is used")
			}
			r.file.Pairing = on
		default:
			r.find(full, "there is no such key; [allow] has users, roles, channels and pairing")
		}
	}
}

// ids reads a list of IDs and leaves out everything else.
func (r *reader) ids(key string, value any) []string {
	list, ok := value.([]any)
	if !ok {
		r.find(key, `it must be a list of ids such as ["123456789012345678"]; nobody is let in by it`)
		return nil
	}
	var out []string
	for _, v := range list {
		id := fmt.Sprint(v)
		if !connection.IsID(id) {
			r.find(key, "%s is not an ID: it is a number of about 18 digits (in Discord: Settings, Advanced, Developer Mode; then right-click, Copy ID); it is left out", strconv.Quote(id))
			continue
		}
		out = append(out, id)
	}
	return out
}

func (r *reader) byID(kind string, table map[string]any) {
	for _, id := range slices.Sorted(maps.Keys(table)) {
		key := kind + "." + id
		inner, ok := table[id].(map[string]any)
		if !ok || !connection.IsID(id) {
			r.find(key, "write [%s.<id>] with the id Discord shows (Copy ID), about 18 digits; the section is left out", kind)
			continue
		}
		if kind == "channel" {
			r.file.given[id] = r.given(key, inner)
			continue
		}
		r.person(key, id, inner)
	}
}

func (r *reader) person(key, id string, table map[string]any) {
	p := Person{ID: id}
	for _, k := range slices.Sorted(maps.Keys(table)) {
		switch value := table[k]; k {
		case "name":
			p.Name, _ = r.text(key+".name", value)
		case "since":
			p.Since = fmt.Sprint(value)
		case "owner":
			owner, ok := value.(bool)
			if !ok {
				r.find(key+".owner", "it must be true or false; false is used")
			}
			p.Owner = owner
		default:
			r.find(key+"."+k, "there is no such key; [people.<id>] has name, since and owner")
		}
	}
	r.file.People = append(r.file.People, p)
}

func (r *reader) given(section string, table map[string]any) given {
	var g given
	for _, k := range slices.Sorted(maps.Keys(table)) {
		key, value := section+"."+k, table[k]
		switch k {
		case "mode":
			g.mode = r.mode(key, value)
		case "agent":
			g.agent = r.maybe(key, value)
		case "model":
			g.model = r.maybe(key, value)
		case "prompt":
			g.prompt = r.maybe(key, value)
		case "debounce":
			if d, ok := r.span(key, value, 0, time.Minute); ok {
				g.debounce = &d
			}
		case "tools":
			g.tools = r.tools(key, value)
		default:
			r.find(key, "there is no such key; a channel has mode, agent, model, prompt, debounce and tools")
		}
	}
	return g
}

func (r *reader) mode(key string, value any) *Mode {
	m := Mode(strings.ToLower(fmt.Sprint(value)))
	if m != MentionOnly && m != AllMessages && m != HavingFun {
		r.find(key, "%s is no mode: it must be mention_only, all_messages or having_fun; mention_only is used", strconv.Quote(fmt.Sprint(value)))
		m = MentionOnly
	}
	return &m
}

func (r *reader) maybe(key string, value any) *string {
	text, ok := r.text(key, value)
	if !ok {
		return nil
	}
	return &text
}

func (r *reader) text(key string, value any) (string, bool) {
	text, ok := value.(string)
	if !ok || utf8.RuneCountInString(text) > maxPrompt {
		r.find(key, "it must be a text of at most %d characters; it is left out", maxPrompt)
		return "", false
	}
	return strings.TrimSpace(text), true
}

// toolNames are the tools that a channel may have.
var toolNames = []string{"AGENT", "SKILL", "MEMORY_APPEND", "MEMORY_SEARCH", "SYSTEM_STATS", "FETCH_URL"}

func (r *reader) tools(key string, value any) *[]string {
	list, ok := value.([]any)
	out := []string{}
	if !ok {
		r.find(key, "it must be a list of %s; none is used", strings.Join(toolNames, ", "))
		return &out
	}
	for _, v := range list {
		name := strings.ToUpper(fmt.Sprint(v))
		if !slices.Contains(toolNames, name) {
			r.find(key, "%s is no tool: there are %s; it is left out", strconv.Quote(fmt.Sprint(v)), strings.Join(toolNames, ", "))
			continue
		}
		out = append(out, name)
	}
	return &out
}

func (r *reader) span(key string, value any, low, high time.Duration) (time.Duration, bool) {
	text := fmt.Sprint(value)
	d, err := time.ParseDuration(text)
	if text == "0" {
		d, err = 0, nil
	}
	if err != nil || d < low || d > high {
		r.find(key, "%s can't be used: it must be a time from %s to %s, written like 2s or 5m; the default is used", strconv.Quote(text), short(low), short(high))
		return 0, false
	}
	return d, true
}

func (r *reader) limits(table map[string]any) {
	for _, k := range slices.Sorted(maps.Keys(table)) {
		key := "limits." + k
		switch k {
		case "person":
			r.limit(key, table[k], &r.file.PerPerson)
		case "channel":
			r.limit(key, table[k], &r.file.PerChannel)
		default:
			r.find(key, "there is no such key; [limits] has person and channel")
		}
	}
}

func (r *reader) limit(key string, value any, to *Limit) {
	count, window, ok := strings.Cut(fmt.Sprint(value), "/")
	n, err := strconv.Atoi(strings.TrimSpace(count))
	d, windowErr := time.ParseDuration(strings.TrimSpace(window))
	if !ok || err != nil || windowErr != nil || n < 1 || n > 10_000 || d < time.Second || d > 24*time.Hour {
		r.find(key, "%s can't be used: write how many messages within what time, like \"20/10m\"; %s is used", strconv.Quote(fmt.Sprint(value)), *to)
		return
	}
	*to = Limit{n, d}
}

func (r *reader) fun(table map[string]any) {
	f := r.file.Fun
	for _, k := range slices.Sorted(maps.Keys(table)) {
		key, value := "having_fun."+k, table[k]
		switch k {
		case "min_delay":
			if d, ok := r.span(key, value, 0, 24*time.Hour); ok {
				f.MinDelay = d
			}
		case "max_delay":
			if d, ok := r.span(key, value, 0, 24*time.Hour); ok {
				f.MaxDelay = d
			}
		case "bot_replies":
			n, ok := value.(int64)
			if !ok || n < 0 || n > 100 {
				r.find(key, "it must be a whole number from 0 to 100; %d is used", f.BotReplies)
				continue
			}
			f.BotReplies = int(n)
		default:
			r.find(key, "there is no such key; [having_fun] has min_delay, max_delay and bot_replies")
		}
	}
	if f.MaxDelay < f.MinDelay {
		r.find("having_fun.max_delay", "it is less than min_delay; %s is used for both", short(f.MinDelay))
		f.MaxDelay = f.MinDelay
	}
	r.file.Fun = f
}
