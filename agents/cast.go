package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/sessionmem/transcript"
)

const visionCapability = "vision"

// cast is who answers a message: the agent and its model, by what the message, the
// session and the settings say.
type cast struct {
	base     *base
	settings Settings

	chosen transcript.Settings // for the session
	rules  string              // of the skill that the message is for
	roster []registry.Agent    // all there are, read once
	agent  registry.Agent
	model  ollama.ModelInfo
	numCtx int
}

// choose finds the agent and its model. With an error it holds what was found before.
func (c *cast) choose(ctx context.Context, req Request) error {
	if err := errors.Join(c.readChosen(ctx, req), c.readSkill(req.Skill)); err != nil {
		return err
	}
	selector := cmp.Or(req.Agent, c.chosen.Agent, c.settings.DefaultAgent, "orchestrator")
	c.roster = c.base.p.Registry.Agents()
	agent, ok := registry.Select(c.roster, selector, registry.Agent.Usable)
	if !ok {
		var err error
		if agent, err = c.base.p.Registry.Find(selector); err != nil { // says why
			return err
		}
	}
	if c.chosen.Temperature != nil {
		agent.Temperature = c.chosen.Temperature
	}
	agent.Think = cmp.Or(req.Think, c.chosen.Think, agent.Think)
	c.agent = agent
	model, numCtx, err := c.resolve(ctx, cmp.Or(req.Model, c.chosen.Model), agent)
	if err != nil {
		return err
	}
	if n := c.chosen.Context; n > 0 {
		numCtx = min(n, cmp.Or(model.MaxContext, n))
	}
	c.model, c.numCtx = model, numCtx
	return nil
}

// readChosen finds what was chosen for the session.
func (c *cast) readChosen(ctx context.Context, req Request) error {
	if req.Settings != nil {
		c.chosen = *req.Settings
		return nil
	}
	window, err := c.base.p.Store.Context(context.WithoutCancel(ctx), req.Session)
	if err != nil {
		return fmt.Errorf("reading the conversation: %w", err)
	}
	c.chosen = window.Settings
	return nil
}

// readSkill finds the rules of the skill that the message is for.
func (c *cast) readSkill(name string) error {
	if name == "" {
		return nil
	}
	s, err := c.base.p.Registry.FindSkill(name)
	if err == nil {
		c.rules = "\n\nAnswer this message by the rules of the skill " + s.Name + ":\n\n" + s.Body
	}
	return err
}

// resolve finds the model for an agent: what was asked for, else what its agent.json
// names, else the setting for its role, else (general and code) the setting for all,
// else the best one installed for the role.
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

// promptTier is how much an agent's model is told: what the agent says, else the
// settings, else what fits the model.
func (c *cast) promptTier(a registry.Agent, model ollama.ModelInfo) prompt.Tier {
	return prompt.ChooseTier(prompt.TierFor(model.KnownSize(), model.MaxContext), a.PromptTier, c.settings.PromptTier)
}

// toolsTier is which tools it gets.
func (c *cast) toolsTier(a registry.Agent, model ollama.ModelInfo) prompt.Tier {
	return prompt.ChooseTier(prompt.TierFor(model.KnownSize(), model.MaxContext), a.ToolsTier, c.settings.ToolsTier)
}

// tooSmall says that the model is too small for tools: once, to people who may have
// wondered; "" where it was said, or chosen so.
func (c *cast) tooSmall() string {
	if c.toolsTier(c.agent, c.model) != prompt.TierPlain {
		return ""
	}
	if c.base.wasSmall(c.model.Name) || c.toolsTier(registry.Agent{}, c.model) != prompt.TierPlain || c.settings.ToolsTier == string(prompt.TierPlain) {
		return ""
	}
	return fmt.Sprintf("The model %s is too small for tools and other agents: it answers by itself", c.model.Name)
}

// mustSee refuses an image for a model that takes none.
func (c *cast) mustSee(ctx context.Context, b transcript.Block) error {
	if c.model.Can(visionCapability) {
		return nil
	}
	for _, f := range b.Attachments() {
		if !f.Image {
			continue
		}
		e := &fault.NoVision{Model: c.model.Name}
		if other, err := c.base.p.Models.Resolve(ctx, "", ollama.RoleVision); err == nil && other.Can(visionCapability) {
			e.Other = other.Name
		}
		return e
	}
	return nil
}

// filesLimit is how many raw tokens of a message's files surely fit the model.
func (c *cast) filesLimit() int {
	limit := c.settings.maxTokens() * filesShare / 100
	if c.numCtx > 0 {
		limit = min(limit, c.numCtx/6)
	}
	return max(limit, leastFile)
}
