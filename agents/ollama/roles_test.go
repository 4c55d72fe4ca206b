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

// Whatever the server reports about them, the larger model chats and the smaller one does
// the small work.
func TestChooseComparesSizesFromAnySource(t *testing.T) {
	talk := []string{"completion", "tools"}
	tests := []struct {
		name           string
		models         []ModelInfo
		limit          int64
		general, small string
	}{
		{"by parameters", []ModelInfo{
			{Name: "a:latest", Parameters: 1e9, Capabilities: talk}, {Name: "b:latest", Parameters: 8e9, Capabilities: talk},
		}, 0, "b:latest", "b:latest"},
		{"by names alone", []ModelInfo{
			{Name: "gemma3:1b", Capabilities: talk}, {Name: "qwen3:8b", Capabilities: talk},
		}, 0, "qwen3:8b", "qwen3:8b"},
		{"by names, given the same size of all", []ModelInfo{
			{Name: "gemma3:1b", Size: 6e8, Capabilities: talk}, {Name: "qwen3:8b", Size: 6e8, Capabilities: talk},
		}, 0, "qwen3:8b", "qwen3:8b"},
		{"by files", []ModelInfo{
			{Name: "one:latest", Size: 8e8, Capabilities: talk}, {Name: "two:latest", Size: 5e9, Capabilities: talk},
		}, 0, "two:latest", "two:latest"},
		{"what fits the machine", []ModelInfo{
			{Name: "gemma3:1b", Size: 8e8, Capabilities: talk}, {Name: "gemma3:4b", Size: 33e8, Capabilities: talk}, {Name: "qwen3:8b", Size: 52e8, Capabilities: talk},
		}, 48e8, "gemma3:4b", "gemma3:4b"},
		{"not what answers slower than people read", []ModelInfo{
			{Name: "gemma3:1b", Size: 8e8, Capabilities: talk}, {Name: "qwen3:8b", Size: 52e8, Capabilities: talk}, {Name: "qwen3:32b", Size: 2e10, Capabilities: talk},
		}, 0, "qwen3:8b", "qwen3:8b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			general, _ := choose(tt.models, RoleGeneral, tt.limit, "")
			small, _ := choose(tt.models, RoleSmall, tt.limit, "")
			if general.Name != tt.general || small.Name != tt.small {
				t.Errorf("%s talks and %s does the small work, want %s and %s", general.Name, small.Name, tt.general, tt.small)
			}
		})
	}
}

func TestSmallWorkGoesToACapableModel(t *testing.T) {
	talk := []string{"completion"}
	smol := ModelInfo{Name: "smollm2:135m", Parameters: 135e6, Size: 1e8, Capabilities: talk}
	one := ModelInfo{Name: "gemma3:1b", Parameters: 1e9, Size: 8e8, Capabilities: talk}
	three := ModelInfo{Name: "llama3.2:3b", Parameters: 32e8, Size: 2e9, Capabilities: talk}
	eight := ModelInfo{Name: "qwen3:8b", Parameters: 82e8, Size: 52e8, Capabilities: talk}
	minilm := ModelInfo{Name: "all-minilm", Parameters: 22e6, Size: 45e6, Capabilities: []string{"embedding"}}
	for _, tt := range []struct {
		name   string
		models []ModelInfo
		limit  int64
		chat   string
		want   string
	}{
		{"the smallest of those that can", []ModelInfo{smol, one, three, eight}, 1e10, "", three.Name},
		{"nothing is known of the memory", []ModelInfo{smol, three, eight}, 0, "", three.Name},
		{"a bigger one is there", []ModelInfo{smol, eight}, 1e10, "", eight.Name},
		{"none can: the largest", []ModelInfo{smol, one}, 1e10, "", one.Name},
		{"alone", []ModelInfo{smol, minilm}, 1e10, "", smol.Name},
		{"two don't fit: one for everything", []ModelInfo{smol, three, eight}, 6e9, "", eight.Name},
		{"two don't fit beside the one that was chosen", []ModelInfo{three, eight}, 6e9, "qwen3:8b", eight.Name},
		{"the chat's model can't", []ModelInfo{smol, three}, 1e9, "smollm2:135m", three.Name},
		{"the chat's model isn't installed", []ModelInfo{three, eight}, 1e10, "gone:7b", three.Name},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := choose(tt.models, RoleSmall, tt.limit, tt.chat); !ok || got.Name != tt.want {
				t.Errorf("%s does the small work, want %s", got.Name, tt.want)
			}
		})
	}
	if got, ok := choose([]ModelInfo{smol, eight}, RoleEmbed, 0, ""); ok {
		t.Errorf("%s makes vectors", got.Name)
	}
	if got, ok := choose([]ModelInfo{minilm}, RoleSmall, 0, ""); ok {
		t.Errorf("%s does small work", got.Name)
	}
}
