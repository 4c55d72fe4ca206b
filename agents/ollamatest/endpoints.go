package ollamatest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

func (s *Server) version(w http.ResponseWriter, _ *http.Request, _ []byte, _ int) {
	version := s.script.Version
	switch {
	case version != "":
	case s.script.OldServer:
		version = "0.6.5"
	default:
		version = "0.34.0"
	}
	reply(w, map[string]string{"version": version})
}

// listed is a model in /api/tags; capabilities are plain strings in the JSON.
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

func (s *Server) tags(w http.ResponseWriter, _ *http.Request, _ []byte, _ int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []listed{}
	for _, m := range s.models {
		entry := listed{
			Name: m.Name, Model: m.Name, RemoteHost: m.RemoteHost,
			ModifiedAt: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC),
			Size:       m.size(), Digest: m.digest(), Details: m.details(),
		}
		if !s.script.OldServer {
			entry.Capabilities = m.capabilities()
		}
		list = append(list, entry)
	}
	reply(w, map[string]any{"models": list})
}

func (s *Server) ps(w http.ResponseWriter, _ *http.Request, _ []byte, _ int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []api.ProcessModelResponse{}
	for _, m := range s.models {
		context, ok := s.loaded[m.Name]
		if !ok {
			continue
		}
		if s.script.OldServer {
			context = 0
		}
		list = append(list, api.ProcessModelResponse{
			Name: m.Name, Model: m.Name, Size: m.size(), SizeVRAM: m.size(), Digest: m.digest(),
			Details: m.details(), ExpiresAt: time.Now().Add(10 * time.Minute), ContextLength: context,
		})
	}
	reply(w, api.ProcessResponse{Models: list})
}

func (s *Server) show(w http.ResponseWriter, _ *http.Request, body []byte, _ int) {
	var req modelName
	if !decode(w, body, &req) {
		return
	}
	m, ok := s.find(req.name())
	if !ok {
		fail(w, http.StatusNotFound, fmt.Sprintf("model '%s' not found", req.name()))
		return
	}
	arch := m.details().Family
	reply(w, map[string]any{
		"modelfile":    "FROM " + m.Name,
		"template":     cmp.Or(m.Template, "{{ .System }}{{ .Prompt }}"),
		"details":      m.details(),
		"remote_host":  m.RemoteHost,
		"capabilities": m.capabilities(),
		"modified_at":  time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC),
		"model_info": map[string]any{
			"general.architecture":     arch,
			"general.parameter_count":  m.parameters(),
			arch + ".context_length":   m.contextLength(),
			arch + ".embedding_length": m.dimensions(),

			arch + ".block_count": 36, arch + ".attention.head_count_kv": 8, arch + ".attention.key_length": 128, // as of qwen3:8b
		},
	})
}

func (s *Server) pull(w http.ResponseWriter, r *http.Request, body []byte, _ int) {
	var req modelName
	if !decode(w, body, &req) {
		return
	}
	out := newLines(w)
	out.send(api.ProgressResponse{Status: "pulling manifest"})
	name := req.name()
	plan, ok := s.script.Pulls[name]
	if !ok {
		out.send(map[string]string{"error": "pull model manifest: file does not exist"})
		return
	}
	if plan.Model.Name == "" {
		plan.Model.Name = name
	}
	steps, total := max(plan.Steps, 4), plan.Model.size()
	for i := 1; i <= steps; i++ {
		if !s.pause(r, plan.Delay) {
			return
		}
		digest := plan.Model.digest()
		out.send(api.ProgressResponse{
			Status: "pulling " + digest[:12], Digest: "sha256:" + digest,
			Total: total, Completed: total * int64(i) / int64(steps),
		})
		if plan.Error != "" && i > steps/2 {
			out.send(map[string]string{"error": plan.Error})
			return
		}
	}
	s.mu.Lock()
	s.models = append(s.models, plan.Model)
	s.mu.Unlock()
	for _, status := range []string{"verifying sha256 digest", "writing manifest", "success"} {
		out.send(api.ProgressResponse{Status: status})
	}
}

// delete takes a model off the server, out of its memory too.
func (s *Server) delete(w http.ResponseWriter, _ *http.Request, body []byte, _ int) {
	var req modelName
	if !decode(w, body, &req) {
		return
	}
	m, ok := s.find(req.name())
	if !ok {
		fail(w, http.StatusNotFound, fmt.Sprintf("model '%s' not found", req.name()))
		return
	}
	s.Unload(m.Name)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.models = slices.DeleteFunc(s.models, func(other Model) bool { return other.Name == m.Name })
}

// generate only unloads: a request without a prompt that keeps the model for no time.
func (s *Server) generate(w http.ResponseWriter, _ *http.Request, body []byte, _ int) {
	var req api.GenerateRequest
	if !decode(w, body, &req) {
		return
	}
	if _, ok := s.find(req.Model); !ok {
		fail(w, http.StatusNotFound, fmt.Sprintf("model '%s' not found", req.Model))
		return
	}
	if req.Prompt != "" || req.KeepAlive == nil || req.KeepAlive.Duration != 0 {
		fail(w, http.StatusBadRequest, "the scripted server generates nothing here")
		return
	}
	s.Unload(req.Model)
	reply(w, api.GenerateResponse{Model: req.Model, Done: true, DoneReason: "unload"})
}

func decode(w http.ResponseWriter, body []byte, v any) bool {
	if len(body) == 0 {
		fail(w, http.StatusBadRequest, "missing request body")
		return false
	}
	if err := json.Unmarshal(body, v); err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return false
	}
	return true
}

// modelName is what show and pull are about; older clients call it name.
type modelName struct{ Model, Name string }

func (n modelName) name() string { return cmp.Or(n.Model, n.Name) }

func (m Model) details() api.ModelDetails {
	family := m.Family
	if family == "" {
		family = "llama"
	}
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

func (m Model) size() int64 {
	if m.Size > 0 {
		return m.Size
	}
	return m.parameters() * 6 / 10
}

func (m Model) parameters() int64 {
	unit := map[string]float64{"M": 1e6, "B": 1e9}
	for suffix, factor := range unit {
		if n, err := strconv.ParseFloat(strings.TrimSuffix(strings.ToUpper(m.ParameterSize), suffix), 64); err == nil &&
			strings.HasSuffix(strings.ToUpper(m.ParameterSize), suffix) {
			return int64(math.Round(n * factor))
		}
	}
	return 8_000_000_000
}
