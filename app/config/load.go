package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"mac-stats/sessionmem/wholefile"
)

// Load reads the configuration from a file, which may be missing, and an environment in the
// form of os.Environ. It never fails: a value that can't be used is a Finding, and the
// default applies. A file that isn't TOML is a single Finding with line and column.
// Findings are in the order of the file, then of the settings.
//
// Privacy fails closed: if the file or its value for a privacy setting can't be read, that
// setting takes its strictest value.
func Load(file string, environ []string) (Config, []Finding) {
	l := loader{
		config: Default(),
		env:    environment(environ),
		name:   filepath.Base(file),
		file:   map[string]entry{},
		strict: map[string]bool{},
	}
	l.readFile(file)
	for _, s := range Settings() {
		l.resolve(s)
	}
	l.strangers()
	return l.config, l.findings
}

// Debug reports whether DEBUG in the environment raises the log level: any value except 0,
// false, no and off does.
func Debug(environ []string) bool {
	text := environment(environ)["DEBUG"]
	value, ok := parseBool(text)
	return text != "" && (value || !ok)
}

// unused lists names from the source documents that have no effect here.
var unused = []string{"MEM_LOG_SUBSYS", "USER_PROFILE_DIR", "SERVER_PROFILE_DIR", "DM_LOGS_DIR", "TTS_PREFS_FILE"}

// elsewhere lists variables of ours that aren't settings: the Discord bot's token, the
// address of a private Discord server, and the token of the Ollama server.
var elsewhere = []string{"MAC_STATS_DISCORD_TOKEN", "MAC_STATS_DISCORD_BASE", "MAC_STATS_OLLAMA_TOKEN"}

// secretName matches names of values that may be secrets; those values are never shown.
var secretName = regexp.MustCompile(`(?i)tok|secret|passw|key`)

// guarded returns the value of an unknown key for display: none if the key sounds like a
// secret's.
func guarded(name, value string) string {
	if secretName.MatchString(name) {
		return ""
	}
	return shown(value)
}

type loader struct {
	config   Config
	env      map[string]string
	name     string // the file's name, for people
	entries  []entry
	file     map[string]entry // by key
	strict   map[string]bool  // keys that the file may set in a form nobody can read
	findings []Finding
}

// candidate is one place that sets a setting.
type candidate struct {
	place string
	key   string
	text  string
	other *alias
	whole bool
}

func (l *loader) readFile(file string) {
	data, err := readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var doc *document
	if err == nil {
		doc, err = parse(data)
	}
	if err != nil {
		l.unreadable(err)
		return
	}
	l.entries = doc.entries
	for _, e := range doc.entries {
		l.file[e.key] = e
	}
	l.unknownKeys(doc)
}

// unreadable handles a file that can't be read: it might ask for full privacy.
func (l *loader) unreadable(err error) {
	for _, s := range Settings() {
		l.strict[s.Key] = s.Strict != ""
	}
	f := Finding{
		Place: l.name, Unreadable: true, Reason: "it can't be read: " + err.Error(),
		Used: "until that is fixed no transcript is written, no model writes memory, and all else has its default",
	}
	var bad *syntaxError
	switch {
	case errors.As(err, &bad):
		f.Place, f.Reason = fmt.Sprintf("%s:%d:%d", l.name, bad.line, bad.column), "this is not TOML: "+bad.reason
	case errors.Is(err, errEmpty):
		f.Reason = "it is empty; write your settings into it again, or delete it for the defaults"
	}
	l.find(f)
}

// errEmpty means that the file is empty. The app never leaves it so: somebody is saving it
// right now, or a save failed.
var errEmpty = errors.New("it is empty")

// readFile reads a file of at most maxFile bytes. It returns fs.ErrNotExist only if there
// is no file; a broken link is somebody's setting that can't be reached.
func readFile(file string) ([]byte, error) {
	data, err := wholefile.Read(file, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		if _, linkErr := os.Lstat(file); linkErr == nil {
			return nil, errors.New("it is a link to a file that isn't there")
		}
	}
	if err == nil && len(bytes.Trim(bytes.TrimPrefix(data, byteOrderMark), " \t\r\n\x00")) == 0 {
		err = errEmpty
	}
	return data, err
}

func (l *loader) find(f Finding) { l.findings = append(l.findings, f) }

// resolve sets a setting to its first usable value and adds a finding for each unusable
// one.
func (l *loader) resolve(s Setting) {
	list := l.candidates(s)
	for i, c := range list {
		target := &l.config
		if i > 0 {
			target = new(Config) // only checked: the first one counts
		}
		if err := c.apply(s, target); err != nil {
			used := "the default " + shown(s.Default) + " is used"
			switch {
			case i > 0:
				used = list[0].place + " is used instead"
			case s.Strict != "":
				used = "until that is fixed it is " + s.Strict
				s.readStrict(target)
			case s.alone && strings.TrimSpace(c.text) != "":
				used, target.Ollama.Host = "no other server is asked until that is fixed", c.text
			}
			l.find(Finding{Place: c.place, Key: s.Key, Value: s.shown(c.text), Reason: s.reason(err) + "; " + used})
		}
	}
	l.hidden(s, list)
}

func (c candidate) apply(s Setting, target *Config) error {
	text := strings.TrimSpace(c.text)
	if !c.whole {
		return errNotAllowed
	}
	if c.other != nil && c.other.convert != nil {
		var err error
		if text, err = c.other.convert(text); err != nil {
			return err
		}
	}
	return s.codec.read(target, text)
}

// candidates returns the places that set s, strongest first. An empty variable sets
// nothing.
func (l *loader) candidates(s Setting) []candidate {
	var list []candidate
	fromEnv := func(name string, other *alias) {
		if v := l.env[name]; strings.TrimSpace(v) != "" {
			list = append(list, candidate{place: name, key: name, text: v, other: other, whole: true})
		}
	}
	fromFile := func(key string, other *alias) {
		if e, ok := l.file[key]; ok {
			list = append(list, candidate{place: fmt.Sprintf("%s:%d", l.name, e.line), key: key, text: e.text, other: other, whole: e.whole})
		}
	}
	fromEnv(s.Env, nil)
	for i := range s.others {
		for _, name := range s.others[i].envNames() {
			if !s.others[i].last {
				fromEnv(name, &s.others[i])
			}
		}
	}
	fromFile(s.Key, nil)
	if _, ok := l.file[s.Key]; !ok && l.strict[s.Key] {
		list = append(list, candidate{place: l.name, key: s.Key, text: s.Strict, whole: true})
	}
	for i := range s.others {
		if s.others[i].file {
			fromFile(s.others[i].name, &s.others[i])
		}
		if s.others[i].last {
			fromEnv(s.others[i].name, &s.others[i])
		}
	}
	return list
}

// hidden notes an older name in the file that the setting's own key overrides there.
func (l *loader) hidden(s Setting, list []candidate) {
	if _, ok := l.file[s.Key]; !ok {
		return
	}
	for _, c := range list {
		if c.other != nil && c.other.file && l.file[c.key].line > 0 {
			l.find(Finding{Place: c.place, Key: c.key, Value: shown(c.text), Reason: s.Key + " in the same file is used instead", Note: true})
		}
	}
}

// unknownKeys reports unknown keys and tables with the nearest known names.
func (l *loader) unknownKeys(doc *document) {
	known, tables := knownKeys()
	for _, e := range doc.entries {
		list, isList := strings.CutSuffix(e.table, listMark)
		if slices.Contains(known, e.key) || isList && slices.Contains(tables, list) { // the list itself is reported below
			continue
		}
		reason := "there is no such key"
		if slices.Contains(tables, e.key) {
			reason = "this is a section; write [" + e.key + "] and its keys below it" + l.guardAll(e.key+".")
		} else if e.key == "ollama.token" {
			reason = "a token doesn't stand in this file: save it with `mac-stats models token`, and take it out here"
		} else if e.key == "discord.token" {
			reason = "a token doesn't stand in this file: save it with `mac-stats discord token`, and take it out here"
		} else if near := nearest(e.key, known); near != "" {
			reason += strings.TrimSuffix("; did you mean "+near+"?"+strings.TrimPrefix(l.guard(near), "."), ".")
		}
		l.find(Finding{Place: fmt.Sprintf("%s:%d", l.name, e.line), Key: shown(e.key), Value: guarded(e.key, e.text), Reason: reason})
	}
	for _, h := range doc.headers {
		line := 1 + strings.Count(string(doc.data[:h.end]), "\n")
		switch {
		case h.array && slices.Contains(tables, h.name):
			l.find(Finding{Place: fmt.Sprintf("%s:%d", l.name, line), Key: h.name, Reason: "this is a list of tables; write [" + h.name + "]" + l.guardAll(h.name+".")})
		case !slices.Contains(tables, h.name) && !hasKeys(doc, h):
			reason := "there is no such section"
			if near := nearest(h.name, tables); near != "" {
				reason += "; did you mean " + near + "?"
			}
			l.find(Finding{Place: fmt.Sprintf("%s:%d", l.name, line), Key: shown(h.name), Reason: reason})
		}
	}
}

// guard sets a privacy setting to its strictest value if a value for it might be
// unreadable, and returns a sentence about it.
func (l *loader) guard(keys ...string) string {
	var strict []string
	for _, key := range keys {
		s, _ := Lookup(key)
		if _, set := l.file[key]; !set && s.Strict != "" {
			l.strict[key] = true
			strict = append(strict, key+" is "+s.Strict)
		}
	}
	if len(strict) == 0 {
		return ""
	}
	return ". Until that is done " + strings.Join(strict, " and ")
}

// guardAll is guard for all settings of a section.
func (l *loader) guardAll(section string) string {
	var keys []string
	for _, s := range Settings() {
		if strings.HasPrefix(s.Key, section) {
			keys = append(keys, s.Key)
		}
	}
	return l.guard(keys...)
}

// hasKeys reports whether keys of a table were checked on their own.
func hasKeys(doc *document, h header) bool {
	return slices.ContainsFunc(doc.entries, func(e entry) bool { return strings.TrimSuffix(e.table, listMark) == h.name })
}

// knownKeys returns all keys that config.toml may contain, their tables, and the tables
// around those.
func knownKeys() (keys, tables []string) {
	add := func(key string) {
		keys = append(keys, key)
		for i, c := range key {
			if c == '.' && !slices.Contains(tables, key[:i]) {
				tables = append(tables, key[:i])
			}
		}
	}
	for _, s := range Settings() {
		add(s.Key)
	}
	for _, s := range Settings() {
		for _, a := range s.others {
			if a.file {
				add(a.name)
			}
		}
	}
	return keys, tables
}

// strangers notes known names in the environment that have no effect, and misspelled ones
// of ours.
func (l *loader) strangers() {
	for _, name := range unused {
		if l.env[name] != "" {
			l.find(Finding{Place: name, Key: name, Value: shown(l.env[name]), Reason: "known, and not used here", Note: true})
		}
	}
	known := append([]string{envHome, envCache}, elsewhere...)
	for _, s := range Settings() {
		known = append(known, s.Env)
	}
	for _, name := range sortedKeys(l.env) {
		if !strings.HasPrefix(name, "MAC_STATS_") || slices.Contains(known, name) {
			continue
		}
		if near := nearest(name, known); near != "" {
			l.find(Finding{Place: name, Key: name, Value: guarded(name, l.env[name]), Reason: "there is no such setting; did you mean " + near + "?", Note: true})
		}
	}
}

// environment returns a map of an environment list; the last of two entries counts.
func environment(environ []string) map[string]string {
	m := make(map[string]string, len(environ))
	for _, kv := range environ {
		if k, v, ok := strings.Cut(kv, "="); ok {
			m[k] = v
		}
	}
	return m
}
