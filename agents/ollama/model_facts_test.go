package ollama

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The size of a model comes from the server, or else from its name.
func TestSizesOfModels(t *testing.T) {
	for _, tc := range []struct {
		model       ModelInfo
		known       int64
		small, tiny bool
	}{
		{ModelInfo{Name: "qwen3:8b"}, 8e9, false, false},
		{ModelInfo{Name: "x", Parameters: 8e9}, 8e9, false, false},
		{ModelInfo{Name: "smollm2:135m"}, 135e6, true, true},
		{ModelInfo{Name: "mystery"}, 0, false, false},
	} {
		if tc.model.KnownSize() != tc.known || tc.model.Small() != tc.small || tc.model.Tiny() != tc.tiny {
			t.Errorf("%s: %d, small %v, tiny %v", tc.model.Name, tc.model.KnownSize(), tc.model.Small(), tc.model.Tiny())
		}
	}
	if !SameModel("qwen3", "qwen3:latest") || SameModel("qwen3", "qwen3:8b") {
		t.Error("a name without a tag means the latest")
	}
}

// Servers before 0.6.4 don't report what a model can do.
func TestCapabilitiesOfOldServers(t *testing.T) {
	for _, tc := range []struct {
		info   ModelInfo
		answer shown
		want   []string
	}{
		{ModelInfo{Name: "nomic-embed-text"}, shown{}, []string{"embedding"}},
		{ModelInfo{Name: "x", Family: "nomic-bert"}, shown{}, []string{"embedding"}},
		{ModelInfo{Name: "x"}, shown{}, []string{"completion"}},
		{ModelInfo{Name: "x"}, shown{Template: "{{ .Tools }}", ProjectorInfo: map[string]json.RawMessage{"clip": nil}}, []string{"completion", "tools", "vision"}},
	} {
		if diff := cmp.Diff(tc.want, guessCapabilities(tc.info, tc.answer)); diff != "" {
			t.Errorf("%+v: %s", tc.info, diff)
		}
	}
}

// A template that never names the system's role hides system messages.
func TestTemplatesThatShowSystemMessages(t *testing.T) {
	for template, want := range map[string]bool{
		"":                                    true,
		"{{ .Prompt }}":                       false,
		"{{ .System }} {{ .Prompt }}":         true,
		"{{ range .Messages }}{{ .Role }}":    true,
		`{{ if eq .Role "system" }}`:          true,
		`{{ range .Messages }}{{ .Content }}`: true,
	} {
		if got := showsSystem(template); got != want {
			t.Errorf("%q: %v", template, got)
		}
	}
}

// An error says which model is missing, and how long a busy server asks to wait.
func TestErrorsNameWhatIsMissing(t *testing.T) {
	none, other := &NoModelError{Role: RoleSmall}, &NoModelError{Role: RoleSmall, Installed: 2}
	if none.Error() != "no model is installed" || !errors.Is(other, ErrNoModel) || !strings.Contains(other.Error(), strings.ToLower(string(RoleSmall))) {
		t.Errorf("%v, %v", none, other)
	}
	for value, want := range map[string]string{"7": "7s", "": "", "soon": "", "-1": ""} {
		err := busyFor(&http.Response{Header: http.Header{"Retry-After": {value}}})
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", value, err)
		}
	}
	client, err := New(Params{Host: "http://127.0.0.1:11434"})
	if err != nil || client.Host().Port() != "11434" {
		t.Errorf("%v", err)
	}
	c := NewCatalog(client, 0)
	c.SetMemory(4 << 30)
	if got := c.Advice()[0].Model; got != Advice(4 << 30)[0].Model {
		t.Errorf("advice %s", got)
	}
}
