package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/sessionmem/excerpt"
)

const (
	judgeTime   = 30 * time.Second
	judgeBest   = 10  // the best grade
	judgePiece  = 400 // tokens of a passage at most
	judgeAnswer = 12  // tokens of the answer for each passage
)

// judgeSchema is the form of a judge's answer.
const judgeSchema = `{"type":"object","properties":{"grades":{"type":"array","items":{"type":"integer","minimum":0,"maximum":10}}},"required":["grades"]}`

// Judge grades passages with the model for small work; it is a recall.Reranker.
type Judge struct {
	chat     ChatModel
	models   ModelResolver
	guides   prompt.Guides
	settings func() Settings
}

// NewJudge panics where an argument is missing.
func NewJudge(chat ChatModel, models ModelResolver, guides prompt.Guides, settings func() Settings) *Judge {
	if chat == nil || models == nil || settings == nil || guides.Judge == "" {
		panic("agents: NewJudge needs all of its arguments")
	}
	return &Judge{chat: chat, models: models, guides: guides, settings: settings}
}

// Rerank gives each text a grade from 0 to 1 for how well it answers the query.
func (j *Judge) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	ctx, stop := context.WithTimeout(ctx, judgeTime)
	defer stop()
	model, err := smallModel(ctx, j.models, j.settings())
	if err != nil {
		return nil, fmt.Errorf("choosing a model to judge passages: %w", err)
	}
	numCtx, err := j.models.NumCtx(ctx, model.Name)
	if err != nil {
		return nil, fmt.Errorf("finding the context size of %s: %w", model.Name, err)
	}
	think, sober := false, 0.0
	res, err := j.chat.Chat(ctx, ollama.ChatRequest{
		Model: model.Name, NoSystem: model.NoSystem, NumCtx: numCtx, Think: &think, Temperature: &sober, MaxTokens: judgeAnswer * (len(texts) + 2), Format: json.RawMessage(judgeSchema),
		Messages: []api.Message{
			{Role: "system", Content: j.guides.Judge},
			{Role: "user", Content: j.material(query, texts, numCtx)},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("judging passages: %w", err)
	}
	return parseGrades(res.Content, len(texts))
}

// material is the question and the passages, numbered, each cut to its share of the
// context.
func (j *Judge) material(query string, texts []string, numCtx int) string {
	share := judgePiece
	if numCtx > 0 {
		share = min(share, numCtx/(2*(len(texts)+1)))
	}
	query, _ = prompt.CutResult(query, share)
	parts := []string{"Question: " + excerpt.OneLine(query)}
	for i, text := range texts {
		text, _ = prompt.CutResult(text, share)
		parts = append(parts, j.guides.Quote(fmt.Sprintf("passage %d", i+1), text))
	}
	return strings.Join(parts, "\n\n") + fmt.Sprintf("\n\nGive %d grades.", len(texts))
}

var errGrades = errors.New("the model gave no grades that can be used")

// parseGrades reads a judge's answer. One grade for each passage has to be there:
// which ones are missing nobody could tell.
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

// smallModel is the one that settings name for small work; where it is not
// installed, the best one for it.
func smallModel(ctx context.Context, models ModelResolver, s Settings) (ollama.ModelInfo, error) {
	model, err := models.Resolve(ctx, s.RoleModels[string(ollama.RoleSmall)], ollama.RoleSmall)
	if errors.Is(err, ollama.ErrModelMissing) {
		model, err = models.Resolve(ctx, "", ollama.RoleSmall)
	}
	return model, err
}
