package ollama

import (
	"encoding/json"
	"strings"

	"golang.org/x/net/html"

	"mac-stats/sessionmem/excerpt"
)

// maxSentence limits what is repeated of a server's words, in characters.
const maxSentence = 300

// Sentence returns what the body of an error says to people, on one line: the sentence in
// its JSON, the title and text of a web page, or plain text. "" if it says nothing. Only what
// isn't JSON is shortened.
func Sentence(body []byte) string {
	var v any
	trimmed := strings.TrimSpace(string(body))
	switch {
	case json.Unmarshal(body, &v) == nil:
		return excerpt.OneLine(sentenceIn(v))
	case strings.HasPrefix(trimmed, "<"):
		trimmed = pageText(trimmed)
	}
	return excerpt.Shorten(excerpt.OneLine(strings.ToValidUTF8(trimmed, "\ufffd")), maxSentence)
}

// sentenceIn finds the sentence in the JSON of an error. Ollama has {"error": "…"}; OpenAI's
// form, OAuth's, RFC 9457's and those of the usual gateways have it elsewhere.
func sentenceIn(v any) string {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case []any:
		for _, one := range v {
			if said := sentenceIn(one); said != "" {
				return said
			}
		}
	case map[string]any:
		for _, key := range []string{"error_description", "message", "detail", "error", "errors", "msg", "title", "description", "reason"} {
			if said := sentenceIn(v[key]); said != "" {
				return said
			}
		}
	}
	return ""
}

// pageText returns the visible text of a web page, beginning with its title.
func pageText(page string) string {
	z := html.NewTokenizer(strings.NewReader(page))
	var title, words []string
	hidden, in := "", ""
	for {
		switch z.Next() {
		case html.ErrorToken:
			head, rest := strings.Join(title, " "), strings.Join(words, " ")
			rest = strings.TrimSpace(strings.TrimPrefix(rest, head))
			if head != "" && rest != "" {
				head += " – "
			}
			return head + rest
		case html.StartTagToken:
			name, _ := z.TagName()
			if in = string(name); hidden == "" && (in == "script" || in == "style" || in == "svg" || in == "noscript") {
				hidden = in
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == hidden {
				hidden = ""
			}
			in = ""
		case html.TextToken:
			said := strings.Fields(string(z.Text()))
			switch {
			case hidden != "":
			case in == "title":
				title = append(title, said...)
			default:
				words = append(words, said...)
			}
		}
	}
}
