package registry

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWithSettingChangesOneKeyAndNothingElse(t *testing.T) {
	for name, tc := range map[string]struct {
		file, text, key string
		value           any
		want            string // "" for an error
	}{
		"a value is replaced": {
			"agent.json", "{\n  \"name\": \"Coder\",\n  \"enabled\": true,  \n  \"x\": [1,  2]\n}\n", "enabled", false,
			"{\n  \"name\": \"Coder\",\n  \"enabled\": false,  \n  \"x\": [1,  2]\n}\n",
		},
		"a key is added":               {"agent.json", "{\n  \"name\": \"Coder\"\n}\n", "model", "qwen3:8b", "{\n  \"name\": \"Coder\",\n  \"model\": \"qwen3:8b\"\n}\n"},
		"a key is added to one line":   {"agent.json", `{"name": "Coder"}`, "enabled", false, `{"name": "Coder", "enabled": false}`},
		"an empty object":              {"agent.json", "{ }", "enabled", true, "{\n  \"enabled\": true\n}"},
		"a key in another case":        {"agent.json", `{"Enabled": true}`, "enabled", false, `{"Enabled": false}`},
		"the last of two counts":       {"agent.json", `{"model": "a", "model": "b"}`, "model", "c", `{"model": "a", "model": "c"}`},
		"the key inside another value": {"agent.json", `{"x": {"model": "a"}, "name": "N"}`, "model", "c", `{"x": {"model": "a"}, "name": "N", "model": "c"}`},
		"quotes in the value":          {"agent.json", `{"name": "N"}`, "name", `A "b" ü`, `{"name": "A \"b\" ü"}`},
		"no JSON":                      {"agent.json", `{"name": `, "enabled", true, ""},
		"front matter, replaced":       {"a.md", "---\nname: A\nenabled: yes # ever\n---\ntext", "enabled", false, "---\nname: A\nenabled: false\n---\ntext"},
		"front matter, added":          {"a.md", "---\nname: A\n---\nmodel: no\n", "model", "m:1b", "---\nname: A\nmodel: \"m:1b\"\n---\nmodel: no\n"},
		"front matter, another name":   {"a.md", "---\nname: A\nrole: code\n---\nt", "model_role", "small", "---\nname: A\nrole: \"small\"\n---\nt"},
		"front matter, several lines":  {"a.md", "---\nname: A\ndescription: >\n  long\n---\nt", "description", "x", ""},
		"no front matter":              {"a.md", "text", "enabled", true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := WithSetting(tc.file, tc.text, tc.key, tc.value)
			if (err != nil) != (tc.want == "") {
				t.Fatalf("the error is %v", err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzWithSetting(f *testing.F) {
	f.Add(`{"name": "N", "enabled": true}`, "x")
	f.Add(`{"a": {"enabled": 1}, "enabled" : null}`, "\"\n")
	f.Add("{}", "")
	f.Fuzz(func(t *testing.T, text, value string) {
		var before, after Agent
		if parseAgentJSON(text, &before) != nil {
			return
		}
		out, err := WithSetting("agent.json", text, "model", value)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if err := parseAgentJSON(out, &after); err != nil {
			t.Fatalf("%q became %q: %v", text, out, err)
		}
		if want := strings.TrimSpace(strings.ToValidUTF8(value, "\uFFFD")); len(want) < 100 && after.Model != want && !strings.ContainsRune(want, '\uFFFD') {
			t.Errorf("%q became %q: the model is %q", text, out, after.Model)
		}
		if before.Slug != after.Slug || before.Enabled != after.Enabled {
			t.Errorf("%q became %q", text, out)
		}
	})
}

func TestCreate_makesAUsableAgent(t *testing.T) {
	r := registryOf(t, agentTree{
		"agents/agent-002/agent.json": `{"name": "Coder", "slug": "coder", "model_role": "code", "temperature": 0.2, "tools": ["SYSTEM_STATS"], "orchestrator": true}`,
		"agents/agent-002/skill.md":   "Write code.\n", "agents/agent-002/mood.md": "calm", "agents/agent-002/memory.md": "- private",
	})
	plain, err := r.Create(t.Context(), "  Trip Planner ", "")
	if err != nil || plain.Err != nil || plain.Slug != "trip-planner" || plain.Name != "Trip Planner" || filepath.Base(plain.Path) != "agent-trip-planner" {
		t.Fatalf("%v: %+v", err, plain)
	}
	like, err := r.Create(t.Context(), "Köchin", "coder")
	if err != nil || like.Err != nil || like.Role != "code" || like.Skill != "Write code." || like.Mood != "calm" || like.Entry || *like.Temperature != 0.2 {
		t.Fatalf("%v: %+v", err, like)
	}
	if filepath.Base(like.Path) != "agent-005" {
		t.Errorf("its folder is %s", like.Path)
	}
	if _, err := os.Stat(filepath.Join(like.Path, "memory.md")); err == nil {
		t.Error("the memory was copied")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(like.Path), ".*.tmp")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestCreate_givenBadName_saysWhy(t *testing.T) {
	r := registryOf(t, agentTree{"agents/agent-002/agent.json": `{"name": "Coder", "slug": "c"}`, "agents/agent-002/skill.md": "x"})
	for name, want := range map[string]string{
		"": "give it a name", "  ": "give it a name", "!!": "a letter", strings.Repeat("x", 61): "60",
		"CODER": "already", "c": "already", "002": "already", "../x": "", "a\nb": "one line",
	} {
		a, err := r.Create(t.Context(), name, "")
		if want == "" {
			if err != nil || filepath.Base(a.Path) != "agent-x" {
				t.Errorf("%q: %v %s", name, err, a.Path)
			}
			continue
		}
		if !errors.Is(err, ErrBadName) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v", name, err)
		}
	}
	if _, err := r.Create(t.Context(), "New", "nobody"); !errors.Is(err, ErrNoAgent) {
		t.Errorf("a template that is not there gives %v", err)
	}
}

func TestRestore_bringsADeletedAgentBack(t *testing.T) {
	r := registryOf(t, agentTree{
		"agents/agent-000/agent.json": `{"name": "O", "orchestrator": true}`, "agents/agent-000/skill.md": "x",
		"agents/agent-002/agent.json": `{"name": "Coder"}`, "agents/agent-002/skill.md": "Write code.",
	})
	coder := agentByID(t, r, "002")
	trash, err := r.Delete(t.Context(), coder)
	if err != nil || len(r.Agents()) != 1 {
		t.Fatalf("%v, %d agents are left", err, len(r.Agents()))
	}
	if err := r.Restore(trash, coder.Path); err != nil || agentByID(t, r, "002").Skill != "Write code." {
		t.Fatal(err)
	}
	if err := r.Restore(trash, coder.Path); err == nil {
		t.Error("brought back twice")
	}
	if _, err := r.Delete(t.Context(), agentByID(t, r, "000")); err == nil {
		t.Error("the only agent that sees the conversation is gone")
	}
	coder.Path = filepath.Join(t.TempDir(), "agent-002")
	if _, err := r.Delete(t.Context(), coder); err == nil {
		t.Error("a folder elsewhere was deleted")
	}
}
