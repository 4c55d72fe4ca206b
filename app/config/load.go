package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Load resolves the configuration from a file, which need not be there, and an
// environment as os.Environ gives it. It never fails: what can't be used is a
// Finding and the default stands. A file that is not TOML at all is one Finding
// with line and column. Findings come in the order of the file, then of the
// settings.
func Load(file string, environ []string) (Config, []Finding) {
	l := loader{
		config: Default(),
		env:    environment(environ),
		name:   filepath.Base(file),
		file:   map[string]entry{},
	}
	l.readFile(file)
	for _, s := range Settings() {
		l.resolve(s)
	}
	l.strangers()
	return l.config, l.findings
}

// Debug reports whether DEBUG in the environment raises the log level: any value
// but 0, false, no and off does.
func Debug(environ []string) bool {
	text := environment(environ)["DEBUG"]
	value, ok := parseBool(text)
	return text != "" && (value || !ok)
}

// unused are names of the source documents without a meaning here.
var unused = []string{"MEM_LOG_SUBSYS", "USER_PROFILE_DIR", "SERVER_PROFILE_DIR", "DM_LOGS_DIR", "TTS_PREFS_FILE"}

// elsewhere are variables of ours that are no settings: the Discord bot's token, and
// where a Discord of somebody's own is.
var elsewhere = []string{"MAC_STATS_DISCORD_TOKEN", "MAC_STATS_DISCORD_BASE"}

// secretName is in the name of what may hold a secret: its value is shown nowhere.
var secretName = regexp.MustCompile(`(?i)tok|secret|passw|key`)

// guarded is a value of something unknown as it may be shown: none where the whole key
// sounds like a secret's.
func guarded(name, value string) string {
	if secretName.MatchString(name) {
		return ""
	}
	return shown(value)
}

type loader struct {
	config   Config
	env      map[string]string
	name     string // the file's, for people
	entries  []entry
	file     map[string]entry // by key
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
	data, err := readLimited(file)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		l.find(Finding{Place: l.name, Reason: "it can't be read: " + err.Error() + "; the defaults are used"})
		return
	}
	doc, err := parse(data)
	if err != nil {
		place, reason := l.name, err.Error()
		var bad *syntaxError
		if errors.As(err, &bad) {
			place, reason = fmt.Sprintf("%s:%d:%d", l.name, bad.line, bad.column), bad.reason
		}
		l.find(Finding{Place: place, Unreadable: true, Reason: "this is not TOML: " + reason, Used: l.salvage(data) + " until it is put right"})
		return
	}
	l.entries = doc.entries
	for _, e := range doc.entries {
		l.file[e.key] = e
	}
	l.unknownKeys(doc)
}

// wantsNoFiles finds the one setting that has to hold even in a file that is no
// TOML: somebody who asked for nothing to be written must not be written down
// because of a typing mistake elsewhere.
var wantsNoFiles = regexp.MustCompile(`(?m)^[ \t]*(?:session[ \t]*\.[ \t]*)?in_memory_only[ \t]*=[ \t]*true\b`)

// salvage keeps what must hold and says what is used.
func (l *loader) salvage(data []byte) string {
	if !wantsNoFiles.Match(data) {
		return "the defaults are used"
	}
	l.config.Session.InMemoryOnly = true
	return "the defaults are used, but session.in_memory_only stays on"
}

// readLimited reads a file of at most maxFile bytes.
func readLimited(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is not a file", file))
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", file, maxFile)
	}
	return data, err
}

func (l *loader) find(f Finding) { l.findings = append(l.findings, f) }

// resolve gives a setting the first value there is, and a finding for each that
// can't be used.
func (l *loader) resolve(s Setting) {
	list := l.candidates(s)
	for i, c := range list {
		target := &l.config
		if i > 0 {
			target = new(Config) // checked all the same: the first one alone counts
		}
		if err := c.apply(s, target); err != nil {
			used := "the default " + shown(s.Default) + " is used"
			if i > 0 {
				used = list[0].place + " is used instead"
			}
			l.find(Finding{Place: c.place, Key: s.Key, Value: shown(c.text), Reason: s.reason(err) + "; " + used})
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

// candidates are the places that set s, the strongest first. An empty variable
// sets nothing.
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

// hidden notes an older name in the file that the setting's own key, in the same
// file, makes void.
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

// unknownKeys finds keys and tables that mean nothing, with the nearest that do.
func (l *loader) unknownKeys(doc *document) {
	known, tables := knownKeys()
	for _, e := range doc.entries {
		list, isList := strings.CutSuffix(e.table, listMark)
		if slices.Contains(known, e.key) || isList && slices.Contains(tables, list) { // the list itself is found below
			continue
		}
		reason := "there is no such key"
		if e.key == "discord.token" {
			reason = "a token doesn't stand in this file: save it with `mac-stats discord token`, and take it out here"
		} else if near := nearest(e.key, known); near != "" {
			reason += "; did you mean " + near + "?"
		}
		l.find(Finding{Place: fmt.Sprintf("%s:%d", l.name, e.line), Key: shown(e.key), Value: guarded(e.key, e.text), Reason: reason})
	}
	for _, h := range doc.headers {
		line := 1 + strings.Count(string(doc.data[:h.end]), "\n")
		switch {
		case h.array && slices.Contains(tables, h.name):
			l.find(Finding{Place: fmt.Sprintf("%s:%d", l.name, line), Key: h.name, Reason: "this is a list of tables; write [" + h.name + "]"})
		case !slices.Contains(tables, h.name) && !hasKeys(doc, h):
			reason := "there is no such section"
			if near := nearest(h.name, tables); near != "" {
				reason += "; did you mean " + near + "?"
			}
			l.find(Finding{Place: fmt.Sprintf("%s:%d", l.name, line), Key: shown(h.name), Reason: reason})
		}
	}
}

// hasKeys reports whether keys of a table have been looked at on their own.
func hasKeys(doc *document, h header) bool {
	return slices.ContainsFunc(doc.entries, func(e entry) bool { return strings.TrimSuffix(e.table, listMark) == h.name })
}

// knownKeys are all keys that config.toml may hold, and their tables with the
// tables around those.
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

// strangers notes names in the environment that are known and unused, and ours
// that are misspelled.
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

// environment makes a map of an environment list; of two the last one counts.
func environment(environ []string) map[string]string {
	m := make(map[string]string, len(environ))
	for _, kv := range environ {
		if k, v, ok := strings.Cut(kv, "="); ok {
			m[k] = v
		}
	}
	return m
}
