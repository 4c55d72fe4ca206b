package forget

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memory"
)

// Instructions that come with the product hold common words. They aren't memory.
func TestShippedInstructionsStayAndAreReported(t *testing.T) {
	const skill = "# Coder\n\nYou fix the gearbox of programs.\nBe brief.\n"
	shipped := fstest.MapFS{
		"agents/agent-002/skill.md": {Data: []byte(skill)},
		"agents/reset-phrases.md":   {Data: []byte("# Reset phrases\n\n- new gearbox\n- start over\n")},
		"config.toml":               {Data: []byte("# the gearbox\n[ollama]\n")},
	}
	r := newRig(t)
	r.memory = memory.New(memory.Config{Root: r.root, Shipped: shipped})
	r.f = New(Params{Root: r.root, CacheDir: r.cache, Store: r.store, Memory: r.memory, Index: r.index})
	untouched := r.write(filepath.Join(r.root, "agents", "agent-002", "skill.md"), skill)
	phrases := r.write(filepath.Join(r.root, "agents", "reset-phrases.md"), "# Reset phrases\n\n- new gearbox\n- start over\n- my own gearbox\n")
	edited := r.write(filepath.Join(r.root, "agents", "agent-002.old-1", "skill.md"), "# Coder\n\nYou fix the gearbox of programs.\nThe gearbox of my Volvo, too.\nBe brief.\n")
	config := r.write(filepath.Join(r.root, "config.toml"), "# the gearbox\n[ollama]\n")
	r.write(filepath.Join(r.root, "agents", ".shipped.json"), `{"files":{"agents/gearbox.md":"12"}}`)
	r.say("cpu-a", user("my gearbox hums"))
	p := r.plan(Selection{Text: "gearbox"})
	report, err := r.f.Do(t.Context(), p)
	must(t, err)
	if report.Refused != 0 || len(r.f.forgotten.Unfinished()) != 0 {
		t.Errorf("%d refused, %d unfinished: what ships must not keep it open", report.Refused, len(r.f.forgotten.Unfinished()))
	}
	reported := map[string]bool{}
	for _, f := range report.Found {
		if f.Final {
			reported[f.Path] = strings.Contains(f.Why, "came with mac-stats") && f.Action == forgotten.Refused
		}
	}
	for _, path := range []string{untouched, phrases, edited, config} {
		if !reported[path] {
			t.Errorf("%s is not told as refused with why", path)
		}
	}
	if len(reported) != 4 {
		t.Errorf("told: %v", reported)
	}
	for path, want := range map[string]string{
		untouched: skill, config: "# the gearbox\n[ollama]\n",
		phrases: "# Reset phrases\n\n- new gearbox\n- start over\n",
		edited:  "# Coder\n\nYou fix the gearbox of programs.\nBe brief.\n",
	} {
		if got := r.read(path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if again := r.plan(Selection{Text: "gearbox"}); !again.Nothing() {
		t.Errorf("there is something to forget again: %+v", again.Found)
	}
}
