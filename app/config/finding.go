package config

import (
	"strconv"
	"strings"
	"unicode"

	"mac-stats/sessionmem/excerpt"
)

// Finding is a setting that can't be used as written.
type Finding struct {
	Place      string // "config.toml:12", "MAC_STATS_OLLAMA_NUM_CTX"
	Key        string // "ollama.num_ctx"; "" for the whole file
	Value      string // as written, shortened
	Reason     string // with the allowed range and the value used instead
	Note       bool   // nothing is wrong: a known name that has no effect here, or that another one overrides
	Unreadable bool   // the whole file is invalid TOML
	Used       string // the value used instead, if Unreadable
}

// String returns the finding in one line, for people.
func (f Finding) String() string {
	var b strings.Builder
	b.WriteString(f.Place)
	b.WriteString(": ")
	if f.Key != "" && f.Key != f.Place {
		b.WriteString(f.Key)
		if f.Value != "" {
			b.WriteString(" = ")
			b.WriteString(f.Value)
		}
		b.WriteString(": ")
	} else if f.Value != "" {
		b.WriteString(f.Value)
		b.WriteString(": ")
	}
	b.WriteString(f.Reason)
	if f.Used != "" {
		b.WriteString("; ")
		b.WriteString(f.Used)
	}
	return b.String()
}

// maxShown is how much of a value a finding shows, in characters.
const maxShown = 80

// shown shortens a value for one line of a message, and hides the credentials of an address.
func shown(value string) string {
	runes := []rune(strings.ToValidUTF8(excerpt.Addresses(value), "\uFFFD"))
	if len(runes) > maxShown {
		runes = append(runes[:maxShown-1], '…')
	}
	for _, r := range runes {
		if !unicode.IsPrint(r) {
			return strconv.Quote(string(runes))
		}
	}
	if len(runes) == 0 {
		return `""`
	}
	return string(runes)
}
