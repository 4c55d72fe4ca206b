package delegate

import (
	"testing"

	"mac-stats/agents/registry"
)

func TestSplitSelector(t *testing.T) {
	agents := []registry.Agent{
		{ID: "002", Slug: "coder", Name: "Coder", Enabled: true},
		{ID: "003", Slug: "doctor", Name: "Machine Doctor", Enabled: true},
		{ID: "9", Slug: "machine", Name: "Machine", Enabled: true},
		{ID: "5", Slug: "off", Name: "Coder of old", Enabled: false},
	}
	for arg, want := range map[string][2]string{
		"coder Write it":                {"coder", "Write it"},
		"Coder: Write it":               {"Coder", "Write it"},
		"002 Write it":                  {"002", "Write it"},
		"agent-002\nWrite\nit":          {"agent-002", "Write\nit"},
		"machine doctor, what is slow?": {"machine doctor", "what is slow?"},
		"machine what is slow?":         {"machine", "what is slow?"},
		"coders unite":                  {"coders", "unite"},
		"Coder of old do it":            {"Coder", "of old do it"},
		"coder":                         {"coder", ""},
		"":                              {"", ""},
		"nobody: do it":                 {"nobody", "do it"},
		"coder：写一个脚本。":                  {"coder", "写一个脚本。"},
	} {
		selector, task := splitSelector(arg, agents)
		if selector != want[0] || task != want[1] {
			t.Errorf("%q: %q, %q; want %q", arg, selector, task, want)
		}
	}
}
