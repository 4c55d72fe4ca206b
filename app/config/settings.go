package config

import (
	"fmt"
	"strconv"
	"strings"

	"mac-stats/sessionmem/excerpt"
)

// Setting is one key of config.toml.
type Setting struct {
	Key     string   // "session.max_messages"
	Default string   // as in config.toml, without quotes
	Env     string   // "MAC_STATS_SESSION_MAX_MESSAGES"
	Also    []string // older names that are also read; the first one set wins
	Allowed string   // in words: "a whole number from 2 to 500"
	Choices []string // the only allowed values; nil if not limited
	Help    string   // what it does, in one or two sentences
	Kind    Kind
	Low     int // range of a number without named values, with High; otherwise both are 0
	High    int
	Restart bool // a change takes effect at the next start
	Expert  bool // rarely needed: collapsed in the window
	// Strict is the value of a privacy setting that saves and sends the least. It applies if
	// the user's own can't be read. "" for other settings.
	Strict string

	codec  codec
	others []alias
	alone  bool // the server's address: no other one takes the place of a bad one
}

// alias is an older name of a setting.
type alias struct {
	name    string
	file    bool                         // dotted: also read from config.toml
	last    bool                         // weaker than config.toml instead of stronger
	convert func(string) (string, error) // to the setting's own units; nil if they are the same
	unit    string                       // the older name's unit, in words
}

// Value returns the setting's value in c as config.toml has it, without quotes.
func (s Setting) Value(c Config) string { return s.codec.show(&c) }

// Shown is Value for display: the server's address without its name and password. Such a
// value can't be set again.
func (s Setting) Shown(c Config) string {
	if s.alone {
		return excerpt.Address(s.Value(c))
	}
	return s.Value(c)
}

// readStrict sets the setting to its strictest value.
func (s Setting) readStrict(c *Config) {
	if err := s.codec.read(c, s.Strict); err != nil {
		panic("config: the strictest value of " + s.Key + ": " + err.Error())
	}
}

// Check reports, in words for people, why the setting can't take a value.
func (s Setting) Check(value string) error {
	var c Config
	if err := s.codec.read(&c, strings.TrimSpace(value)); err != nil {
		return fmt.Errorf("%s can't be %s: %s", s.Key, s.shown(value), s.reason(err))
	}
	return nil
}

// shown returns a value for display. An address may lack the scheme that tells it from text.
func (s Setting) shown(value string) string {
	if s.alone {
		value = excerpt.Address(value)
	}
	return shown(value)
}

// reason explains why a value can't be used and what is allowed.
func (s Setting) reason(err error) string {
	if err == errNotAllowed { //nolint:errorlint // our own codecs return it unwrapped
		return "it must be " + s.Allowed
	}
	return err.Error() + " (it must be " + s.Allowed + ")"
}

// Overridden returns the environment variable that overrides the setting's value in
// config.toml, or "".
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

// envNames returns the environment variables of an older name. A dotted one may be used
// unchanged or in capitals with underscores.
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

// named returns a setting with its key, default and help; others are its older names.
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

// Kind is the type of a setting, which determines its control in a window.
type Kind int

// The kinds.
const (
	KindText     Kind = iota
	KindSwitch        // true or false
	KindChoice        // one of Choices
	KindNumber        // an integer, or a word in Allowed
	KindDuration      // 30s, 30m, 12h or 30d, or a word in Allowed
	KindShortcut      // as ParseShortcuts reads it
)

// expert marks settings that few people need.
func expert(list ...Setting) []Setting {
	for i := range list {
		list[i].Expert = true
	}
	return list
}

// strictly marks a privacy setting: the value applies if the user's own can't be read.
func (s Setting) strictly(value string) Setting {
	s.Strict = value
	return s
}

func (s Setting) expert() Setting  { s.Expert = true; return s }
func (s Setting) atStart() Setting { s.Restart = true; return s }
func (s Setting) server() Setting  { s.alone = true; return s }

// OpensUp reports whether a change gives up privacy: a setting no longer has its strictest
// value.
func OpensUp(before, after Config) bool {
	for _, s := range Settings() {
		if s.Strict != "" && s.Value(before) == s.Strict && s.Value(after) != s.Strict {
			return true
		}
	}
	return false
}

// Waiting lists the settings whose change takes effect at the next start; started is the
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

// inUnits returns an older name whose value is a bare number of units ("s", "m").
func inUnits(name, sign, unit string) alias {
	return alias{name: name, unit: unit, convert: func(text string) (string, error) {
		if _, err := strconv.ParseUint(text, 10, 32); err == nil {
			return text + sign, nil
		}
		return text, nil // it has a unit, or the codec will refuse it
	}}
}

// turns returns an older name that counts turns of two messages each.
func turns(name string) alias {
	return alias{name: name, file: true, unit: "turns, two messages each", convert: func(text string) (string, error) {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil {
			return "", fmt.Errorf("%s is not a number of turns", shown(text))
		}
		return strconv.FormatUint(2*n, 10), nil
	}}
}
