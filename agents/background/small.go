package background

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/agents/reply"
)

// ChatModel calls a model; ollama.Client is one.
type ChatModel interface {
	Chat(ctx context.Context, req ollama.ChatRequest) (ollama.ChatResult, error)
}

// ModelResolver chooses the model and reports how much fits it; ollama.Catalog is one.
type ModelResolver interface {
	Resolve(ctx context.Context, explicit string, role ollama.Role) (ollama.ModelInfo, error)
	NumCtx(ctx context.Context, model string) (int, error)
	Observe(ctx context.Context, model string, numCtx, estimated, counted int) (cut bool)
	Estimate(model string, raw int) int
}

// Settings are the current settings for small work.
type Settings struct {
	Model      string // "" is the best installed one for small work
	PromptTier string // large | middle | plain; else to suit the model
}

// SmallModel does small work with the model chosen for it. It is the app's
// compact.Summarizer and a recall.Reranker, and it names sessions.
type SmallModel struct {
	chat     ChatModel
	models   ModelResolver
	guides   prompt.Guides
	settings func() Settings
}

// NewSmallModel returns a SmallModel. It panics if an argument or a prompt is missing.
func NewSmallModel(chat ChatModel, models ModelResolver, prompts fs.FS, settings func() Settings) *SmallModel {
	if chat == nil || models == nil || prompts == nil || settings == nil {
		panic("background: NewSmallModel needs all of its arguments")
	}
	guides, err := prompt.LoadGuides(prompts)
	if err != nil {
		panic("background: " + err.Error())
	}
	return &SmallModel{chat: chat, models: models, guides: guides, settings: settings}
}

// request returns a request for an answer of at most that many tokens, without thinking and
// with temperature 0.
func request(model ollama.ModelInfo, numCtx, most int, system, user string) ollama.ChatRequest {
	think, sober := false, 0.0
	return ollama.ChatRequest{
		Model: model.Name, NoSystem: model.NoSystem, NumCtx: numCtx, MaxTokens: most, Think: &think, Temperature: &sober,
		Messages: []api.Message{{Role: "system", Content: system}, {Role: "user", Content: user}},
	}
}

// answerOf returns the text of an answer, without what the model thought.
func answerOf(model ollama.ModelInfo, res ollama.ChatResult) string {
	var text strings.Builder
	for _, p := range reply.Parse(res.Content, "stop", reply.MarksOf(model.Template), nil, nil) {
		if p.Kind == reply.KindText || p.Kind == reply.KindCall {
			text.WriteString(res.Content[p.From:p.To])
		}
	}
	return text.String()
}

// find returns the settings' model for small work and its context size. If that model isn't
// installed, it returns the best one for small work.
func (s *SmallModel) find(ctx context.Context) (ollama.ModelInfo, int, error) {
	model, err := s.models.Resolve(ctx, s.settings().Model, ollama.RoleSmall)
	if errors.Is(err, ollama.ErrModelMissing) {
		model, err = s.models.Resolve(ctx, "", ollama.RoleSmall)
	}
	if err != nil {
		return model, 0, err
	}
	numCtx, err := s.models.NumCtx(ctx, model.Name)
	if err != nil {
		return model, 0, fmt.Errorf("finding the context size of %s: %w", model.Name, err)
	}
	return model, numCtx, nil
}
