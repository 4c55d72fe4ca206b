package background

import (
	"context"
	"encoding/json"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/transcript"
)

const (
	plainTitle  = 48 // characters; a first message up to this length is its own title
	titleTime   = 30 * time.Second
	titleAnswer = 24  // tokens
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
	res, err := s.chat.Chat(ctx, req)
	if err != nil {
		return "", ""
	}
	return cleanTitle(answerOf(model, res), !res.Whole()), model.Name
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

// heading matches what models write before a title on its line.
var heading = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^[^:：]*(?:\btit\p{L}*(?: \p{L}+)?|标题|標題|タイトル|제목|заголовок)[*_ ]*[:：]`)
})

// cleanTitle returns the title in a model's answer, one line of plain words with at most 60
// characters, or "" if there is none. It is the first line that can be one: not an
// introduction, which ends with a colon, nor the mark of a code block. cut reports that the
// answer isn't complete; its last line may be anything then.
func cleanTitle(answer string, cut bool) string {
	if cut {
		answer = answer[:strings.LastIndexByte(answer, '\n')+1]
	}
	if at := strings.IndexByte(answer, '{'); at >= 0 {
		var object map[string]any
		if json.NewDecoder(strings.NewReader(answer[at:])).Decode(&object) == nil {
			answer = ""
			for name, value := range object {
				if text, ok := value.(string); ok && (len(object) == 1 || strings.EqualFold(name, "title")) {
					answer = text
				}
			}
		}
	}
	for line := range strings.Lines(answer) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#*- "))
		line = strings.TrimPrefix(line, heading().FindString(line))
		line = strings.TrimSpace(strings.Trim(line, "*_ "))
		if line == "" || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") || strings.HasSuffix(line, ":") || strings.HasSuffix(line, "：") {
			continue
		}
		return plainLine(line)
	}
	return ""
}

// plainLine returns a line without the marks around it, or "" if it can't be a title. A
// Chinese or Japanese character says as much as a short word.
func plainLine(line string) string {
	line = excerpt.OneLine(strings.Trim(line, "\"'`*_“”„«»「」『』. "))
	n, size := utf8.RuneCountInString(line), 0
	for _, r := range line {
		size++
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			size++
		}
	}
	language := !strings.ContainsFunc(line, func(r rune) bool { return r < 'a' || r > 'z' }) // "json", "plaintext"
	if size < 3 || n > maxTitle || language || !utf8.ValidString(line) || refusal().MatchString(line) || strings.EqualFold(line, "new chat") || strings.Contains(line, "<") {
		return ""
	}
	return line
}
