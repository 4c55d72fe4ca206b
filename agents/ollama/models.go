package ollama

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/ollama/ollama/api"
)

// ModelInfo is the description of a model from /api/show, cached until its digest changes.
type ModelInfo struct {
	Name         string
	Family       string
	Parameters   int64 // 0 if unknown
	Size         int64 // bytes on disk
	MaxContext   int   // tokens; 0 if unknown
	SetContext   int   `json:"-"` // tokens that ollama.num_ctx sets, if they are fewer; Resolve knows it
	Capabilities []string
	Remote       bool   // runs elsewhere (cloud); never chosen by role
	Digest       string // of its file; another digest is another model, whatever its name
	Dimensions   int    // of its embeddings; 0 if unknown
	// KeepsThinking reports that its template accepts its thinking from earlier rounds of a
	// turn.
	KeepsThinking bool
	// NoSystem reports that its template has no place for system messages, which the server
	// then drops silently.
	NoSystem bool `json:",omitempty"`
	// Template is its chat template, "" if unknown.
	Template string `json:",omitempty"`
	// TokenBytes is the memory that a token of context takes; 0 if unknown.
	TokenBytes int64 `json:",omitempty"`
}

// Can reports whether the model has a capability: tools, thinking, vision, embedding,
// completion.
func (m ModelInfo) Can(capability string) bool {
	return slices.Contains(m.Capabilities, capability)
}

// Models returns the installed models (/api/tags).
func (c *Client) Models(ctx context.Context) ([]api.ListModelResponse, error) {
	listed, err := c.listed(ctx, c.target("tags", ""), "/api/tags")
	var models []api.ListModelResponse
	for _, m := range listed {
		models = append(models, api.ListModelResponse{
			Name: string(cmp.Or(m.Name, m.Model)), Model: string(m.Model), RemoteModel: string(m.RemoteModel), RemoteHost: string(m.RemoteHost),
			Size: int64(m.Size), Digest: string(m.Digest), Details: m.Details.api(),
		})
	}
	return models, err
}

// listed returns the models in the answer at a path.
func (c *Client) listed(ctx context.Context, t target, path string) ([]listed, error) {
	var answer struct {
		Models list[listed] `json:"models"`
	}
	if err := c.call(ctx, t, http.MethodGet, path, nil, &answer); err != nil {
		return nil, err
	}
	if answer.Models == nil {
		return nil, t.foreign("its answer has no list of models", nil)
	}
	return slices.DeleteFunc(answer.Models, func(m listed) bool { return m.Name == "" && m.Model == "" }), nil
}

func (d details) api() api.ModelDetails {
	return api.ModelDetails{Family: string(d.Family), ParameterSize: string(d.ParameterSize)}
}

// Running returns the loaded models (/api/ps).
func (c *Client) Running(ctx context.Context) ([]api.ProcessModelResponse, error) {
	listed, err := c.listed(ctx, c.target("ps", ""), "/api/ps")
	var models []api.ProcessModelResponse
	for _, m := range listed {
		models = append(models, api.ProcessModelResponse{
			Name: string(cmp.Or(m.Name, m.Model)), Model: string(m.Model), Size: int64(m.Size), Digest: string(m.Digest), Details: m.Details.api(),
			ExpiresAt: m.ExpiresAt.Time, SizeVRAM: int64(m.SizeVRAM), ContextLength: int(m.ContextLength),
		})
	}
	return models, err
}

// Version returns the server's version. It is also the cheapest check that the server
// runs.
func (c *Client) Version(ctx context.Context) (string, error) {
	var answer struct {
		Version text `json:"version"`
	}
	t := c.target("version", "")
	if err := c.call(ctx, t, http.MethodGet, "/api/version", nil, &answer); err != nil {
		return "", err
	}
	if answer.Version == "" {
		return "", t.foreign("it tells no version", nil)
	}
	return string(answer.Version), nil
}

// Show describes one model. A name without a tag means its latest.
func (c *Client) Show(ctx context.Context, model string) (ModelInfo, error) {
	list, err := c.Models(ctx)
	if err != nil {
		return ModelInfo{}, err
	}
	entry, ok := findListed(list, model)
	if !ok {
		entry = api.ListModelResponse{Name: model}
	}
	return c.show(ctx, entry)
}

// show requests the description of a listed model, once a day for each digest.
func (c *Client) show(ctx context.Context, entry api.ListModelResponse) (ModelInfo, error) {
	kept, known, holds := c.shown.get(entry)
	if known && holds {
		return kept, nil
	}
	asking := ctx
	if known {
		patient, stop := context.WithTimeout(ctx, describePatience)
		defer stop()
		asking = patient
	}
	var answer shown
	t := c.target("show", entry.Name)
	if err := c.call(asking, t, http.MethodPost, "/api/show", api.ShowRequest{Model: entry.Name}, &answer); err != nil {
		if known && ctx.Err() == nil {
			c.shown.postpone(entry.Digest)
			return kept, nil
		}
		return ModelInfo{}, err
	}
	info := describe(entry, answer)
	if err := c.shown.keep(info); err != nil {
		c.log.Info("the description of a model can't be kept", "model", entry.Name, "err", err)
	}
	return info, nil
}

// describe combines the model's entry in the list with its description.
func describe(entry api.ListModelResponse, answer shown) ModelInfo {
	details := answer.Details.api()
	if details.Family == "" {
		details = entry.Details
	}
	info := ModelInfo{
		Name:       entry.Name,
		Family:     details.Family,
		Parameters: count(answer.ModelInfo["general.parameter_count"]),
		Size:       entry.Size,
		MaxContext: ofArchitecture(answer.ModelInfo, "context_length"),
		Remote:     isRemote(entry) || answer.RemoteHost != "" || answer.RemoteModel != "",
		Digest:     entry.Digest,
		Dimensions: ofArchitecture(answer.ModelInfo, "embedding_length"),

		KeepsThinking: answer.Renderer != "" || strings.Contains(string(answer.Template), ".Thinking"),
		Template:      string(answer.Template),
		NoSystem:      answer.Renderer == "" && !showsSystem(string(answer.Template)),
	}
	info.TokenBytes = tokenBytes(answer.ModelInfo)
	if info.Parameters == 0 {
		info.Parameters = parseParameters(details.ParameterSize)
	}
	for _, capability := range answer.Capabilities {
		info.Capabilities = append(info.Capabilities, string(capability))
	}
	if len(info.Capabilities) == 0 {
		info.Capabilities = guessCapabilities(info, answer)
	}
	return info
}

func isRemote(entry api.ListModelResponse) bool {
	return entry.RemoteHost != "" || entry.RemoteModel != "" || isCloudName(entry.Name)
}

// guessCapabilities is for servers that don't report capabilities (before 0.6.4).
func guessCapabilities(info ModelInfo, answer shown) []string {
	if strings.Contains(strings.ToLower(info.Family), "bert") || hinted(info, embedHints) {
		return []string{"embedding"}
	}
	can := []string{"completion"}
	if strings.Contains(string(answer.Template), ".Tools") {
		can = append(can, "tools")
	}
	if len(answer.ProjectorInfo) > 0 {
		can = append(can, "vision")
	}
	return can
}

// tokenBytes returns the size of a token in the key-value cache: two numbers of two bytes
// for each dimension of each head of each layer, as llama.cpp stores them.
func tokenBytes(info map[string]json.RawMessage) int64 {
	of := func(name string) int64 { return int64(ofArchitecture(info, name)) }
	layers, heads, size := of("block_count"), of("attention.head_count_kv"), of("attention.key_length")
	if all := of("attention.head_count"); size == 0 && all > 0 {
		size = of("embedding_length") / all
	}
	return 2 * 2 * layers * heads * size
}

// ofArchitecture returns a number of the model's architecture: <architecture>.<name>.
func ofArchitecture(info map[string]json.RawMessage, name string) int {
	var arch text
	_ = arch.UnmarshalJSON(info["general.architecture"]) // "" if it is missing
	if n := count(info[string(arch)+"."+name]); n > 0 {
		return int(n)
	}
	best := int64(0)
	for key, value := range info {
		if strings.HasSuffix(key, "."+name) {
			best = max(best, count(value))
		}
	}
	return int(best)
}

// count returns a JSON number, or 0 if b isn't one.
func count(b []byte) int64 {
	var n number
	_ = n.UnmarshalJSON(b) // never fails
	return int64(n)
}

// parseParameters reads "8.2B", "334M" or "1.1b"; anything else is 0.
func parseParameters(s string) int64 {
	s = strings.ToUpper(strings.TrimSpace(s))
	unit := 1.0
	for suffix, factor := range map[string]float64{"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12} {
		if rest, ok := strings.CutSuffix(s, suffix); ok {
			s, unit = rest, factor
			break
		}
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || n < 0 || n*unit > 1e18 {
		return 0
	}
	return int64(math.Round(n * unit))
}

// canonical returns a model's name in a comparable form: Ollama omits its own registry,
// the library and the tag latest, and ignores case.
func canonical(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	name = strings.TrimPrefix(name, "registry.ollama.ai/")
	name = strings.TrimPrefix(name, "library/")
	if !strings.Contains(name[strings.LastIndex(name, "/")+1:], ":") {
		name += ":latest"
	}
	return name
}

func findListed(list []api.ListModelResponse, model string) (api.ListModelResponse, bool) {
	i := slices.IndexFunc(list, func(m api.ListModelResponse) bool { return canonical(m.Name) == canonical(model) })
	if i < 0 {
		return api.ListModelResponse{}, false
	}
	return list[i], true
}

// findRunning reports whether a model is loaded, and returns its context in tokens, or 0 if
// an older server doesn't report it.
func findRunning(list []api.ProcessModelResponse, model string) (context int, loaded bool) {
	for _, m := range list {
		if canonical(m.Name) == canonical(model) || canonical(m.Model) == canonical(model) {
			return m.ContextLength, true
		}
	}
	return 0, false
}

// SameModel reports whether two names in any spelling mean the same model.
func SameModel(a, b string) bool { return canonical(a) == canonical(b) }
