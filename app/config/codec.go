package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mac-stats/agents/ollama"
)

// codec reads and writes the value of one setting. read changes nothing if it fails; its
// error says why, without the allowed range if that explains it.
type codec struct {
	allowed string // in words: "a whole number from 2 to 500"
	read    func(c *Config, text string) error
	show    func(c *Config) string
	choices []string // the only allowed values, if limited
	bare    bool     // numbers and booleans have no quotes
	kind    Kind
	low     int // the range of a number without named values; otherwise both are 0
	high    int
}

// errNotAllowed means that the allowed range explains the error.
var errNotAllowed = errors.New("not allowed")

// whole reads an integer from low to high. words names single values ("auto" for 0).
func whole[T int | int64](field func(*Config) *T, low, high T, words map[string]T) codec {
	allowed := fmt.Sprintf("a whole number from %d to %d", low, high)
	for _, w := range sortedKeys(words) {
		allowed += ", or " + w
	}
	first, last := int(low), int(high)
	if len(words) > 0 {
		first, last = 0, 0
	}
	return codec{
		allowed: allowed,
		bare:    true,
		kind:    KindNumber,
		low:     first,
		high:    last,
		read: func(c *Config, text string) error {
			if n, ok := words[strings.ToLower(text)]; ok {
				*field(c) = n
				return nil
			}
			n, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
			if err != nil || T(n) < low || T(n) > high || int64(T(n)) != n {
				return errNotAllowed
			}
			*field(c) = T(n)
			return nil
		},
		show: func(c *Config) string {
			for w, n := range words {
				if *field(c) == n {
					return w
				}
			}
			return strconv.FormatInt(int64(*field(c)), 10)
		},
	}
}

// limit reads an integer from low to high, or 0 for no limit.
func limit[T int | int64](field func(*Config) *T, low, high T) codec {
	inner := whole(field, low, high, map[string]T{"0": 0})
	inner.allowed = fmt.Sprintf("0 for no limit, or a whole number from %d to %d", low, high)
	return inner
}

func boolean(field func(*Config) *bool) codec {
	return codec{
		allowed: "true or false",
		bare:    true,
		kind:    KindSwitch,
		choices: []string{"true", "false"},
		read: func(c *Config, text string) error {
			v, ok := parseBool(text)
			if !ok {
				return errNotAllowed
			}
			*field(c) = v
			return nil
		},
		show: func(c *Config) string { return strconv.FormatBool(*field(c)) },
	}
}

// parseBool reads a boolean as people write it in an environment.
func parseBool(text string) (value, ok bool) {
	switch strings.ToLower(text) {
	case "true", "1", "yes", "on":
		return true, true
	case "false", "0", "no", "off":
		return false, true
	}
	return false, false
}

// span reads a duration from low to high. words names single values ("never" for 0).
func span(field func(*Config) *time.Duration, low, high time.Duration, words map[string]time.Duration) codec {
	allowed := fmt.Sprintf("a time from %s to %s, written like 30s, 30m, 12h or 30d", formatDuration(low), formatDuration(high))
	for _, w := range sortedKeys(words) {
		allowed += ", or " + w
	}
	return codec{
		allowed: allowed,
		kind:    KindDuration,
		read: func(c *Config, text string) error {
			if d, ok := words[strings.ToLower(text)]; ok {
				*field(c) = d
				return nil
			}
			d, err := parseDuration(text)
			if err != nil || d < low || d > high {
				return errNotAllowed
			}
			*field(c) = d
			return nil
		},
		show: func(c *Config) string {
			for w, d := range words {
				if *field(c) == d {
					return w
				}
			}
			return formatDuration(*field(c))
		},
	}
}

func oneOf(field func(*Config) *string, choices ...string) codec {
	return codec{
		allowed: strings.Join(choices[:len(choices)-1], ", ") + " or " + choices[len(choices)-1],
		choices: choices,
		kind:    KindChoice,
		read: func(c *Config, text string) error {
			word := strings.ToLower(text)
			if !slices.Contains(choices, word) {
				return errNotAllowed
			}
			*field(c) = word
			return nil
		},
		show: func(c *Config) string { return *field(c) },
	}
}

// words reads a text that check accepts.
func words(field func(*Config) *string, allowed string, check func(string) error) codec {
	return codec{
		allowed: allowed,
		read: func(c *Config, text string) error {
			if err := check(text); err != nil {
				return err
			}
			*field(c) = text
			return nil
		},
		show: func(c *Config) string { return *field(c) },
	}
}

// maxText is the longest text setting, in bytes.
const maxText = 1024

// plain refuses text that no name or path contains: control characters, line ends, invalid
// UTF-8.
func plain(text string) error {
	if len(text) > maxText || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return errNotAllowed
	}
	return nil
}

func someWords(text string) error {
	if text == "" {
		return errNotAllowed
	}
	return plain(text)
}

func modelName(text string) error {
	if strings.ContainsFunc(text, unicode.IsSpace) {
		return errNotAllowed
	}
	return plain(text)
}

func hostAddress(text string) error {
	if err := someWords(text); err != nil {
		return err
	}
	if strings.Contains(text, "…@") { // as it is shown
		return errors.New("write the name and the password in the place of …")
	}
	_, err := ollama.ParseHost(text)
	return err
}

func promptPath(text string) error {
	if text != "" && strings.HasSuffix(filepath.ToSlash(text), "/") {
		return errNotAllowed
	}
	return plain(text)
}

// listenAddress accepts unix, or a loopback address with a port: the API is never open to
// other machines.
func listenAddress(text string) error {
	if text == "unix" {
		return nil
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return errNotAllowed
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return errNotAllowed
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return errNotAllowed
	}
	return nil
}

// rerankSetting accepts off, model, and a URL without a password, because settings are
// displayed.
func rerankSetting(text string) error {
	if text == "off" || text == "model" {
		return nil
	}
	u, err := url.Parse(text)
	if plain(text) != nil || err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return errNotAllowed
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
