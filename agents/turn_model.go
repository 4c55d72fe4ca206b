package agents

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/sessionmem/transcript"
)

const visionCapability = "vision"

// resolve finds the model for an agent: the requested one, else the one in its
// agent.json, else the setting for its role, else (general and code) the setting for
// all, else the best installed one for the role.
func (t *turn) resolve(ctx context.Context, asked string, a registry.Agent) (ollama.ModelInfo, int, error) {
	explicit := cmp.Or(asked, a.Model, t.settings.RoleModels[a.Role])
	if explicit == "" && (a.Role == registry.RoleGeneral || a.Role == "code" || a.Role == "") {
		explicit = t.settings.Model
	}
	model, err := t.engine.p.Models.Resolve(ctx, explicit, cmp.Or(ollama.Role(a.Role), ollama.RoleGeneral))
	if err != nil {
		return ollama.ModelInfo{}, 0, fmt.Errorf("choosing a model for %s: %w", a.Slug, err)
	}
	if model.Can("embedding") && !model.Can("completion") {
		return ollama.ModelInfo{}, 0, &fault.NoChat{Model: model.Name}
	}
	numCtx, err := t.engine.p.Models.NumCtx(ctx, model.Name)
	if err != nil {
		return ollama.ModelInfo{}, 0, fmt.Errorf("finding the context size of %s: %w", model.Name, err)
	}
	return model, numCtx, nil
}

// tiers returns the sizes of the prompt and of the set of tools for an agent's model: the
// agent's tier, else that of the settings, else one that suits the model in the context that
// it gets. A large model with a small context has no room for rules and tools either.
func (t *turn) tiers(a registry.Agent, model ollama.ModelInfo) (forPrompt, forTools prompt.Tier) {
	context := cmp.Or(model.SetContext, model.MaxContext)
	if model.Name == t.model.Name && t.numCtx > 0 {
		context = t.numCtx
	}
	suits := prompt.TierFor(model.KnownSize(), context)
	return prompt.ChooseTier(suits, a.PromptTier, t.settings.PromptTier), prompt.ChooseTier(suits, a.ToolsTier, t.settings.ToolsTier)
}

// tooLong returns the error for a message that needs more tokens than there is room for. If a
// setting makes the context smaller than the model's, it is named.
func (t *turn) tooLong(need, room int) error {
	e := &fault.TooLong{Model: t.model.Name, Need: need, Room: room, Context: t.numCtx}
	switch {
	case t.model.MaxContext > 0 && t.numCtx >= t.model.MaxContext:
	case t.chosen.Context > 0:
		e.Setting = "the context size in this conversation's options"
	case t.model.SetContext > 0 && t.numCtx == t.model.SetContext:
		e.Setting = "ollama.num_ctx"
	}
	return e
}

// checkVision refuses an image for a model that can't see.
func (t *turn) checkVision(ctx context.Context, b transcript.Block) error {
	if !t.model.Can(visionCapability) && hasImage(b) {
		return &fault.NoVision{Model: t.model.Name, Other: t.seeing(ctx)}
	}
	return nil
}

func hasImage(b transcript.Block) bool {
	return slices.ContainsFunc(b.Attachments(), func(f transcript.Attachment) bool { return f.Image })
}

// seeing returns the best installed model that can look at images, or "".
func (t *turn) seeing(ctx context.Context) string {
	other, err := t.engine.p.Models.Resolve(ctx, "", ollama.RoleVision)
	if err != nil || !other.Can(visionCapability) {
		return ""
	}
	return other.Name
}

// filesLimit returns how many raw tokens of a message's files certainly fit the model.
func (t *turn) filesLimit() int {
	limit := t.settings.FilesTokens()
	if t.numCtx > 0 {
		limit = min(limit, t.numCtx/6)
	}
	return max(limit, minFileTokens)
}
