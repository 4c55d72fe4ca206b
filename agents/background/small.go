package background

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/agents/reply"
	"mac-stats/sessionmem/transcript"
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
	Chat       string // the model that chats use; "" is the best installed one
	PromptTier string // large | middle | plain; else to suit the model
}

// SmallModel does small work with the model chosen for it. It is the app's
// compact.Summarizer and a recall.Reranker, and it names sessions.
type SmallModel struct {
	chat     ChatModel
	models   ModelResolver
	guides   prompt.Guides
	settings func() Settings
	next     func(ctx context.Context, session string) (Conversation, error) // nil: no conversation is known
}

// Conversation is what a session's next turn would send, up to its message.
type Conversation struct {
	Request ollama.ChatRequest
	Holds   map[string]bool // IDs of the messages in it
	Memory  []string        // the remembered lines in it
}

// Follow sets the function that returns a session's conversation. Work for a session whose
// chat uses the same model is asked as a continuation of that: the server has read the
// conversation and keeps it for the next turn, so only the task is new to it. Call it
// before the first work.
func (s *SmallModel) Follow(next func(ctx context.Context, session string) (Conversation, error)) {
	s.next = next
}

// thinkingTokens is added to the limit of an answer for a model that may think first: its
// setting stays that of the chat, because some templates put it in front of everything.
const thinkingTokens = 1024

// continued returns the request for a task of at most that many tokens as the last message
// of the session's conversation. ok is false if that isn't a chat with this model, or has no
// room for the task. A call in the answer never runs.
func (s *SmallModel) continued(ctx context.Context, session string, model ollama.ModelInfo, most int, task func(Conversation) string) (req ollama.ChatRequest, in Conversation, ok bool) {
	if s.next == nil || session == "" {
		return req, in, false
	}
	in, err := s.next(ctx, session)
	if err != nil || in.Request.Model != model.Name || len(in.Holds) == 0 {
		return req, in, false
	}
	req = in.Request
	if model.Can("thinking") && (req.Think == nil || *req.Think) {
		most += thinkingTokens
	}
	sober := 0.0
	req.MaxTokens, req.Temperature = most, &sober
	text := prompt.Context("a task of the app; answer this alone, and call no tool") + "\n\n" + task(in)
	req.Messages = append(slices.Clone(req.Messages), api.Message{Role: "user", Content: text})
	if req.NumCtx > 0 && s.models.Estimate(model.Name, rawTokens(req))+most > req.NumCtx {
		return req, in, false
	}
	return req, in, true
}

// rawTokens returns the size of a request in raw tokens.
func rawTokens(req ollama.ChatRequest) int {
	raw := 0
	for _, m := range req.Messages {
		raw += transcript.EstimateTokens(m.Content) + prompt.MessageTokens + prompt.ImageTokens*len(m.Images)
	}
	if len(req.Tools) > 0 {
		raw += transcript.EstimateTokens(req.Tools.String())
	}
	return raw
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
