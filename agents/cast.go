package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/sessionmem/transcript"
)

const visionCapability = "vision"

// cast chooses who answers a message, the agent and its model, from the message, the
// session and the settings.
type cast struct {
	base     *base
	settings Settings

	chosen transcript.Settings // the session's settings
	last   transcript.Block    // the conversation's last answer, if it has one
	rules  string              // of the message's skill
	roster []registry.Agent    // all agents, read once
	agent  registry.Agent
	model  ollama.ModelInfo
	numCtx int
	blind  string // the model that would answer if the message had no image; "" if that answers
}

// choose finds the agent and its model. An image needs a model that can see, if there is
// one and the user chose none. After an error, c holds what was found until then.
func (c *cast) choose(ctx context.Context, req Request, image bool) error {
	if err := errors.Join(c.readChosen(ctx, req), c.readSkill(req.Skill)); err != nil {
		return err
	}
	selector := cmp.Or(req.Agent, c.chosen.Agent, c.settings.DefaultAgent, "orchestrator")
	c.roster = c.base.p.Registry.Agents()
	agent, ok := registry.Select(c.roster, selector, registry.Agent.Usable)
	if !ok {
		var err error
		if agent, err = c.base.p.Registry.Find(selector); err != nil { // Find explains the failure
			return err
		}
	}
	if c.chosen.Temperature != nil {
		agent.Temperature = c.chosen.Temperature
	}
	agent.Think = cmp.Or(req.Think, c.chosen.Think, agent.Think)
	c.agent = agent
	asked := cmp.Or(req.Model, c.chosen.Model)
	model, numCtx, err := c.resolve(ctx, asked, agent)
	if err != nil {
		return err
	}
	if image && asked == "" && agent.Model == "" && !model.Can(visionCapability) {
		if other := c.seeing(ctx); other != "" {
			c.blind = model.Name
			if model, numCtx, err = c.resolve(ctx, other, agent); err != nil {
				return err
			}
		}
	}
	if n := c.chosen.Context; n > 0 {
		numCtx = min(n, cmp.Or(model.MaxContext, n))
	}
	c.model, c.numCtx = model, numCtx
	return nil
}

// readChosen reads the session's settings and its last answer.
func (c *cast) readChosen(ctx context.Context, req Request) error {
	window, err := c.base.p.Store.Context(context.WithoutCancel(ctx), req.Session)
	switch {
	case req.Settings != nil:
		c.chosen = *req.Settings
	case err != nil:
		return fmt.Errorf("reading the conversation: %w", err)
	default:
		c.chosen = window.Settings
	}
	for _, b := range window.Messages {
		if b.Kind == transcript.KindAssistant {
			c.last = b
		}
	}
	return nil
}

// readSkill reads the rules of the message's skill.
func (c *cast) readSkill(name string) error {
	if name == "" {
		return nil
	}
	s, err := c.base.p.Registry.FindSkill(name)
	if err == nil {
		c.rules = prompt.Context("answer this message by the rules of the skill "+s.Name) + "\n" + s.Body
	}
	return err
}

// resolve finds the model for an agent: the requested one, else the one in its
// agent.json, else the setting for its role, else (general and code) the setting for
// all, else the best installed one for the role.
func (c *cast) resolve(ctx context.Context, asked string, a registry.Agent) (ollama.ModelInfo, int, error) {
	explicit := cmp.Or(asked, a.Model, c.settings.RoleModels[a.Role])
	if explicit == "" && (a.Role == registry.RoleGeneral || a.Role == "code" || a.Role == "") {
		explicit = c.settings.Model
	}
	model, err := c.base.p.Models.Resolve(ctx, explicit, cmp.Or(ollama.Role(a.Role), ollama.RoleGeneral))
	if err != nil {
		return ollama.ModelInfo{}, 0, fmt.Errorf("choosing a model for %s: %w", a.Slug, err)
	}
	if model.Can("embedding") && !model.Can("completion") {
		return ollama.ModelInfo{}, 0, &fault.NoChat{Model: model.Name}
	}
	numCtx, err := c.base.p.Models.NumCtx(ctx, model.Name)
	if err != nil {
		return ollama.ModelInfo{}, 0, fmt.Errorf("finding the context size of %s: %w", model.Name, err)
	}
	return model, numCtx, nil
}

// promptTier returns the size of the prompt for an agent's model: the agent's tier, else
// that of the settings, else one that suits the model.
func (c *cast) promptTier(a registry.Agent, model ollama.ModelInfo) prompt.Tier {
	return prompt.ChooseTier(prompt.TierFor(model.KnownSize(), c.context(model)), a.PromptTier, c.settings.PromptTier)
}

// toolsTier returns the tier of its tools, chosen in the same way.
func (c *cast) toolsTier(a registry.Agent, model ollama.ModelInfo) prompt.Tier {
	return prompt.ChooseTier(prompt.TierFor(model.KnownSize(), c.context(model)), a.ToolsTier, c.settings.ToolsTier)
}

// context returns the context that a model gets, in tokens; 0 if it is unknown. A large model
// with a small one has no room for rules and tools either.
func (c *cast) context(model ollama.ModelInfo) int {
	if model.Name == c.model.Name && c.numCtx > 0 {
		return c.numCtx
	}
	return cmp.Or(model.SetContext, model.MaxContext)
}

// tooLong returns the error for a message that needs more tokens than there is room for. If a
// setting makes the context smaller than the model's, it is named.
func (c *cast) tooLong(need, room int) error {
	e := &fault.TooLong{Model: c.model.Name, Need: need, Room: room, Context: c.numCtx}
	switch {
	case c.model.MaxContext > 0 && c.numCtx >= c.model.MaxContext:
	case c.chosen.Context > 0:
		e.Setting = "the context size in this conversation's options"
	case c.model.SetContext > 0 && c.numCtx == c.model.SetContext:
		e.Setting = "ollama.num_ctx"
	}
	return e
}

// tooSmall returns a warning that the model is too small for tools, or "" if it isn't or if
// the settings or the agent chose the tier.
func (c *cast) tooSmall() string {
	if c.toolsTier(c.agent, c.model) != prompt.TierPlain {
		return ""
	}
	if c.toolsTier(registry.Agent{}, c.model) != prompt.TierPlain || c.settings.ToolsTier == string(prompt.TierPlain) {
		return ""
	}
	return fmt.Sprintf("The model %s is too small for tools and other agents: it answers by itself", c.model.Name)
}

// checkVision refuses an image for a model that can't see.
func (c *cast) checkVision(ctx context.Context, b transcript.Block) error {
	if c.model.Can(visionCapability) {
		return nil
	}
	if hasImage(b) {
		return &fault.NoVision{Model: c.model.Name, Other: c.seeing(ctx)}
	}
	return nil
}

func hasImage(b transcript.Block) bool {
	return slices.ContainsFunc(b.Attachments(), func(f transcript.Attachment) bool { return f.Image })
}

// seeing returns the best installed model that can look at images, or "".
func (c *cast) seeing(ctx context.Context) string {
	other, err := c.base.p.Models.Resolve(ctx, "", ollama.RoleVision)
	if err != nil || !other.Can(visionCapability) {
		return ""
	}
	return other.Name
}

// filesLimit returns how many raw tokens of a message's files certainly fit the model.
func (c *cast) filesLimit() int {
	limit := c.settings.maxTokens() * filesShare / 100
	if c.numCtx > 0 {
		limit = min(limit, c.numCtx/6)
	}
	return max(limit, minFileTokens)
}
