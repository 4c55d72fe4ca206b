package transcript

import (
	"maps"
	"strings"
)

// Sources says where a text came from, beside the owner's own typing: the zero value
// is typing alone. What a turn may do follows from the sources of all that it holds,
// so a block keeps those of its text: an answer has the sources of the whole prompt
// that it was made with, since it may repeat any of it.
type Sources uint8

// The sources. Their words in a transcript are in sourceWords.
const (
	FromFile    Sources = 1 << iota // attached or piped in
	FromPage                        // a fetched page
	FromAgent                       // the answer of a sub-call
	FromTool                        // the result of another program's tool
	FromDiscord                     // what people said on Discord
	FromUnknown                     // written by an older version or another program
)

// SourceWords are the words that name the sources in AttrSources.
var SourceWords = []struct {
	source Sources
	word   string
}{
	{FromFile, "file"}, {FromPage, "page"}, {FromAgent, "agent"}, {FromTool, "tool"}, {FromDiscord, "discord"}, {FromUnknown, "unknown"},
}

// Typed reports whether there is nothing but what the owner typed.
func (s Sources) Typed() bool { return s == 0 }

// Has reports whether one of the others is among the sources.
func (s Sources) Has(others Sources) bool { return s&others != 0 }

// String is the value of the attribute.
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

// ParseSources reads an attribute. A word of a later version is a source that isn't
// known.
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
	// what was forked from Discord ("discord").
	AttrUntrusted = "untrusted"
	// TypedWord is the value of AttrSources where the owner typed it all.
	TypedWord = "typed"
)

// WithSources is the block with the sources of its text.
func (b Block) WithSources(s Sources) Block {
	b.Attrs = maps.Clone(b.Attrs)
	if b.Attrs == nil {
		b.Attrs = map[string]string{}
	}
	delete(b.Attrs, AttrUntrusted)
	b.Attrs[AttrSources] = s.String()
	return b
}

// TextSources gives the sources of the block's text, attachments and recalled passages
// aside. A block without them was written by an older version, by another program or by
// hand. Of those a User block counts as typed, except in a session of the command line,
// where it may have been piped in; nothing is known of the others.
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

// Sources gives the sources of all that a model is sent for the block: of its text, its
// attachments and what was recalled for it.
func (b Block) Sources(session string) Sources {
	s := b.TextSources(session) | b.RecalledSources()
	if len(b.Attachments()) > 0 {
		s |= FromFile
	}
	return s
}

// DiscordPrefix begins the name of a Discord session: what is said there is text of
// strangers.
const DiscordPrefix = "discord-"

// IsDiscord reports whether a session is one of Discord, by its name.
// A person may have named its file with other capitals.
func IsDiscord(session string) bool {
	return len(session) >= len(DiscordPrefix) && strings.EqualFold(session[:len(DiscordPrefix)], DiscordPrefix)
}
