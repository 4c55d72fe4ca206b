package background

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/sessionmem/excerpt"
)

const (
	judgeTime   = 30 * time.Second
	judgeBest   = 10  // the best grade
	judgePiece  = 400 // maximum tokens of a passage
	judgeAnswer = 12  // tokens of the answer per passage
)

// judgeSchema is the form of a judge's answer.
const judgeSchema = `{"type":"object","properties":{"grades":{"type":"array","items":{"type":"integer","minimum":0,"maximum":10}}},"required":["grades"]}`

// ErrChatModel means that the model for small work answers the chats, too. It would have to
// read the chat again after each search, so it grades nothing; what a chat finds, it reads
// itself.
var ErrChatModel = errors.New("the model for small work also answers the chats, and passages are reranked only by another one")

// Rerank returns a grade from 0 to 1 for each text, by how well it answers the query. The
// error is ErrChatModel if there is no model of its own for small work.
func (s *SmallModel) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	ctx, stop := context.WithTimeout(ctx, judgeTime)
	defer stop()
	model, numCtx, err := s.find(ctx)
	if err != nil {
		return nil, fmt.Errorf("choosing a model to judge passages: %w", err)
	}
	if chat, err := s.models.Resolve(ctx, s.settings().Chat, ollama.RoleGeneral); err == nil && ollama.SameModel(chat.Name, model.Name) {
		return nil, fmt.Errorf("%w: %s", ErrChatModel, model.Name)
	}
	req := request(model, numCtx, judgeAnswer*(len(texts)+2), s.guides.Judge, s.passages(query, texts, numCtx))
	req.Format = json.RawMessage(judgeSchema)
	res, err := s.chat.Chat(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("judging passages: %w", err)
	}
	return parseGrades(res.Content, len(texts))
}

// passages returns the question and the numbered passages, each cut to its share of the
// context.
func (s *SmallModel) passages(query string, texts []string, numCtx int) string {
	share := judgePiece
	if numCtx > 0 {
		share = min(share, numCtx/(2*(len(texts)+1)))
	}
	query, _ = prompt.CutResult(query, share)
	parts := []string{"Question: " + excerpt.OneLine(query)}
	for i, text := range texts {
		text, _ = prompt.CutResult(text, share)
		parts = append(parts, s.guides.Quote(fmt.Sprintf("passage %d", i+1), text))
	}
	return strings.Join(parts, "\n\n") + fmt.Sprintf("\n\nGive %d grades.", len(texts))
}

var errGrades = errors.New("the model gave no grades that can be used")

// parseGrades reads a judge's answer. It must have one grade per passage, because nobody
// could know which ones are missing.
func parseGrades(answer string, want int) ([]float64, error) {
	var form struct {
		Grades []float64 `json:"grades"`
	}
	if err := json.Unmarshal([]byte(strings.TrimSpace(answer)), &form); err != nil {
		return nil, fmt.Errorf("%w: %w", errGrades, err)
	}
	if len(form.Grades) != want {
		return nil, fmt.Errorf("%w: %d for %d passages", errGrades, len(form.Grades), want)
	}
	for i, g := range form.Grades {
		form.Grades[i] = min(max(g, 0), judgeBest) / judgeBest
	}
	return form.Grades, nil
}
