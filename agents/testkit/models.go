package testkit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ollama/ollama/api"
)

const (
	defaultContext       = 4096
	defaultContextLength = 32768
	defaultDimensions    = 64
	defaultParameters    = 8_000_000_000
)

// models holds the installed models and those in memory, and answers the endpoints that
// list, describe and remove them. Safe for concurrent use.
type models struct {
	script Script

	mu        sync.Mutex
	installed []Model
	loaded    map[string]int // model → context it was loaded with
	loads     int
}

func newModels(script Script) *models {
	ms := &models{script: script, installed: slices.Clone(script.Models), loaded: map[string]int{}}
	for _, m := range script.Models {
		if m.Loaded {
			ms.loaded[m.Name] = ms.context(m, 0)
		}
	}
	return ms
}

// Loads returns how often a model had to be loaded, because it wasn't in memory or a
// request asked for another num_ctx.
func (ms *models) Loads() int {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	return ms.loads
}

// SetModels replaces the installed models.
func (ms *models) SetModels(installed ...Model) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	ms.installed = slices.Clone(installed)
}

// Unload takes a model out of memory.
func (ms *models) Unload(model string) {
	m, _ := ms.find(model)
	ms.mu.Lock()
	defer ms.mu.Unlock()
	delete(ms.loaded, m.Name)
}

func (ms *models) install(m Model) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	ms.installed = append(ms.installed, m)
}

func (ms *models) find(name string) (m Model, ok bool) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	for _, m := range ms.installed {
		if sameModel(m.Name, name) {
			return m, true
		}
	}
	return Model{}, false
}

// context returns the context a model is loaded with if a request asks for numCtx.
func (ms *models) context(m Model, numCtx int) int {
	n := min(cmp.Or(numCtx, ms.script.DefaultContext, defaultContext), m.contextLength())
	if ms.script.MaxLoaded > 0 {
		n = min(n, ms.script.MaxLoaded)
	}
	return n
}

// startLoad reports whether the model must be loaded. A model in memory with another
// context is unloaded first, as Ollama does.
func (ms *models) startLoad(model string, context int) bool {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	if have, ok := ms.loaded[model]; ok && have == context {
		return false
	}
	delete(ms.loaded, model)
	ms.loads++
	return true
}

func (ms *models) finishLoad(model string, context int) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	ms.loaded[model] = context
}

// listed is a model in /api/tags; its capabilities are plain strings in the JSON.
type listed struct {
	Name         string           `json:"name"`
	Model        string           `json:"model"`
	RemoteHost   string           `json:"remote_host,omitempty"`
	ModifiedAt   time.Time        `json:"modified_at"`
	Size         int64            `json:"size"`
	Digest       string           `json:"digest"`
	Details      api.ModelDetails `json:"details"`
	Capabilities []string         `json:"capabilities,omitempty"`
}

func modifiedAt() time.Time { return time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC) }

func (ms *models) tags(w http.ResponseWriter, _ *http.Request, _ []byte, _ int) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	list := []listed{}
	for _, m := range ms.installed {
		entry := listed{
			Name: m.Name, Model: m.Name, RemoteHost: m.RemoteHost, ModifiedAt: modifiedAt(),
			Size: m.size(), Digest: m.digest(), Details: m.details(),
		}
		if !ms.script.OldServer {
			entry.Capabilities = m.capabilities()
		}
		list = append(list, entry)
	}
	reply(w, map[string]any{"models": list})
}

func (ms *models) ps(w http.ResponseWriter, _ *http.Request, _ []byte, _ int) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	list := []api.ProcessModelResponse{}
	for _, m := range ms.installed {
		context, ok := ms.loaded[m.Name]
		if !ok {
			continue
		}
		if ms.script.OldServer {
			context = 0
		}
		list = append(list, api.ProcessModelResponse{
			Name: m.Name, Model: m.Name, Size: m.size(), SizeVRAM: m.size(), Digest: m.digest(),
			Details: m.details(), ExpiresAt: time.Now().Add(10 * time.Minute), ContextLength: context,
		})
	}
	reply(w, api.ProcessResponse{Models: list})
}

func (ms *models) show(w http.ResponseWriter, _ *http.Request, body []byte, _ int) {
	m, ok := ms.requested(w, body)
	if !ok {
		return
	}
	arch := m.details().Family
	reply(w, map[string]any{
		"modelfile":    "FROM " + m.Name,
		"template":     cmp.Or(m.Template, "{{ .System }}{{ .Prompt }}"),
		"details":      m.details(),
		"remote_host":  m.RemoteHost,
		"capabilities": m.capabilities(),
		"modified_at":  modifiedAt(),
		"model_info": map[string]any{
			"general.architecture":     arch,
			"general.parameter_count":  m.parameters(),
			arch + ".context_length":   m.contextLength(),
			arch + ".embedding_length": m.dimensions(),

			arch + ".block_count": 36, arch + ".attention.head_count_kv": 8, arch + ".attention.key_length": 128, // those of qwen3:8b
		},
	})
}

// delete removes a model from disk and memory.
func (ms *models) delete(w http.ResponseWriter, _ *http.Request, body []byte, _ int) {
	m, ok := ms.requested(w, body)
	if !ok {
		return
	}
	ms.mu.Lock()
	defer ms.mu.Unlock()
	delete(ms.loaded, m.Name)
	ms.installed = slices.DeleteFunc(ms.installed, func(other Model) bool { return other.Name == m.Name })
}

// generate only unloads: it accepts a request without a prompt and with keep_alive 0.
func (ms *models) generate(w http.ResponseWriter, _ *http.Request, body []byte, _ int) {
	var req api.GenerateRequest
	if !decode(w, body, &req) {
		return
	}
	if _, ok := ms.requested(w, body); !ok {
		return
	}
	if req.Prompt != "" || req.KeepAlive == nil || req.KeepAlive.Duration != 0 {
		fail(w, http.StatusBadRequest, "the scripted server generates nothing here")
		return
	}
	ms.Unload(req.Model)
	reply(w, api.GenerateResponse{Model: req.Model, Done: true, DoneReason: "unload"})
}

// requested returns the model that a request names; ok is false if the request was
// answered with an error.
func (ms *models) requested(w http.ResponseWriter, body []byte) (m Model, ok bool) {
	var req modelName
	if !decode(w, body, &req) {
		return Model{}, false
	}
	if m, ok = ms.find(req.name()); !ok {
		fail(w, http.StatusNotFound, fmt.Sprintf("model '%s' not found", req.name()))
	}
	return m, ok
}

// modelName is the model of a request; older clients call the key name.
type modelName struct{ Model, Name string }

func (n modelName) name() string { return cmp.Or(n.Model, n.Name) }

func sameModel(a, b string) bool {
	return strings.EqualFold(strings.TrimSuffix(a, ":latest"), strings.TrimSuffix(b, ":latest"))
}

func (m Model) contextLength() int { return cmp.Or(m.ContextLength, defaultContextLength) }

func (m Model) dimensions() int { return cmp.Or(m.Dimensions, defaultDimensions) }

func (m Model) size() int64 { return cmp.Or(m.Size, m.parameters()*6/10) }

func (m Model) details() api.ModelDetails {
	family := cmp.Or(m.Family, "llama")
	return api.ModelDetails{
		Format: "gguf", Family: family, Families: []string{family},
		ParameterSize: m.ParameterSize, QuantizationLevel: "Q4_K_M",
	}
}

func (m Model) capabilities() []string {
	if len(m.Capabilities) > 0 {
		return m.Capabilities
	}
	return []string{"completion"}
}

func (m Model) digest() string {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%+v", m)))
	return hex.EncodeToString(sum[:])
}

func (m Model) parameters() int64 {
	size := strings.ToUpper(m.ParameterSize)
	for suffix, factor := range map[string]float64{"M": 1e6, "B": 1e9} {
		number, ok := strings.CutSuffix(size, suffix)
		if n, err := strconv.ParseFloat(number, 64); ok && err == nil {
			return int64(math.Round(n * factor))
		}
	}
	return defaultParameters
}
