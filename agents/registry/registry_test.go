package registry

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"mac-stats/sessionmem/excerpt"

	"github.com/google/go-cmp/cmp"
)

// agentTree is a set of files below a data folder: path → text.
type agentTree map[string]string

// write writes the tree below root.
func (files agentTree) write(t testing.TB, root string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		writeAgentFile(t, filepath.Join(root, filepath.FromSlash(name)), files[name])
	}
}

func writeAgentFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func testRegistry(root string) *Registry {
	return New(Config{Root: root, Defaults: fstest.MapFS{}})
}

func registryOf(t testing.TB, files agentTree) *Registry {
	t.Helper()
	root := t.TempDir()
	files.write(t, root)
	return testRegistry(root)
}

func agentByID(t *testing.T, r *Registry, id string) Agent {
	t.Helper()
	for _, a := range r.Agents() {
		if a.ID == id {
			return a
		}
	}
	t.Fatalf("agent %s is not listed", id)
	return Agent{}
}

// rustApp is a data folder as the Rust app leaves it.
func rustApp() agentTree {
	return agentTree{
		"agents/soul.md":                     "shared soul",
		"agents/memory.md":                   "- a lesson\n",
		"agents/memory-main.md":              "---\nname: trap\n---\nnot an agent",
		"agents/memory-discord-42.md":        "- hello\n",
		"agents/escalation_patterns.md":      "# Patterns\n- no, really\n",
		"agents/session_reset_phrases.md":    "- reset\n",
		"agents/prompts/execution_prompt.md": "{{AGENTS}}",
		"agents/agent-000/agent.json": `{"name": "Orchestrator", "slug": "orchestrator", "model_role": "thinking", "orchestrator": true,
			"description": "Routes."}`,
		"agents/agent-000/skill.md":            "Route.",
		"agents/agent-000/memory.md":           "- own\n",
		"agents/agent-002/agent.json":          `{"name":"Senior Coder","slug":"senior-coder","model":null,"model_role":"code","enabled":true,"max_tool_iterations":20}`,
		"agents/agent-002/skill.md":            "Code.",
		"agents/agent-002/mood.md":             "calm\n",
		"agents/agent-004/agent.json":          `{"name":"Discord Expert","model_role":"cheap","enabled":false}`,
		"agents/agent-004/skill.md":            "Discord.",
		"agents/agent-006-redmine/agent.json":  `{"name":"Redmine","slug":"redmine","model_role":"reasoning","max_tool_iterations":900}`,
		"agents/agent-006-redmine/skill.md":    "Tickets.",
		"agents/agent-006-redmine/soul.md":     "own soul",
		"agents/agent-abliterated/agent.json":  `{"name":"Abliterated","model":"some:2b","model_role":"expensive"}`,
		"agents/agent-abliterated/skill.md":    "Talk.",
		"agents/skills/skill-1-summarize.md":   "# Summarize\n\nSummarize it.",
		"agents/notes/agent-002/not-a-note.md": "---\nname: note\n---\ntext",
	}
}

func TestAgents_givenFolderOfTheRustApp(t *testing.T) {
	r := registryOf(t, rustApp())
	want := []Agent{
		{ID: "000", Slug: "orchestrator", Name: "Orchestrator", Description: "Routes.", Role: "thinking", Entry: true, Enabled: true, MaxRounds: 15, Texts: Texts{Soul: "shared soul", Skill: "Route."}},
		{ID: "002", Slug: "senior-coder", Name: "Senior Coder", Role: "code", Enabled: true, MaxRounds: 20, Texts: Texts{Soul: "shared soul", Mood: "calm", Skill: "Code."}},
		{ID: "004", Slug: "discord-expert", Name: "Discord Expert", Role: "small", MaxRounds: 15, Texts: Texts{Soul: "shared soul", Skill: "Discord."}},
		{
			ID: "006-redmine", Slug: "redmine", Name: "Redmine", Role: "thinking", Enabled: true, MaxRounds: 200, Texts: Texts{Soul: "own soul", Skill: "Tickets."},
			Warnings: []string{"max_tool_iterations 900: 200 is used (1 to 200)"},
		},
		{ID: "abliterated", Slug: "abliterated", Name: "Abliterated", Model: "some:2b", Role: "general", Enabled: true, MaxRounds: 15, Texts: Texts{Soul: "shared soul", Skill: "Talk."}},
	}
	for i := range want {
		want[i].Path = filepath.Join(r.agentsDir(), "agent-"+want[i].ID)
	}
	if diff := cmp.Diff(want, r.Agents(), cmp.Comparer(sameError)); diff != "" {
		t.Errorf("agents (-want +got):\n%s", diff)
	}
	if s, err := r.FindSkill("1"); err != nil || s.Name != "summarize" || s.Description != "Summarize" {
		t.Errorf("FindSkill(1) = %+v, %v", s, err)
	}
}

func sameError(a, b error) bool {
	return (a == nil) == (b == nil) && (a == nil || a.Error() == b.Error())
}

// Two publishers may call their agents alike: each can be called.
func TestAgents_givenTheSlugOfAnother_isCalledByItsID(t *testing.T) {
	r := registryOf(t, agentTree{
		"agents/agent-001/agent.json": `{"name":"Good"}`, "agents/agent-001/skill.md": "x", "agents/agent-x/agent.json": `{"name":"X","slug":"GOOD"}`, "agents/agent-x/skill.md": "x",
		"agents/python pro.md": "---\nname: python-pro\n---\none", "agents/python-pro-2.md": "---\nname: python-pro\n---\ntwo",
	})
	for selector, want := range map[string]string{"good": "001", "x": "x", "python-pro": "python pro", "python-pro-2": "python-pro-2"} {
		if a, err := r.Find(selector); err != nil || a.ID != want {
			t.Errorf("%s is %s, %v; want %s", selector, a.ID, err, want)
		}
	}
	if a := agentByID(t, r, "x"); len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], "is called by its id") {
		t.Errorf("warnings %q", a.Warnings)
	}
}

// Each case has one broken agent beside a good one; both must be listed.
func TestAgents_givenBrokenAgent_listsItWithItsErrorBesideTheOthers(t *testing.T) {
	tests := []struct {
		name  string
		files agentTree
		id    string
		want  string
	}{
		{"invalid JSON", agentTree{"agents/agent-x/agent.json": "{\n  \"name\": \"X\",\n  oops\n}", "agents/agent-x/skill.md": "x"}, "x", "agent.json line 3"},
		{"trailing comma", agentTree{"agents/agent-x/agent.json": "{\n  \"name\": \"X\",\n}", "agents/agent-x/skill.md": "x"}, "x", "agent.json line 3"},
		{"wrong type", agentTree{"agents/agent-x/agent.json": "{\"name\": \"X\",\n\"enabled\": \"yes\"}", "agents/agent-x/skill.md": "x"}, "x", "agent.json line 2: enabled is a string, want true or false"},
		{"a list", agentTree{"agents/agent-x/agent.json": "[]", "agents/agent-x/skill.md": "x"}, "x", "want an object"},
		{"null", agentTree{"agents/agent-x/agent.json": "null", "agents/agent-x/skill.md": "x"}, "x", "want an object"},
		{"empty JSON", agentTree{"agents/agent-x/agent.json": "", "agents/agent-x/skill.md": "x"}, "x", "agent.json line 1"},
		{"tools of numbers", agentTree{"agents/agent-x/agent.json": `{"name":"X","tools":[1]}`, "agents/agent-x/skill.md": "x"}, "x", "tools: want a list"},
		{"no agent.json", agentTree{"agents/agent-x/skill.md": "x"}, "x", "agent.json is missing"},
		{"no skill.md", agentTree{"agents/agent-x/agent.json": `{"name":"X"}`}, "x", "skill.md is missing"},
		{"blank skill.md", agentTree{"agents/agent-x/agent.json": `{"name":"X"}`, "agents/agent-x/skill.md": " \n\t\n"}, "x", "skill.md is empty"},
		{"binary skill.md", agentTree{"agents/agent-x/agent.json": `{"name":"X"}`, "agents/agent-x/skill.md": "a\x00b"}, "x", "skill.md: is not a text file"},
		{"huge skill.md", agentTree{"agents/agent-x/agent.json": `{"name":"X"}`, "agents/agent-x/skill.md": strings.Repeat("a", maxFileBytes+1)}, "x", "larger than 1024 KB"},
		{"skill.md is a folder", agentTree{"agents/agent-x/agent.json": `{"name":"X"}`, "agents/agent-x/skill.md/a": "x"}, "x", "skill.md: is not a regular file"},
		{"odd folder name", agentTree{"agents/agent-x copy/agent.json": `{"name":"X"}`}, "x copy", "rename it"},
		{"id of another", agentTree{"agents/001.md": "---\nname: Other\n---\nx"}, "001.md", `id "001" is already used by agent-001`},
		{"front matter not closed", agentTree{"agents/solo.md": "---\nname: solo\nx"}, "solo", "not closed"},
		{"single file without body", agentTree{"agents/solo.md": "---\nname: solo\n---\n"}, "solo", "nothing below the front matter"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			r := registryOf(t, agentTree{"agents/agent-001/agent.json": `{"name":"Good"}`, "agents/agent-001/skill.md": "Be good."})
			tc.files.write(t, r.root)
			list := r.Agents()
			if len(list) != 2 {
				t.Fatalf("listed %d agents, want 2: %+v", len(list), list)
			}
			good, err := r.Find("good")
			if err != nil || good.Skill != "Be good." {
				t.Fatalf("the good agent: %+v, %v", good, err)
			}
			bad := list[slices.IndexFunc(list, func(a Agent) bool { return a.Err != nil })]
			if bad.Err == nil || !strings.Contains(bad.Err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", bad.Err, tc.want)
			}
			if bad.ID != strings.TrimSuffix(tc.id, ".md") {
				t.Errorf("id %q, want %q", bad.ID, tc.id)
			}
			if bad.Usable() || strings.Contains(bad.Err.Error(), r.root) {
				t.Errorf("a broken agent is usable or its error holds a path: %v", bad.Err)
			}
		})
	}
}

func TestAgents_givenOtherFiles_leavesThemOut(t *testing.T) {
	r := registryOf(t, agentTree{
		"agents/memory.md":        "---\nname: memory\n---\nx",
		"agents/soul.md":          "---\nname: soul\n---\nx",
		"agents/Memory-Inbox.md":  "---\nname: inbox\n---\nx",
		"agents/reset-phrases.md": "---\nname: phrases\n---\nx",
		"agents/README.md":        "# name: no front matter",
		"agents/rule.md":          "---\n\nonly a rule\n",
		"agents/titled.md":        "---\ntitle: no name\n---\nx",
		"agents/.hidden.md":       "---\nname: hidden\n---\nx",
		"agents/notes.txt":        "---\nname: txt\n---\nx",
		"agents/agent-002.old-20261121-101500/agent.json": `{"name":"Old"}`,
		"agents/agent-002.old-20261121-101500/skill.md":   "old",
		"agents/agent-file": "not a folder",
	})
	if list := r.Agents(); len(list) != 0 {
		t.Errorf("listed %+v, want none", list)
	}
}

func TestAgents_givenNoFolder_listsNone(t *testing.T) {
	r := testRegistry(filepath.Join(t.TempDir(), "nothing"))
	if got := len(r.Agents()) + len(r.Skills()); got != 0 {
		t.Errorf("listed %d, want none", got)
	}
}

func TestAgents_givenSingleFile_readsFrontMatter(t *testing.T) {
	r := registryOf(t, agentTree{
		"agents/soul.md": "shared soul",
		"agents/reviewer.md": "\uFEFF---\r\nname: Code Reviewer\r\ndescription: >\r\n  Reviews\r\n  changes.\r\ntools: SYSTEM_STATS, Read\r\nmodel: inherit\r\nmaxTurns: 4\r\n" +
			"color: blue\r\ntemprature: 0.5\r\n---\r\n\r\nReview.\r\n",
	})
	temp := r.Agents()
	want := []Agent{{
		ID: "reviewer", Slug: "code-reviewer", Name: "Code Reviewer", Description: "Reviews changes.", Role: "general", Enabled: true, MaxRounds: 4,
		Tools: []string{"SYSTEM_STATS"}, Path: filepath.Join(r.agentsDir(), "reviewer.md"), Texts: Texts{Soul: "shared soul", Skill: "Review."},
		Warnings: []string{"temprature: did you mean temperature?", "color: keys that have no meaning here", "Read: tools that are not known here"},
	}}
	if diff := cmp.Diff(want, temp, cmp.Comparer(sameError)); diff != "" {
		t.Errorf("agents (-want +got):\n%s", diff)
	}
}

func TestParseAgentJSON_givenOddSettings_warns(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
		check      func(Agent) bool
	}{
		{"misspelled key", `{"name":"A","moedl":"x"}`, []string{"moedl: did you mean model?"}, nil},
		{"unknown key", `{"name":"A","frobnicate":1}`, []string{"frobnicate: unknown key"}, nil},
		{"key in another case", `{"Name":"A","MODEL":"x"}`, nil, func(a Agent) bool { return a.Name == "A" && a.Model == "x" }},
		{"no name", `{}`, []string{"name is missing: the id stands in for it"}, func(a Agent) bool { return a.Enabled && a.MaxRounds == 15 && a.Tools == nil }},
		{"rounds below 1", `{"name":"A","max_tool_iterations":0}`, []string{"max_tool_iterations 0: 1 is used (1 to 200)"}, func(a Agent) bool { return a.MaxRounds == 1 }},
		{"unknown role", `{"name":"A","model_role":"visoin"}`, []string{"model_role visoin: did you mean vision?; general is used"}, func(a Agent) bool { return a.Role == "general" }},
		{"role in another case", `{"name":"A","model_role":"Vision"}`, nil, func(a Agent) bool { return a.Role == "vision" }},
		{"slug of two words", `{"name":"A","slug":"My Agent"}`, []string{`slug "My Agent": read as "my-agent" (letters, digits, - and _)`}, func(a Agent) bool { return a.Slug == "my-agent" }},
		{"slug in upper case", `{"name":"A","slug":"CODER"}`, nil, func(a Agent) bool { return a.Slug == "coder" }},
		{"name of another script", `{"name":"編集者"}`, nil, func(a Agent) bool { return a.Slug == "編集者" }},
		{"temperature too high", `{"name":"A","temperature":7}`, []string{"temperature 7: not used (0 to 2)"}, func(a Agent) bool { return a.Temperature == nil }},
		{"temperature 0", `{"name":"A","temperature":0}`, nil, func(a Agent) bool { return a.Temperature != nil && *a.Temperature == 0 }},
		{"no tools", `{"name":"A","tools":[]}`, nil, func(a Agent) bool { return a.Tools != nil && len(a.Tools) == 0 }},
		{"misspelled tool", `{"name":"A","tools":["system_stat","fetch_url","FETCH_URL"]}`, []string{"tools: system_stat: did you mean SYSTEM_STATS?"}, func(a Agent) bool { return slices.Equal(a.Tools, []string{"FETCH_URL"}) }},
		{"tools in one text", `{"name":"A","tools":"FETCH_URL, SKILL"}`, nil, func(a Agent) bool { return slices.Equal(a.Tools, []string{"FETCH_URL", "SKILL"}) }},
		{"nulls", `{"name":"A","slug":null,"enabled":null,"tools":null}`, nil, func(a Agent) bool { return a.Enabled && a.Tools == nil && a.Slug == "a" }},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			a := Agent{Enabled: true, MaxRounds: DefaultRounds, Role: RoleGeneral}
			if err := parseAgentJSON(tc.text, &a); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, a.Warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
			if tc.check != nil && !tc.check(a) {
				t.Errorf("settings %+v", a)
			}
		})
	}
}

func TestAgents_givenFolderInPlaceOfFile_nextCallHasIt(t *testing.T) {
	r := registryOf(t, agentTree{"agents/one.md": "---\nname: one\n---\nHelp.\n", "agents/agent-a": "a note"})
	names, old := []string{"one.md", "agent-a"}, time.Now().Add(-time.Hour)
	for _, name := range names {
		if err := os.Chtimes(filepath.Join(r.agentsDir(), name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if a := agentByID(t, r, "one"); !a.Usable() {
		t.Fatal(a.Err)
	}
	for _, name := range names {
		path := filepath.Join(r.agentsDir(), name)
		if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.Agents(); len(got) != 1 || got[0].ID != "a" || got[0].Err == nil {
		t.Errorf("listed: %+v", got)
	}
}

func TestRoleOf_knowsEveryNameItOffers(t *testing.T) {
	for _, name := range strings.Fields(roleNames) {
		if role, ok := roleOf(strings.ToUpper(name)); !ok || !ourRole(role) {
			t.Errorf("roleOf(%q) = %q, %v", name, role, ok)
		}
	}
}

// However an editor saves, the next call must see it, because that call builds the
// prompt.
func TestAgents_givenEditSaved_nextCallHasIt(t *testing.T) {
	const before, after = "Say aaa.", "Say bbb." // of equal length
	saves := map[string]func(t *testing.T, path string){
		"in place":          func(t *testing.T, path string) { writeAgentFile(t, path, after) },
		"by rename":         func(t *testing.T, path string) { writeAgentFile(t, path+"~", after); rename(t, path+"~", path) },
		"delete and create": func(t *testing.T, path string) { remove(t, path); writeAgentFile(t, path, after) },
		"backup by rename":  func(t *testing.T, path string) { rename(t, path, path+".bak"); writeAgentFile(t, path, after) },
		"with the old time": func(t *testing.T, path string) {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			writeAgentFile(t, path+"~", after)
			if err := os.Chtimes(path+"~", info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
			rename(t, path+"~", path)
		},
	}
	for name, save := range saves {
		for _, linked := range []string{"", "file", "folder", "retargeted"} {
			t.Run(strings.TrimSpace(name+" "+linked), func(t *testing.T) {
				if linked != "" && runtime.GOOS == "windows" {
					return // links need a privilege there
				}
				r := registryOf(t, agentTree{"agents/agent-a/agent.json": `{"name":"A"}`, "agents/agent-a/skill.md": before})
				folder := filepath.Join(r.agentsDir(), "agent-a")
				edited := filepath.Join(folder, "skill.md")
				away := t.TempDir()
				switch linked {
				case "file":
					edited = moveAndLink(t, edited, filepath.Join(away, "my-skill.md"))
				case "folder":
					edited = filepath.Join(moveAndLink(t, folder, filepath.Join(away, "dotfiles")), "skill.md")
				case "retargeted":
					moveAndLink(t, edited, filepath.Join(away, "one.md"))
				}
				age(t, edited)
				if got := agentByID(t, r, "a").Skill; got != before {
					t.Fatalf("before: %q", got)
				}
				save(t, edited)
				if got := agentByID(t, r, "a").Skill; got != after {
					t.Errorf("after saving %s: %q, want %q", name, got, after)
				}
			})
		}
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

// moveAndLink moves path to target and leaves a symlink; it returns target.
func moveAndLink(t *testing.T, path, target string) string {
	t.Helper()
	rename(t, path, target)
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
	return target
}

// age sets a file's time back, so that the cache trusts it.
func age(t testing.TB, path string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
}

func TestAgents_givenSecondSaveOfSameLengthAtOnce_nextCallHasIt(t *testing.T) {
	r := registryOf(t, agentTree{"agents/agent-a/agent.json": `{"name":"A"}`, "agents/agent-a/skill.md": "0000"})
	path := filepath.Join(r.agentsDir(), "agent-a", "skill.md")
	for i := range 200 {
		want := fmt.Sprintf("%04d", i)
		writeAgentFile(t, path, want)
		if got := agentByID(t, r, "a").Skill; got != want {
			t.Fatalf("save %d: %q, want %q", i, got, want)
		}
	}
}

func TestAgents_givenFilesComeAndGo_nextCallHasIt(t *testing.T) {
	r := registryOf(t, agentTree{"agents/agent-a/agent.json": `{"name":"A"}`, "agents/agent-a/skill.md": "a"})
	steps := []struct {
		name string
		do   func()
		want func(a Agent) bool
	}{
		{"no soul", func() {}, func(a Agent) bool { return a.Soul == "" && a.Usable() }},
		{"shared soul", func() { agentTree{"agents/soul.md": "shared"}.write(t, r.root) }, func(a Agent) bool { return a.Soul == "shared" }},
		{"own soul", func() { agentTree{"agents/agent-a/soul.md": "own"}.write(t, r.root) }, func(a Agent) bool { return a.Soul == "own" }},
		{"mood", func() { agentTree{"agents/agent-a/mood.md": "gay"}.write(t, r.root) }, func(a Agent) bool { return a.Mood == "gay" }},
		{"own soul gone", func() { remove(t, filepath.Join(r.agentsDir(), "agent-a", "soul.md")) }, func(a Agent) bool { return a.Soul == "shared" }},
		{"broken", func() { agentTree{"agents/agent-a/agent.json": "{"}.write(t, r.root) }, func(a Agent) bool { return a.Err != nil }},
		{"mended", func() { agentTree{"agents/agent-a/agent.json": `{"name":"B"}`}.write(t, r.root) }, func(a Agent) bool { return a.Usable() && a.Slug == "b" }},
		{"skill gone", func() { remove(t, filepath.Join(r.agentsDir(), "agent-a", "skill.md")) }, func(a Agent) bool { return a.Err != nil }},
	}
	for _, s := range steps {
		s.do()
		if a := agentByID(t, r, "a"); !s.want(a) {
			t.Errorf("%s: %+v", s.name, a)
		}
	}
	remove(t, filepath.Join(r.agentsDir(), "agent-a"))
	if list := r.Agents(); len(list) != 0 {
		t.Errorf("folder removed: %+v", list)
	}
}

func TestAgents_givenEditsDuringCalls_neverSeesHalfAFile(t *testing.T) {
	r := registryOf(t, agentTree{"agents/agent-a/agent.json": `{"name":"A"}`, "agents/agent-a/skill.md": "start"})
	path := filepath.Join(r.agentsDir(), "agent-a", "skill.md")
	long := map[string]bool{"start": true}
	for _, letter := range []string{"x", "y", "z"} {
		long[strings.Repeat(letter, 50_000)] = true
	}
	stop := make(chan struct{})
	var writer, readers sync.WaitGroup
	writer.Go(func() {
		for {
			for text := range long {
				select {
				case <-stop:
					return
				default:
				}
				if os.WriteFile(path+"~", []byte(text), 0o600) == nil {
					_ = os.Rename(path+"~", path) // fails on Windows while a reader has it open; the next save follows at once
				}
			}
		}
	})
	for range 4 {
		readers.Go(func() {
			for range 100 {
				for _, a := range r.Agents() {
					if a.Err == nil && !long[a.Skill] {
						t.Errorf("half a file: %d characters", len(a.Skill))
					}
				}
				_, _ = r.Find("a")
				_ = r.Skills()
			}
		})
	}
	readers.Wait()
	close(stop)
	writer.Wait()
}

func TestFind(t *testing.T) {
	r := registryOf(t, agentTree{
		"agents/agent-000/agent.json": `{"name":"Orchestrator","slug":"orchestrator"}`, "agents/agent-000/skill.md": "x",
		"agents/agent-002/agent.json": `{"name":"Senior Coder","slug":"coder"}`, "agents/agent-002/skill.md": "x",
		"agents/agent-003/agent.json": `{"name":"coder","slug":"other"}`, "agents/agent-003/skill.md": "x",
		"agents/agent-007/agent.json": `{"name":"Off","enabled":false}`, "agents/agent-007/skill.md": "x",
		"agents/agent-008/agent.json": `{"name":"Off too","slug":"twin","enabled":false}`, "agents/agent-008/skill.md": "x",
		"agents/agent-009/agent.json": `{"name":"On","slug":"twin"}`, "agents/agent-009/skill.md": "x",
		"agents/agent-010/agent.json": `{"name":"Broken"`, "agents/agent-010/skill.md": "x",
		"agents/solo.md": "---\nname: Übersetzer\n---\nx",
	})
	tests := []struct{ selector, id, err string }{
		{"orchestrator", "000", ""},
		{"ORCHESTRATOR", "000", ""},
		{" coder ", "002", ""}, // a slug wins over another agent's name
		{"senior coder", "002", ""},
		{"002", "002", ""},
		{"agent-002", "002", ""},
		{"Agent-002", "002", ""},
		{"solo", "solo", ""},
		{"übersetzer", "solo", ""},
		{"ÜBERSETZER", "solo", ""},
		{"twin", "009", ""},      // the disabled one is skipped
		{"assistant", "000", ""}, // merged into the orchestrator
		{"agent-001", "000", ""},
		{"codre", "", "did you mean coder?"},
		{"orch", "", "did you mean orchestrator?"},
		{"zzz", "", "the agents are orchestrator, coder, other, twin, übersetzer"},
		{"off", "", "is switched off"},
		{"010", "", "can't be used: agent.json line 1"},
		{"../../etc/passwd", "", "no such agent"},
		{"agent-002/../agent-000", "", "no such agent"},
		{"", "", "no such agent"},
		{strings.Repeat("x", 5000), "", "no such agent"},
	}
	for _, tc := range tests {
		t.Run(excerpt.Shorten(tc.selector, 30), func(t *testing.T) {
			a, err := r.Find(tc.selector)
			if tc.err == "" {
				if err != nil || a.ID != tc.id {
					t.Fatalf("found %q, %v; want %q", a.ID, err, tc.id)
				}
				return
			}
			if !errors.Is(err, ErrNoAgent) || !strings.Contains(err.Error(), tc.err) || len(err.Error()) > 300 {
				t.Errorf("error %v, want ErrNoAgent with %q", err, tc.err)
			}
		})
	}
}

func TestNewRegistry_givenNoRoot_panics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	New(Config{Defaults: fstest.MapFS{}})
}

func FuzzParseAgentJSON(f *testing.F) {
	for _, seed := range []string{`{"name":"A","tools":"A,B","temperature":1e400}`, `{"name":1}`, "{", "null", "[]", `{"slug":"\ud800"}`, `{"tools":[null]}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := Agent{Enabled: true, MaxRounds: DefaultRounds, Role: RoleGeneral}
		if parseAgentJSON(text, &s) != nil {
			return
		}
		if s.MaxRounds < 1 || s.MaxRounds > maxRounds || !ourRole(s.Role) || s.Slug != slugify(s.Slug) {
			t.Errorf("unchecked settings: %+v", s)
		}
	})
}

func ourRole(name string) bool {
	role, ok := roleOf(name)
	return ok && role == name
}

// manyAgents makes a data folder of n agents with every optional file, saved long ago.
func manyAgents(b testing.TB, n int) *Registry {
	root := b.TempDir()
	files := agentTree{"agents/soul.md": strings.Repeat("Be kind. ", 100)}
	for i := range n {
		dir := fmt.Sprintf("agents/agent-%03d/", i)
		files[dir+"agent.json"] = fmt.Sprintf(`{"name":"Agent %d","slug":"agent%d","description":"Does things.","tools":["SYSTEM_STATS"]}`, i, i)
		files[dir+"skill.md"] = strings.Repeat("Do it well. ", 100)
		files[dir+"mood.md"] = "calm"
		files[dir+"testing.md"] = "## a\nb\nExpect: contains c\n"
	}
	files.write(b, root)
	for name := range files {
		age(b, filepath.Join(root, filepath.FromSlash(name)))
	}
	return testRegistry(root)
}

// BenchmarkAgents measures the check before every prompt: 20 agents, nothing changed.
func BenchmarkAgents(b *testing.B) {
	r := manyAgents(b, 20)
	for b.Loop() {
		if len(r.Agents()) != 20 {
			b.Fatal("not all are listed")
		}
	}
}

// BenchmarkAgentsCold reads all 20 from disk each time.
func BenchmarkAgentsCold(b *testing.B) {
	r := manyAgents(b, 20)
	for b.Loop() {
		r.known = nil
		if len(r.Agents()) != 20 {
			b.Fatal("not all are listed")
		}
	}
}

func TestAgents_givenBrokenJSON_keepsItsNames(t *testing.T) {
	for _, tt := range []struct{ text, slug, name string }{
		{"{\"name\": \"Release Notes\",\n", "release-notes", "Release Notes"},
		{`{"slug": "notes", "name": "Release Notes",,}`, "notes", "Release Notes"},
		{`{"name": 7`, "100", "agent-100"},
		{`{`, "100", "agent-100"},
	} {
		a := Agent{Slug: "100", Name: "agent-100"}
		if salvageNames(&a, tt.text); a.Slug != tt.slug || a.Name != tt.name {
			t.Errorf("%q: %q %q", tt.text, a.Slug, a.Name)
		}
	}
}

func TestBeginsAnew(t *testing.T) {
	shipped, err := os.ReadFile("../../assets/agents/reset-phrases.md")
	if err != nil {
		t.Fatal(err)
	}
	r := registryOf(t, agentTree{"agents/reset-phrases.md": string(shipped) + "\n* Tabula rasa\n"})
	for message, want := range map[string]string{
		"new topic": "new topic", "New Topic.": "New Topic.", " NEW  TOPIC!\n": " NEW  TOPIC!\n", "Neues Thema": "Neues Thema", "tabula rasa": "tabula rasa",
		"new topic: how is the weather?": "how is the weather?", "Nouvelle session : quelle heure est-il : midi ?": "quelle heure est-il : midi ?", "new session:\nwrite a loop": "write a loop",
		"new topic:":            "new topic:",
		"Is there a new topic?": "", "new topics": "", "new topic please": "", "English": "", "## English": "", "": "", ":": "", "start over: now": "", "a message that is one of these phrases, and nothing else": "",
	} {
		if got, ok := r.BeginsAnew(message); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", message, got, ok, want)
		}
	}
	if _, ok := registryOf(t, nil).BeginsAnew("new topic"); ok {
		t.Error("without the file there are no phrases")
	}
}
