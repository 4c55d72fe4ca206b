package doctorcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mac-stats/agents/ollama"
	"mac-stats/app/cli/modelcmd"
	"mac-stats/app/cli/words"
)

// smallContext is a context, in tokens, in which answers soon lose the beginning of a
// conversation.
const smallContext = 4096

// serverChecks checks Ollama.
func (d *doctor) serverChecks(ctx context.Context) []check {
	host := d.b.Client.Address()
	version, err := d.b.Client.Version(ctx)
	if err != nil {
		e := d.c.Explain(err)
		return []check{bad("ollama", e.Sentence, e.Next)}
	}
	checks := []check{good("ollama", "version "+version+" at "+host)}
	chosen, missing, err := modelcmd.Chosen(ctx, d.b)
	if err != nil {
		e := d.c.Explain(err)
		return append(checks, bad("models", e.Sentence, e.Next))
	}
	checks = append(checks, modelChecks(chosen, missing, d.b.Models.Advice()[0].Model)...)
	checks = append(checks, d.agentModelChecks(ctx)...)
	general, small := chosen[ollama.RoleGeneral].Name, chosen[ollama.RoleSmall].Name
	if d.b.Config().Recall.Rerank == "model" && small != "" && ollama.SameModel(general, small) {
		checks = append(checks, bad("rerank", "nothing found is reranked: "+small+" answers the chats, too, and would have to read them again after each search",
			"Name another model in ollama.small_model, or set recall.rerank to off."))
	}
	return append(checks, d.contextChecks(ctx, chosen)...)
}

// modelChecks requires one model that can chat; the other roles are optional. advice names
// a model to install if there is none.
func modelChecks(chosen map[ollama.Role]ollama.ModelInfo, missing map[ollama.Role]string, advice string) []check {
	var checks []check
	var named []string
	for _, role := range modelcmd.Roles() {
		if name := missing[role]; name != "" && !slices.Contains(named, name) {
			named = append(named, name)
			checks = append(checks, bad("models", name+", which config.toml names, is not installed", "`mac-stats models pull "+name+"`, or name another in config.toml."))
		}
	}
	general, ok := chosen[ollama.RoleGeneral]
	if !ok {
		if len(checks) == 0 {
			checks = append(checks, bad("models", "no model that can chat is installed", "`mac-stats models pull "+advice+"` installs one."))
		}
		return checks
	}
	found := []string{"general: " + general.Name}
	for _, role := range modelcmd.Roles()[1:] {
		if m, ok := chosen[role]; ok {
			found = append(found, string(role)+": "+m.Name)
		} else {
			found = append(found, string(role)+": none")
		}
	}
	return append(checks, good("models", strings.Join(found, ", ")))
}

// agentModelChecks finds agents whose model isn't installed.
func (d *doctor) agentModelChecks(ctx context.Context) []check {
	var checks []check
	for _, a := range d.b.Registry.Agents() {
		if !a.Usable() || a.Model == "" {
			continue
		}
		if _, err := d.b.Models.Resolve(ctx, a.Model, ollama.Role(a.Role)); errors.Is(err, ollama.ErrModelMissing) {
			checks = append(checks, bad("agent "+a.ID, a.Slug+" names the model "+a.Model+", which is not installed",
				"`mac-stats models pull "+a.Model+"`, or take the model out of "+a.Path+"."))
		}
	}
	return checks
}

// contextChecks finds contexts of at most smallContext: those of the chat models, and those
// of the models that the server has loaded.
func (d *doctor) contextChecks(ctx context.Context, chosen map[ollama.Role]ollama.ModelInfo) []check {
	var checks []check
	var fine, seen []string
	for _, role := range modelcmd.Roles() {
		m, ok := chosen[role]
		if !ok || role == ollama.RoleEmbed || slices.Contains(seen, m.Name) {
			continue
		}
		seen = append(seen, m.Name)
		ch := d.contextCheck(ctx, m)
		if ch.OK {
			fine = append(fine, ch.Found)
			continue
		}
		checks = append(checks, ch)
	}
	if len(checks) == 0 && len(fine) > 0 {
		checks = append(checks, good("context", strings.Join(fine, ", ")))
	}
	return checks
}

func (d *doctor) contextCheck(ctx context.Context, m ollama.ModelInfo) check {
	wanted, err := d.b.Models.NumCtx(ctx, m.Name)
	if err != nil {
		e := d.c.Explain(err)
		return bad("context", m.Name+": "+e.Sentence, e.Next)
	}
	found := fmt.Sprintf("%s: %s tokens", m.Name, words.Thousands(wanted))
	configured := d.b.Config().Ollama.NumCtx
	switch {
	case wanted <= smallContext && configured > 0 && configured <= smallContext && (m.MaxContext == 0 || m.MaxContext > smallContext):
		return bad("context", found+"; longer chats lose their beginning", "Set ollama.num_ctx in config.toml to auto, or to 8192 and more.")
	case wanted <= smallContext:
		return bad("context", found+", which is all it has; longer chats lose their beginning",
			"Use a model with a larger context, such as qwen3:8b: `mac-stats models pull qwen3:8b`.")
	}
	if loaded := d.loadedContext(ctx, m.Name); loaded > 0 && loaded <= smallContext {
		return bad("context", fmt.Sprintf("%s: the server has loaded it with %s tokens, %s are asked for", m.Name, words.Thousands(loaded), words.Thousands(wanted)),
			"If another program loaded it so, the next message loads it anew; start Ollama with OLLAMA_CONTEXT_LENGTH="+fmt.Sprint(wanted)+" and both get the same. If mac-stats did, memory is short: use a smaller model.")
	}
	return good("context", found)
}

// loadedContext returns the context of a loaded model; 0 if it isn't loaded or the server
// doesn't say.
func (d *doctor) loadedContext(ctx context.Context, model string) int {
	running, err := d.b.Client.Running(ctx)
	if err != nil {
		return 0 // the same server listed the models a moment ago
	}
	for _, r := range running {
		if strings.EqualFold(strings.TrimSuffix(r.Name, ":latest"), strings.TrimSuffix(model, ":latest")) {
			return r.ContextLength
		}
	}
	return 0
}
