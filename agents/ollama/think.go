package ollama

import (
	"strings"
	"unicode"
)

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// thinkSplitter removes a <think>…</think> from the very start of an answer, where models
// without native thinking write it. It only holds back text that may still become a tag,
// so it works on a stream that is split anywhere.
type thinkSplitter struct {
	state thinkState
	held  string
}

type thinkState int

const (
	thinkStart  thinkState = iota // nothing but spaces or part of the tag so far
	thinkInside                   // between the tags
	thinkAfter                    // the tag is closed, white space follows
	thinkPlain                    // the rest is the answer
)

// write processes the next piece of the stream and returns the text that is certain now.
func (s *thinkSplitter) write(piece string) (content, thinking string) {
	if s.state == thinkPlain {
		return piece, ""
	}
	s.held += piece
	if s.state == thinkStart {
		content = s.start()
	}
	if s.state == thinkInside {
		thinking = s.inside()
	}
	if s.state == thinkAfter {
		content = s.after()
	}
	return content, thinking
}

// flush returns the text that was held back, after the stream has ended.
func (s *thinkSplitter) flush() (content, thinking string) {
	held := s.held
	s.held = ""
	switch s.state {
	case thinkInside:
		return "", held
	case thinkAfter:
		return "", ""
	}
	s.state = thinkPlain
	return held, ""
}

func (s *thinkSplitter) start() (content string) {
	text := strings.TrimLeftFunc(s.held, unicode.IsSpace)
	switch {
	case strings.HasPrefix(text, thinkOpen):
		s.state, s.held = thinkInside, text[len(thinkOpen):]
		return ""
	case strings.HasPrefix(thinkOpen, text):
		return ""
	}
	content, s.held, s.state = s.held, "", thinkPlain
	return content
}

func (s *thinkSplitter) inside() (thinking string) {
	if before, rest, ok := strings.Cut(s.held, thinkClose); ok {
		s.state, s.held = thinkAfter, rest
		return before
	}
	keep := partialSuffix(s.held, thinkClose)
	thinking, s.held = s.held[:len(s.held)-keep], s.held[len(s.held)-keep:]
	return thinking
}

func (s *thinkSplitter) after() (content string) {
	text := strings.TrimLeftFunc(s.held, unicode.IsSpace)
	s.held = ""
	if text != "" {
		s.state = thinkPlain
	}
	return text
}

// partialSuffix returns the length of the longest suffix of s that is a prefix of tag.
func partialSuffix(s, tag string) int {
	for n := min(len(s), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(s, tag[:n]) {
			return n
		}
	}
	return 0
}
