package ollama

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/ollama/ollama/api"
)

// ModelInfo is what /api/show says of a model, cached until its digest changes.
type ModelInfo struct {
	Name         string
	Family       string
	Parameters   int64 // 0 where unknown
	Size         int64 // bytes on disk
	MaxContext   int   // tokens; 0 where unknown
	Capabilities []string
	Remote       bool   // runs elsewhere (cloud): never chosen by role
	Digest       string // of its file: another one is another model, whatever its name
	Dimensions   int    // of its embeddings; 0 where unknown
	// KeepsThinking: its template takes back what it thought between the rounds of a
	// turn.
	KeepsThinking bool
	// NoSystem: its template has no place for system messages; the server drops them and
	// says nothing.
	NoSystem bool `json:",omitempty"`
	// TokenBytes is how much memory a token of context takes; 0 where unknown.
	TokenBytes int64 `json:",omitempty"`
}

// Can reports a capability: tools, thinking, vision, embedding, completion.
func (m ModelInfo) Can(capability string) bool {
	return slices.Contains(m.Capabilities, capability)
}

// Models lists what is installed (/api/tags).
func (c *Client) Models(ctx context.Context) ([]api.ListModelResponse, error) {
	var list api.ListResponse
	err := c.call(ctx, c.target("tags", ""), http.MethodGet, "/api/tags", nil, &list)
	return list.Models, err
}

// Running lists what is loaded (/api/ps).
func (c *Client) Running(ctx context.Context) ([]api.ProcessModelResponse, error) {
	var list api.ProcessResponse
	err := c.call(ctx, c.target("ps", ""), http.MethodGet, "/api/ps", nil, &list)
	return list.Models, err
}

// Version of the server; also the cheapest sign of life.
func (c *Client) Version(ctx context.Context) (string, error) {
	var answer struct {
		Version string `json:"version"`
	}
	t := c.target("version", "")
	if err := c.call(ctx, t, http.MethodGet, "/api/version", nil, &answer); err != nil {
		return "", err
	}
	if answer.Version == "" {
		return "", t.foreign("it tells no version", nil)
	}
	return answer.Version, nil
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

// show asks for what a listed model can do, once a day for each digest.
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
	var answer api.ShowResponse
	t := c.target("show", entry.Name)
	if err := c.call(asking, t, http.MethodPost, "/api/show", api.ShowRequest{Model: entry.Name}, &answer); err != nil {
		if known && ctx.Err() == nil {
			c.shown.putOff(entry.Digest)
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

// describe puts the list's and the model's own words together.
func describe(entry api.ListModelResponse, answer api.ShowResponse) ModelInfo {
	details := answer.Details
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

		KeepsThinking: answer.Renderer != "" || strings.Contains(answer.Template, ".Thinking"),
		NoSystem:      answer.Renderer == "" && !showsSystem(answer.Template),
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

// guessCapabilities is for servers too old to tell (before 0.6.4).
func guessCapabilities(info ModelInfo, answer api.ShowResponse) []string {
	if strings.Contains(strings.ToLower(info.Family), "bert") || hinted(info, embedHints) {
		return []string{"embedding"}
	}
	can := []string{"completion"}
	if strings.Contains(answer.Template, ".Tools") {
		can = append(can, "tools")
	}
	if len(answer.ProjectorInfo) > 0 {
		can = append(can, "vision")
	}
	return can
}

// tokenBytes is what a token takes in the cache of keys and values: two numbers of two
// bytes for each dimension of each head of each layer, as llama.cpp keeps them.
func tokenBytes(info map[string]any) int64 {
	of := func(name string) int64 { return int64(ofArchitecture(info, name)) }
	layers, heads, size := of("block_count"), of("attention.head_count_kv"), of("attention.key_length")
	if all := of("attention.head_count"); size == 0 && all > 0 {
		size = of("embedding_length") / all
	}
	return 2 * 2 * layers * heads * size
}

// ofArchitecture is a number of the model's architecture, as <architecture>.<name>.
func ofArchitecture(info map[string]any, name string) int {
	if arch, ok := info["general.architecture"].(string); ok {
		if n := count(info[arch+"."+name]); n > 0 {
			return int(n)
		}
	}
	best := int64(0)
	for key, value := range info {
		if strings.HasSuffix(key, "."+name) {
			best = max(best, count(value))
		}
	}
	return int(best)
}

// count reads a JSON number; 0 where it is none.
func count(v any) int64 {
	if n, ok := v.(float64); ok && n > 0 && n < 1e18 {
		return int64(n)
	}
	return 0
}

// parseParameters reads "8.2B", "334M", "1.1b"; 0 where it is neither.
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

// canonical is a model's name in the form that can be compared: Ollama leaves out
// its own registry, the library and the tag latest, and minds no case.
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

// findRunning tells whether a model is loaded, and with how many tokens of context
// (0 where an older server doesn't say).
func findRunning(list []api.ProcessModelResponse, model string) (context int, loaded bool) {
	for _, m := range list {
		if canonical(m.Name) == canonical(model) || canonical(m.Model) == canonical(model) {
			return m.ContextLength, true
		}
	}
	return 0, false
}

// SameModel reports whether two names mean the same model, however they are written.
func SameModel(a, b string) bool { return canonical(a) == canonical(b) }
