package background

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/transcript"
)

const (
	plainTitle  = 48 // characters; a first message up to this length is its own title
	titleTime   = 30 * time.Second
	titleAnswer = 48  // tokens
	titleQuote  = 600 // characters of each message that the model sees
	maxTitle    = 60  // characters
)

// Title returns a title for a session that begins with a message and its answer, and the
// model that wrote it. The title is "" if the model is tiny or not loaded, or if its answer
// can't be a title.
func (s *SmallModel) Title(ctx context.Context, session string, loaded func(context.Context, string) bool, ask, answer transcript.Block) (title, by string) {
	ctx, stop := context.WithTimeout(ctx, titleTime)
	defer stop()
	model, numCtx, err := s.find(ctx)
	if err != nil || model.Tiny() || !loaded(ctx, model.Name) {
		return "", ""
	}
	req, _, ok := s.continued(ctx, session, model, titleAnswer, func(Conversation) string { return s.guides.Title })
	if !ok {
		req = request(model, numCtx, titleAnswer, s.guides.Title, titleMaterial(ask, answer))
	}
	req.Format = json.RawMessage(titleSchema)
	res, err := s.chat.Chat(ctx, req)
	if err != nil {
		return "", ""
	}
	return cleanTitle(answerOf(model, res), !res.Whole(), ask.Text+"\n"+answer.Text), model.Name
}

// titleMaterial returns what a conversation began with.
func titleMaterial(ask, answer transcript.Block) string {
	text := "Message: " + excerpt.Shorten(excerpt.OneLine(transcript.WithoutAttachments(ask.Text)), titleQuote) +
		"\nAnswer: " + excerpt.Shorten(excerpt.OneLine(answer.Text), titleQuote)
	var files []string
	for _, f := range ask.Attachments() {
		files = append(files, path.Base(f.Name))
	}
	if len(files) > 0 {
		text = "Files: " + strings.Join(files, ", ") + "\n" + text
	}
	return text
}

// lacksTitle reports whether a session needs a title: it has its first answer, nobody gave
// it a title, and its first message is too long to be one.
func lacksTitle(window transcript.Context) bool {
	if window.Titled || window.Total != 2 || len(window.Messages) != 2 {
		return false
	}
	words := strings.TrimSpace(transcript.WithoutAttachments(window.Messages[0].Text))
	n := utf8.RuneCountInString(words)
	return n == 0 || n > plainTitle || strings.Contains(words, "\n")
}

// titleSchema is the form of the answer, so that it has no introduction, label or fence.
const titleSchema = `{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}`

// cleanTitle returns the title in a model's answer, one line of plain words with at most 60
// characters, or "" if there is none. It is the title of the JSON that was asked for, or its
// only text. A server that ignores the schema gives words: one line of them is a title, behind
// a line that announces it, if it has a word of the conversation; whatever says more may be
// anything, a thought or a sentence to the person. cut reports that the answer isn't complete.
func cleanTitle(answer string, cut bool, said string) string {
	said = strings.ToLower(said)
	if at := strings.IndexAny(answer, "{["); at >= 0 {
		var v any
		if json.NewDecoder(strings.NewReader(answer[at:])).Decode(&v) == nil {
			return plainLine(titleIn(v), said)
		}
	}
	if cut || strings.ContainsAny(answer, "{}[]<>|\\") {
		return ""
	}
	title := ""
	for line := range strings.Lines(answer) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") || strings.Trim(line, "-") == "" {
			continue
		}
		if title != "" {
			return ""
		}
		line = strings.ReplaceAll(strings.Trim(strings.TrimLeft(line, "#-•* "), "_ "), "**", "")
		label, rest, labelled := strings.Cut(strings.ReplaceAll(line, "：", ":"), ":")
		if labelled && slices.ContainsFunc(strings.FieldsFunc(label, noLetter), func(word string) bool { return !strings.Contains(said, strings.ToLower(word)) }) {
			line = rest
		}
		title = plainLine(line, said)
	}
	if !slices.ContainsFunc(strings.FieldsFunc(title, noLetter), func(word string) bool {
		return utf8.RuneCountInString(word) > 3 && strings.Contains(said, strings.ToLower(word)) || strings.ContainsFunc(word, wide)
	}) {
		return ""
	}
	return title
}

// titleIn returns the text called title in a JSON value, or its only text.
func titleIn(v any) string {
	var texts []string
	var titled string
	var look func(name string, v any)
	look = func(name string, v any) {
		switch v := v.(type) {
		case string:
			if texts = append(texts, v); strings.EqualFold(name, "title") {
				titled = v
			}
		case []any:
			for _, one := range v {
				look("", one)
			}
		case map[string]any:
			for name, one := range v {
				look(name, one)
			}
		}
	}
	if look("", v); titled == "" && len(texts) == 1 {
		titled = texts[0]
	}
	return titled
}

func noLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) }

// wide reports whether a character says as much as a short word.
func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// quotes are the marks around a title that aren't part of it.
var quotes = []string{`""`, "''", "``", "**", "__", "“”", "„“", "‘’", "«»", "「」", "『』"}

// plainLine returns a line without the marks around it, or "" if it can't be a title. One
// word is a title only if it was said: "json", "Sure" and "Untitled" are none.
func plainLine(line, said string) string {
	line = strings.TrimRight(excerpt.OneLine(line), ".。 ")
	for again := true; again; {
		again = false
		for _, pair := range quotes {
			open, size := utf8.DecodeRuneInString(pair)
			inner, ok := strings.CutPrefix(line, string(open))
			inner, closed := strings.CutSuffix(inner, pair[size:])
			if ok && closed && !strings.ContainsAny(inner, pair) {
				line, again = strings.TrimRight(strings.TrimSpace(inner), ".。 "), true
			}
		}
	}
	n, size := utf8.RuneCountInString(line), 0
	for _, r := range line {
		size++
		if wide(r) {
			size++
		}
	}
	alone := !strings.ContainsFunc(line, func(r rune) bool { return unicode.IsSpace(r) || wide(r) })
	if size < 3 || n > maxTitle || alone && !strings.Contains(said, strings.ToLower(line)) || !utf8.ValidString(line) || strings.ContainsFunc(line, unseen) || refusal().MatchString(line) || strings.EqualFold(line, "new chat") {
		return ""
	}
	return line
}

// unseen reports whether a character can't be seen and may turn the others around.
func unseen(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control) || r == '\u200b' || r == '\ufeff'
}
