package config

import (
	"strconv"
	"strings"
	"unicode"
)

// Finding is a setting that could not be used as written.
type Finding struct {
	Place      string // "config.toml:12", "MAC_STATS_OLLAMA_NUM_CTX"
	Key        string // "ollama.num_ctx"; "" where the whole file is meant
	Value      string // as written, shortened
	Reason     string // with the allowed range and what is used instead
	Note       bool   // nothing is wrong: a name that is known and has no use here, or that another one hides
	Unreadable bool   // the file as a whole is no TOML
	Used       string // where Unreadable: what is used instead
}

// String is the finding in one line, for people.
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

// maxShown is how much of a value a finding repeats, in characters.
const maxShown = 80

// shown makes a value fit for one line of a message.
func shown(value string) string {
	runes := []rune(strings.ToValidUTF8(value, "\uFFFD"))
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
