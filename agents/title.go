package agents

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollama"
	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/transcript"
)

const (
	plainTitle  = 48 // characters: a first message as short as this is its own title
	titleTime   = 30 * time.Second
	titleAnswer = 24  // tokens
	titleQuote  = 600 // characters of each message that the model sees
	maxTitle    = 60  // characters
)

// nameAfter gives a session a title once, after its first answer, in words of the
// small model. Nothing is loaded for it and nobody waits for it: where it does not
// come about, the first message's words stay.
func (e *Engine) nameAfter(ctx context.Context, session string) {
	if e.p.Loaded == nil || !e.p.Settings().AutoTitle {
		return
	}
	window, err := e.p.Store.Context(ctx, session)
	if err != nil || !lacksTitle(window) {
		return
	}
	model, err := e.p.Models.Resolve(ctx, e.p.Settings().RoleModels[string(ollama.RoleSmall)], ollama.RoleSmall)
	if err != nil || model.Tiny() || !e.p.Loaded(ctx, model.Name) {
		return
	}
	title := e.askTitle(ctx, model, window.Messages[0], window.Messages[1])
	if title == "" {
		return
	}
	if named, err := e.p.Store.SuggestTitle(ctx, session, title, model.Name); err != nil {
		e.log.Debug("a session got no title", "session", session, "err", err)
	} else if named && e.p.Named != nil {
		e.p.Named(session)
	}
}

// lacksTitle says whether a session is to get one: after its first answer, where nobody
// gave it one and its first message is none.
func lacksTitle(window transcript.Context) bool {
	if window.Titled || window.Total != 2 || len(window.Messages) != 2 {
		return false
	}
	words := strings.TrimSpace(transcript.WithoutAttachments(window.Messages[0].Text))
	n := utf8.RuneCountInString(words)
	return n == 0 || n > plainTitle || strings.Contains(words, "\n")
}

// askTitle gives "" where the model gave nothing that can be a title.
func (e *Engine) askTitle(ctx context.Context, model ollama.ModelInfo, ask, answer transcript.Block) string {
	ctx, stop := context.WithTimeout(ctx, titleTime)
	defer stop()
	numCtx, err := e.p.Models.NumCtx(ctx, model.Name)
	if err != nil {
		return ""
	}
	text := "Files: " + fileNames(ask.Attachments()) + "\n"
	if len(ask.Attachments()) == 0 {
		text = ""
	}
	text += "Message: " + excerpt.Shorten(excerpt.OneLine(transcript.WithoutAttachments(ask.Text)), titleQuote) +
		"\nAnswer: " + excerpt.Shorten(excerpt.OneLine(answer.Text), titleQuote)
	think, sober := false, 0.0
	res, err := e.p.Chat.Chat(ctx, ollama.ChatRequest{
		Model: model.Name, NoSystem: model.NoSystem, NumCtx: numCtx, MaxTokens: titleAnswer, Think: &think, Temperature: &sober,
		Messages: []api.Message{{Role: "system", Content: e.guides.Title}, {Role: "user", Content: text}},
	})
	if err != nil {
		return ""
	}
	return cleanTitle(res.Content)
}

// cleanTitle makes a title of a model's answer: one line of plain words, at most 60
// characters; "" of anything else.
func cleanTitle(answer string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(answer), "\n")
	line = strings.TrimSpace(strings.TrimLeft(line, "#*- "))
	if key, rest, ok := strings.Cut(line, ":"); ok && strings.EqualFold(strings.Trim(key, "* "), "title") {
		line = rest
	}
	line = excerpt.OneLine(strings.Trim(line, "\"'`*_“”„«». "))
	n := utf8.RuneCountInString(line)
	if n < 3 || n > maxTitle || !utf8.ValidString(line) || refusing.MatchString(line) || strings.EqualFold(line, "new chat") || strings.Contains(line, "<") {
		return ""
	}
	return line
}
