package transcript

import (
	"maps"
	"strings"
)

// Sources is the set of places a text came from, other than the owner's own typing: the zero
// value means typing alone. What a turn may do follows from the sources of everything in it, so
// a block records those of its text. An answer has the sources of the whole prompt it was made
// from, since it may repeat any of it.
type Sources uint8

// The sources. SourceWords has their names in a transcript.
const (
	FromFile    Sources = 1 << iota // attached or piped in
	FromPage                        // a fetched page
	FromAgent                       // the answer of a sub-call
	FromTool                        // the result of another program's tool
	FromDiscord                     // what people wrote on Discord
	FromUnknown                     // written by an older version or another program
)

// SourceWords are the names of the sources in AttrSources.
var SourceWords = []struct {
	source Sources
	word   string
}{
	{FromFile, "file"}, {FromPage, "page"}, {FromAgent, "agent"}, {FromTool, "tool"}, {FromDiscord, "discord"}, {FromUnknown, "unknown"},
}

// Typed reports whether the owner typed everything.
func (s Sources) Typed() bool { return s == 0 }

// Has reports whether one of the others is among the sources.
func (s Sources) Has(others Sources) bool { return s&others != 0 }

// String returns the value of the attribute.
func (s Sources) String() string {
	var words []string
	for _, w := range SourceWords {
		if s.Has(w.source) {
			words = append(words, w.word)
		}
	}
	if len(words) == 0 {
		return TypedWord
	}
	return strings.Join(words, " ")
}

// ParseSources reads an attribute. A word of a later version counts as an unknown source.
func ParseSources(value string) Sources {
	var s Sources
next:
	for _, word := range strings.Fields(value) {
		for _, w := range SourceWords {
			if w.word == word {
				s |= w.source
				continue next
			}
		}
		if word != TypedWord {
			s |= FromUnknown
		}
	}
	return s
}

const (
	// AttrSources holds the sources of a block's text.
	AttrSources = "sources"
	// AttrUntrusted marked, before there were sources, a Summary of strangers' text and
	// blocks forked from Discord ("discord").
	AttrUntrusted = "untrusted"
	// TypedWord is the value of AttrSources if the owner typed everything.
	TypedWord = "typed"
)

// WithSources returns the block with the sources of its text.
func (b Block) WithSources(s Sources) Block {
	b.Attrs = maps.Clone(b.Attrs)
	if b.Attrs == nil {
		b.Attrs = map[string]string{}
	}
	delete(b.Attrs, AttrUntrusted)
	b.Attrs[AttrSources] = s.String()
	return b
}

// TextSources returns the sources of the block's text, without attachments and recalled
// passages. A block that names none was written by an older version, by another program or
// by hand. Then a User block counts as typed, except in a command-line session, where it may
// have been piped in; for other blocks the source is unknown.
func (b Block) TextSources(session string) Sources {
	var s Sources
	value, known := b.Attrs[AttrSources]
	if known {
		s = ParseSources(value)
	}
	switch old := b.Attrs[AttrUntrusted]; {
	case old == "discord":
		s, known = s|FromDiscord, true
	case old != "":
		s, known = s|FromUnknown, true
	}
	if b.Attrs["author"] != "" || b.Attrs["msg"] != "" || IsDiscord(session) {
		s |= FromDiscord
	}
	if !known && (b.Kind != KindUser || strings.HasPrefix(session, "cli-")) {
		s |= FromUnknown
	}
	return s
}

// Sources returns the sources of everything a model gets for the block: its text, its
// attachments and what was recalled for it.
func (b Block) Sources(session string) Sources {
	s := b.TextSources(session) | b.RecalledSources()
	if len(b.Attachments()) > 0 {
		s |= FromFile
	}
	return s
}

// DiscordPrefix begins the name of a Discord session, whose messages are text of strangers.
const DiscordPrefix = "discord-"

// IsDiscord reports whether a session is a Discord session, by its name. A person may have
// changed the case of its file's name.
func IsDiscord(session string) bool {
	return len(session) >= len(DiscordPrefix) && strings.EqualFold(session[:len(DiscordPrefix)], DiscordPrefix)
}
