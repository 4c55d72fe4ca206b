package ollama

import "testing"

func TestNamedParameters(t *testing.T) {
	for name, want := range map[string]int64{
		"qwen3:8b":                           8e9,
		"gemma3:1b":                          1e9,
		"gemma3:270m-it-qat":                 270e6,
		"qwen2.5-coder:1.5b-instruct-q4_K_M": 15e8,
		"mixtral:8x7b":                       56e9,
		"qwen3:30b-a3b":                      30e9,
		"hf.co/unsloth/Qwen3-4B-GGUF:Q4_K_M": 4e9,
		"llama3.2":                           0,
		"phi4:latest":                        0,
		"gpt-oss":                            0,
		"":                                   0,
	} {
		if got := namedParameters(name); got != want {
			t.Errorf("%q has %d, want %d", name, got, want)
		}
	}
}

// Whatever the server tells of them, the larger model talks and the smaller one does
// the small work.
func TestChooseGoesBySizeHoweverItIsKnown(t *testing.T) {
	talk := []string{"completion", "tools"}
	tests := []struct {
		name           string
		models         []ModelInfo
		limit          int64
		general, small string
	}{
		{"by parameters", []ModelInfo{
			{Name: "a:latest", Parameters: 1e9, Capabilities: talk}, {Name: "b:latest", Parameters: 8e9, Capabilities: talk},
		}, 0, "b:latest", "a:latest"},
		{"by names alone", []ModelInfo{
			{Name: "gemma3:1b", Capabilities: talk}, {Name: "qwen3:8b", Capabilities: talk},
		}, 0, "qwen3:8b", "gemma3:1b"},
		{"by names, given the same size of all", []ModelInfo{
			{Name: "gemma3:1b", Size: 6e8, Capabilities: talk}, {Name: "qwen3:8b", Size: 6e8, Capabilities: talk},
		}, 0, "qwen3:8b", "gemma3:1b"},
		{"by files", []ModelInfo{
			{Name: "one:latest", Size: 8e8, Capabilities: talk}, {Name: "two:latest", Size: 5e9, Capabilities: talk},
		}, 0, "two:latest", "one:latest"},
		{"what fits the machine", []ModelInfo{
			{Name: "gemma3:1b", Size: 8e8, Capabilities: talk}, {Name: "gemma3:4b", Size: 33e8, Capabilities: talk}, {Name: "qwen3:8b", Size: 52e8, Capabilities: talk},
		}, 48e8, "gemma3:4b", "gemma3:1b"},
		{"not what answers slower than people read", []ModelInfo{
			{Name: "gemma3:1b", Size: 8e8, Capabilities: talk}, {Name: "qwen3:8b", Size: 52e8, Capabilities: talk}, {Name: "qwen3:32b", Size: 2e10, Capabilities: talk},
		}, 0, "qwen3:8b", "gemma3:1b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			general, _ := choose(tt.models, RoleGeneral, tt.limit)
			small, _ := choose(tt.models, RoleSmall, tt.limit)
			if general.Name != tt.general || small.Name != tt.small {
				t.Errorf("%s talks and %s does the small work, want %s and %s", general.Name, small.Name, tt.general, tt.small)
			}
		})
	}
}
