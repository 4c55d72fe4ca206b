package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Setting is one key of config.toml.
type Setting struct {
	Key     string   // "session.max_messages"
	Default string   // as written in config.toml, without quotes
	Env     string   // "MAC_STATS_SESSION_MAX_MESSAGES"
	Also    []string // the older names it is read from too, the first that is set wins
	Allowed string   // in words: "a whole number from 2 to 500"
	Choices []string // where only these are allowed; else nil
	Help    string   // what it does, in one or two sentences
	Kind    Kind
	Low     int // of a number that is from a range alone, with High; else both are 0
	High    int
	Restart bool // a change waits for the next start
	Expert  bool // for few people: folded away in the window

	codec  codec
	others []alias
	strict string // the value that keeps and sends the least, where the setting is about privacy
}

// alias is an older name of a setting.
type alias struct {
	name    string
	file    bool                         // dotted: also read from config.toml
	last    bool                         // weaker than config.toml, not stronger
	convert func(string) (string, error) // to the setting's own units; nil where they are the same
	unit    string                       // what the older name counts, in words
}

// Value is the setting's value in c, as config.toml would say it without quotes.
func (s Setting) Value(c Config) string { return s.codec.show(&c) }

// readStrict gives the setting its strictest value.
func (s Setting) readStrict(c *Config) {
	if err := s.codec.read(c, s.strict); err != nil {
		panic("config: the strictest value of " + s.Key + ": " + err.Error())
	}
}

// Check says whether the setting could take a value, in words for people.
func (s Setting) Check(value string) error {
	var c Config
	if err := s.codec.read(&c, strings.TrimSpace(value)); err != nil {
		return fmt.Errorf("%s can't be %s: %s", s.Key, shown(value), s.reason(err))
	}
	return nil
}

// reason is why a value can't be used, with what is allowed.
func (s Setting) reason(err error) string {
	if err == errNotAllowed { //nolint:errorlint // our own codecs return it as it is
		return "it must be " + s.Allowed
	}
	return err.Error() + " (it must be " + s.Allowed + ")"
}

// Overridden gives the environment variable that hides what config.toml says for
// the setting, or "".
func (s Setting) Overridden(environ []string) string {
	env := environment(environ)
	if env[s.Env] != "" {
		return s.Env
	}
	for _, a := range s.others {
		for _, name := range a.envNames() {
			if !a.last && env[name] != "" {
				return name
			}
		}
	}
	return ""
}

// envNames are the environment variables of an older name. A dotted one may be
// given as it is or in capitals with underscores.
func (a alias) envNames() []string {
	if !a.file {
		return []string{a.name}
	}
	return []string{a.name, envName(a.name)}
}

func envName(key string) string {
	return strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// Lookup finds a setting by its key.
func Lookup(key string) (Setting, bool) {
	for _, s := range Settings() {
		if s.Key == key {
			return s, true
		}
	}
	return Setting{}, false
}

// named is a setting under its key, default and help; others are its older names.
func named(key, def, help string, c codec, others ...alias) Setting {
	s := Setting{
		Key: key, Default: def, Help: help, Allowed: c.allowed, Choices: c.choices, Kind: c.kind, Low: c.low, High: c.high,
		Env:   "MAC_STATS_" + envName(key),
		codec: c, others: others,
	}
	for _, a := range others {
		name := a.name
		if a.unit != "" {
			name += " (" + a.unit + ")"
		}
		s.Also = append(s.Also, name)
	}
	return s
}

// Kind is what a setting holds, and so by what it is changed in a window.
type Kind int

// The kinds.
const (
	KindText     Kind = iota
	KindSwitch        // true or false
	KindChoice        // one of Choices
	KindNumber        // a whole number, or a word of Allowed
	KindDuration      // 30s, 30m, 12h or 30d, or a word of Allowed
	KindShortcut      // what ParseShortcuts reads
)

// expert marks settings few people need.
func expert(list ...Setting) []Setting {
	for i := range list {
		list[i].Expert = true
	}
	return list
}

// strictly marks a setting that is about privacy: the value holds where what people
// wrote can't be read.
func (s Setting) strictly(value string) Setting {
	s.strict = value
	return s
}

func (s Setting) expert() Setting  { s.Expert = true; return s }
func (s Setting) atStart() Setting { s.Restart = true; return s }

// OpensUp reports whether a change gives up privacy: a setting that had its strictest
// value gets another.
func OpensUp(before, after Config) bool {
	for _, s := range Settings() {
		if s.strict != "" && s.Value(before) == s.strict && s.Value(after) != s.strict {
			return true
		}
	}
	return false
}

// Waiting lists the settings whose change waits for the next start: started is the
// configuration of this one.
func Waiting(started, now Config) []string {
	var keys []string
	for _, s := range Settings() {
		if s.Restart && s.Value(started) != s.Value(now) {
			keys = append(keys, s.Key)
		}
	}
	return keys
}

func env(name string) alias    { return alias{name: name} }
func dotted(name string) alias { return alias{name: name, file: true} }

// inUnits is an older name that holds a bare number of a unit ("s", "m").
func inUnits(name, sign, unit string) alias {
	return alias{name: name, unit: unit, convert: func(text string) (string, error) {
		if _, err := strconv.ParseUint(text, 10, 32); err == nil {
			return text + sign, nil
		}
		return text, nil // with a unit of its own, or the reader will refuse it
	}}
}

// turns is an older name that counts turns, two messages each.
func turns(name string) alias {
	return alias{name: name, file: true, unit: "turns, two messages each", convert: func(text string) (string, error) {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil {
			return "", fmt.Errorf("%s is not a number of turns", shown(text))
		}
		return strconv.FormatUint(2*n, 10), nil
	}}
}
