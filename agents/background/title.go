package background

import (
	"context"
	"path"
	"strings"
	"time"
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
func (s *SmallModel) Title(ctx context.Context, loaded func(context.Context, string) bool, ask, answer transcript.Block) (title, by string) {
	ctx, stop := context.WithTimeout(ctx, titleTime)
	defer stop()
	model, numCtx, err := s.find(ctx)
	if err != nil || model.Tiny() || !loaded(ctx, model.Name) {
		return "", ""
	}
	text := "Message: " + excerpt.Shorten(excerpt.OneLine(transcript.WithoutAttachments(ask.Text)), titleQuote) +
		"\nAnswer: " + excerpt.Shorten(excerpt.OneLine(answer.Text), titleQuote)
	var files []string
	for _, f := range ask.Attachments() {
		files = append(files, path.Base(f.Name))
	}
	if len(files) > 0 {
		text = "Files: " + strings.Join(files, ", ") + "\n" + text
	}
	res, err := s.chat.Chat(ctx, request(model, numCtx, titleAnswer, s.guides.Title, text))
	if err != nil {
		return "", ""
	}
	return cleanTitle(res.Content), model.Name
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

// cleanTitle returns a model's answer as a title, one line of plain words with at most 60
// characters, or "" if it can't be one.
func cleanTitle(answer string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(answer), "\n")
	line = strings.TrimSpace(strings.TrimLeft(line, "#*- "))
	if key, rest, ok := strings.Cut(line, ":"); ok && strings.EqualFold(strings.Trim(key, "* "), "title") {
		line = rest
	}
	line = excerpt.OneLine(strings.Trim(line, "\"'`*_“”„«». "))
	n := utf8.RuneCountInString(line)
	if n < 3 || n > maxTitle || !utf8.ValidString(line) || refusal().MatchString(line) || strings.EqualFold(line, "new chat") || strings.Contains(line, "<") {
		return ""
	}
	return line
}
