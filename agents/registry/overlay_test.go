package registry

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// release makes the assets of one release.
func release(files agentTree) fstest.MapFS {
	assets := fstest.MapFS{"agents/.keep": {}}
	for name, text := range files {
		assets[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return assets
}

func releaseOne() agentTree {
	return agentTree{
		"agents/soul.md":              "soul 1",
		"agents/memory.md":            "# Memory",
		"agents/agent-000/agent.json": `{"name":"Orchestrator","slug":"orchestrator"}`,
		"agents/agent-000/skill.md":   "lead 1",
		"agents/agent-002/agent.json": `{"name":"Coder","slug":"coder"}`,
		"agents/agent-002/skill.md":   "code 1",
		"agents/agent-002/testing.md": "## It codes\nCode\nExpect: calls nothing\n",
		"skills/sum/SKILL.md":         "---\nname: sum\ndescription: d\n---\nx",
		"prompts/directives.md":       "never written to the data folder",
	}
}

func releaseTwo() agentTree {
	files := releaseOne()
	files["agents/soul.md"] = "soul 2"
	files["agents/agent-000/skill.md"] = "lead 2"
	files["agents/agent-002/skill.md"] = "code 2"
	files["agents/agent-002/examples.md"] = "new in 2"
	files["agents/agent-003/agent.json"] = `{"name":"Doctor"}`
	files["agents/agent-003/skill.md"] = "heal"
	return files
}

// asCopied writes what versions before 0.3 did: all files of a release, and their record.
func asCopied(t *testing.T, root string, files agentTree) {
	t.Helper()
	rec := record{Version: 1, Files: map[string]string{}}
	for name, text := range files {
		if !strings.HasPrefix(name, "prompts/") {
			writeAgentFile(t, filepath.Join(root, filepath.FromSlash(name)), text)
			rec.Files[name] = hashOf([]byte(text))
		}
	}
	data, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	writeAgentFile(t, filepath.Join(root, "agents", recordFile), string(data))
}

func start(t *testing.T, root string, files agentTree) *Registry {
	t.Helper()
	r := New(Config{Root: root, Defaults: release(files)})
	if err := r.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

var inTrash = regexp.MustCompile(`^agents/\.trash/\d{8}-\d{6}-([^/]+?)(-\d)?(/|$)`)

// onDisk reads every file below root but the record and the lock. The names of what is in
// the trash are without their time.
func onDisk(t *testing.T, root string) agentTree {
	t.Helper()
	files := agentTree{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == recordFile || d.Name() == ".shipped.lock" {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		files[inTrash.ReplaceAllString(filepath.ToSlash(rel), "trash/$1$3")] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// summary returns each agent as "slug: skill", and each skill's name.
func summary(r *Registry) []string {
	var list []string
	for _, a := range r.Agents() {
		line := a.Slug + ": " + a.Skill
		switch {
		case a.Err != nil:
			line = a.Slug + ": broken"
		case !a.Enabled:
			line += " (off)"
		}
		if a.Examples != "" {
			line += " + " + a.Examples
		}
		list = append(list, line)
	}
	for _, s := range r.Skills() {
		list = append(list, "skill "+s.Name)
	}
	return list
}

// What ships is read without being in the folder, and reading writes nothing.
func TestShippedAgents_areReadFromTheAssets(t *testing.T) {
	root := t.TempDir()
	r := New(Config{Root: root, Defaults: release(releaseTwo())})
	want := []string{"orchestrator: lead 2", "coder: code 2 + new in 2", "doctor: heal", "skill sum"}
	if diff := cmp.Diff(want, summary(r)); diff != "" {
		t.Error(diff)
	}
	if _, err := r.Find("coder"); err != nil {
		t.Error(err)
	}
	coder := agentByID(t, r, "002")
	if text, err := r.Text(filepath.Join(coder.Path, "testing.md")); err != nil || !strings.HasPrefix(text, "## It codes") || !coder.AsShipped || !coder.Pinned {
		t.Errorf("%q, %v, %+v", text, err, coder)
	}
	if diff := cmp.Diff(agentTree{}, onDisk(t, root)); diff != "" {
		t.Errorf("reading wrote:\n%s", diff)
	}
}

// A file of the person's takes the place of the shipped one.
func TestShippedAgents_givenFilesOfThePerson(t *testing.T) {
	for name, tt := range map[string]struct {
		files agentTree
		want  string // the coder
	}{
		"a memory alone":     {agentTree{"agents/agent-002/memory.md": "- Tabs."}, "coder: code 2 + new in 2"},
		"settings alone":     {agentTree{"agents/agent-002/agent.json": `{"name":"Coder","slug":"dev"}`}, "dev: code 2 + new in 2"},
		"a mood alone":       {agentTree{"agents/agent-002/mood.md": "calm"}, "coder: code 2 + new in 2"},
		"examples alone":     {agentTree{"agents/agent-002/examples.md": "mine"}, "coder: code 2 + mine"},
		"a skill alone":      {agentTree{"agents/agent-002/skill.md": "mine"}, "coder: mine"},
		"an agent of theirs": {agentTree{"agents/agent-002/agent.json": `{"name":"Own"}`, "agents/agent-002/skill.md": "own"}, "own: own"},
		"switched off":       {agentTree{"agents/agent-002/agent.json": `{"name":"Coder","enabled":false}`}, "coder: code 2 (off) + new in 2"},
		"nothing but off":    {agentTree{"agents/agent-002/agent.json": `{"enabled":false}`}, "002: code 2 (off) + new in 2"},
		"a broken file":      {agentTree{"agents/agent-002/agent.json": `{`}, "002: broken"},
		"an empty skill":     {agentTree{"agents/agent-002/skill.md": " "}, "coder: broken"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			tt.files.write(t, root)
			r := New(Config{Root: root, Defaults: release(releaseTwo())})
			if got := summary(r)[1]; got != tt.want {
				t.Errorf("it is %q, want %q", got, tt.want)
			}
			if a := agentByID(t, r, "002"); a.AsShipped != (name == "a memory alone") {
				t.Errorf("as shipped: %v", a.AsShipped)
			}
		})
	}
}

// A folder that holds nothing but what an agent learnt is no agent.
func TestAMemoryThatStayedBehindIsNoAgent(t *testing.T) {
	r := registryOf(t, agentTree{"agents/agent-001/memory.md": "- Tabs.", "agents/agent-100/memory.md": "x", "agents/agent-100/agent.json": "{}"})
	if got := summary(r); len(got) != 1 || got[0] != "100: broken" {
		t.Errorf("%q", got)
	}
}

// Each case is what a person did with a folder of an earlier version, and what the first
// start of this one leaves of the coder and the skill, on disk and for the turn.
func TestPrepare_givenFolderOfAnEarlierVersion(t *testing.T) {
	const agent, skill, tests = `{"name":"Coder","slug":"coder"}`, "code 1", "## It codes\nCode\nExpect: calls nothing\n"
	edit := func(name, text string) func(t *testing.T, root string) {
		return func(t *testing.T, root string) {
			writeAgentFile(t, filepath.Join(root, filepath.FromSlash(name)), text)
		}
	}
	retired := agentTree{"trash/agent-002/agent.json": agent, "trash/agent-002/skill.md": skill, "trash/agent-002/testing.md": tests}
	with := func(more agentTree) agentTree {
		for name, text := range retired {
			more[name] = text
		}
		return more
	}
	for name, tt := range map[string]struct {
		do    func(t *testing.T, root string)
		files agentTree // of the coder, and in the trash
		coder string
		skill bool
	}{
		"nothing edited": {func(*testing.T, string) {}, with(agentTree{}), "coder: code 2 + new in 2", true},
		"it learnt something": {
			edit("agents/agent-002/memory.md", "- Tabs."), with(agentTree{"agents/agent-002/memory.md": "- Tabs."}),
			"coder: code 2 + new in 2", true,
		},
		"a file of theirs beside it": {
			edit("agents/agent-002/mood.md", "calm"), with(agentTree{"agents/agent-002/mood.md": "calm"}), "coder: code 2 + new in 2", true,
		},
		"the settings edited": {
			edit("agents/agent-002/agent.json", `{"name":"Dev"}`),
			agentTree{"agents/agent-002/agent.json": `{"name":"Dev"}`, "trash/agent-002/skill.md": skill, "trash/agent-002/testing.md": tests},
			"dev: code 2 + new in 2", true,
		},
		"the skill edited": {
			edit("agents/agent-002/skill.md", "mine\r\n"),
			agentTree{"agents/agent-002/agent.json": agent, "agents/agent-002/skill.md": "mine\r\n", "agents/agent-002/testing.md": tests},
			"coder: mine", true,
		},
		"its tests deleted": {
			func(t *testing.T, root string) { remove(t, filepath.Join(root, "agents/agent-002/testing.md")) },
			agentTree{"agents/agent-002/agent.json": agent, "agents/agent-002/skill.md": skill},
			"coder: code 1", true,
		},
		"deleted": {
			func(t *testing.T, root string) { remove(t, filepath.Join(root, "agents/agent-002")) },
			agentTree{"agents/agent-002/agent.json": "{\"name\":\"Coder\",\"slug\":\"coder\", \"enabled\": false}\n"},
			"coder: code 2 (off) + new in 2", true,
		},
		"the skill folder deleted": {
			func(t *testing.T, root string) { remove(t, filepath.Join(root, "skills/sum")) }, with(agentTree{}), "coder: code 2 + new in 2", false,
		},
		"a link": {
			func(t *testing.T, root string) { linkElsewhere(t, filepath.Join(root, "agents/agent-002/skill.md")) },
			agentTree{"agents/agent-002/agent.json": agent, "agents/agent-002/skill.md": skill, "agents/agent-002/testing.md": tests},
			"coder: code 1", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			asCopied(t, root, releaseOne())
			tt.do(t, root)
			for range 2 { // a second start changes nothing
				r := start(t, root, releaseTwo())
				got := agentTree{}
				for name, text := range onDisk(t, root) {
					if strings.Contains(name, "agent-002/") {
						got[name] = text
					}
				}
				if diff := cmp.Diff(tt.files, got); diff != "" {
					t.Errorf("files (-want +got):\n%s", diff)
				}
				list := summary(r)
				if list[1] != tt.coder || (list[len(list)-1] == "skill sum") != tt.skill {
					t.Errorf("agents and skills %q, want %q", list, tt.coder)
				}
			}
		})
	}
}

// An agent that isn't shipped any more goes if nobody touched it, and is the person's
// otherwise.
func TestPrepare_givenAnAgentThatIsNoLongerShipped(t *testing.T) {
	for name, tt := range map[string]struct {
		file, text string
		want       []string
	}{
		"nobody touched it":   {"", "", []string{"orchestrator: lead 1"}},
		"it was edited":       {"skill.md", "mine", []string{"orchestrator: lead 1", "coder: mine"}},
		"its settings were":   {"agent.json", `{"name":"Dev"}`, []string{"orchestrator: lead 1", "dev: code 1"}},
		"it learnt something": {"memory.md", "- Tabs.", []string{"orchestrator: lead 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			asCopied(t, root, releaseOne())
			if tt.file != "" {
				writeAgentFile(t, filepath.Join(root, "agents/agent-002", tt.file), tt.text)
			}
			third := releaseOne()
			for name := range third {
				if strings.Contains(name, "agent-002") || strings.HasPrefix(name, "skills/") {
					delete(third, name)
				}
			}
			if diff := cmp.Diff(tt.want, summary(start(t, root, third))); diff != "" {
				t.Error(diff)
			}
			if tt.file != "" && onDisk(t, root)["agents/agent-002/"+tt.file] != tt.text {
				t.Errorf("what is the user's is gone: %v", onDisk(t, root))
			}
		})
	}
}

// linkElsewhere replaces a file with a link to a copy of it.
func linkElsewhere(t *testing.T, path string) {
	t.Helper()
	aside := filepath.Join(t.TempDir(), "elsewhere.md")
	if err := errors.Join(os.Rename(path, aside), os.Symlink(aside, path)); err != nil {
		t.Skip(err) // the system has no links
	}
}

// The files that people own are written once, and upgraded while nobody edits them.
func TestPrepare_writesTheFilesThatPeopleOwn(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(t *testing.T, soul string)
		want string
	}{
		"unedited": {func(*testing.T, string) {}, "soul 2"},
		"edited":   {func(t *testing.T, soul string) { writeAgentFile(t, soul, "my soul") }, "my soul"},
		"deleted":  {remove, ""},
		"a link":   {func(t *testing.T, soul string) { linkElsewhere(t, soul) }, "soul 2"},
	} {
		for _, earlier := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				root := t.TempDir()
				if earlier {
					asCopied(t, root, releaseOne())
				} else {
					start(t, root, releaseOne())
				}
				soul := filepath.Join(root, "agents", "soul.md")
				tt.do(t, soul)
				was, _ := os.Lstat(soul)
				for range 2 {
					start(t, root, releaseTwo())
					if got := onDisk(t, root)["agents/soul.md"]; got != tt.want {
						t.Errorf("soul.md is %q, want %q", got, tt.want)
					}
				}
				if now, _ := os.Lstat(soul); was != nil && was.Mode() != now.Mode() {
					t.Errorf("its mode was %v, is %v", was.Mode(), now.Mode())
				}
			})
		}
	}
}

func TestPrepare_givenFolderOfTheRustApp_leavesIt(t *testing.T) {
	root := t.TempDir()
	rustApp().write(t, root)
	r := start(t, root, releaseTwo())
	if diff := cmp.Diff(rustApp(), onDisk(t, root)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if a := agentByID(t, r, "002"); a.Skill != "Code." || a.Examples != "" {
		t.Errorf("the Rust app's coder is %+v", a)
	}
	if a := agentByID(t, r, "003"); a.Skill != "heal" {
		t.Errorf("the doctor, which it doesn't have, is %+v", a)
	}
}

func TestPrepare_givenEverythingDeleted_beginsAnew(t *testing.T) {
	root := t.TempDir()
	asCopied(t, root, releaseOne())
	remove(t, filepath.Join(root, "agents"))
	start(t, root, releaseTwo())
	if diff := cmp.Diff(agentTree{"agents/soul.md": "soul 2", "agents/memory.md": "# Memory", "skills/sum/SKILL.md": releaseOne()["skills/sum/SKILL.md"]}, onDisk(t, root)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestPrepare_givenDamagedRecord_writesNothing(t *testing.T) {
	root := t.TempDir()
	asCopied(t, root, releaseOne())
	writeAgentFile(t, filepath.Join(root, "agents", recordFile), "{")
	before := onDisk(t, root)
	r := New(Config{Root: root, Defaults: release(releaseTwo())})
	if err := r.Prepare(t.Context()); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff(before, onDisk(t, root)); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
	if _, err := r.Reset(t.Context(), "coder"); err != nil {
		t.Errorf("reset: %v", err)
	}
}

func TestPrepare_givenAnObstacle_reportsIt(t *testing.T) {
	for name, tt := range map[string]struct{ files agentTree }{
		"a file in place of the folder": {agentTree{"agents": "a file"}},
		"a folder in place of the soul": {agentTree{"agents/soul.md/x": "a file"}},
	} {
		root := t.TempDir()
		tt.files.write(t, root)
		r := New(Config{Root: root, Defaults: release(releaseOne())})
		if err := r.Prepare(t.Context()); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, isFolder := tt.files["agents"]; !isFolder && len(r.Agents()) != 2 {
			t.Errorf("%s: agents %+v", name, r.Agents())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := New(Config{Root: t.TempDir(), Defaults: release(releaseOne())}).Prepare(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestPrepare_writesForTheOwnerAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // no such modes
	}
	root := t.TempDir()
	asCopied(t, root, releaseOne())
	r := start(t, root, releaseOne())
	if err := r.Customise(t.Context(), agentByID(t, r, "000").Path); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{
		"agents": 0o700, "agents/.trash": 0o700, "agents/soul.md": 0o600, "agents/" + recordFile: 0o600, "agents/agent-000": 0o700, "agents/agent-000/skill.md": 0o600,
	} {
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode().Perm(), err, want)
		}
	}
}

// Processes that start at once in a folder prepare it together.
func TestPrepare_givenSeveralAtOnce_isSilent(t *testing.T) {
	for n := range 10 {
		root := t.TempDir()
		want := agentTree{"agents/soul.md": "soul 2", "agents/memory.md": "# Memory"}
		if n%2 == 0 {
			asCopied(t, root, releaseOne())
			for name, text := range releaseOne() {
				switch unit := unitOf(name); {
				case strings.HasPrefix(unit, "agents/"):
					want[strings.Replace(name, "agents/", "trash/", 1)] = text
				case unit != "":
					want["trash/"+strings.TrimPrefix(name, "skills/")] = text
				}
			}
			delete(want, "prompts/directives.md")
		}
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				if err := New(Config{Root: root, Defaults: release(releaseTwo())}).Prepare(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if diff := cmp.Diff(want, onDisk(t, root)); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
	}
}

// Customise copies what isn't there yet; from then on it is the person's.
func TestCustomise_copiesTheAgent(t *testing.T) {
	root := t.TempDir()
	agentTree{"agents/agent-002/memory.md": "- Tabs.", "agents/agent-002/agent.json": `{"name":"Dev"}`}.write(t, root)
	r := start(t, root, releaseTwo())
	for _, path := range []string{agentByID(t, r, "002").Path, r.Skills()[0].Path} {
		if err := r.Customise(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	want := agentTree{"agents/soul.md": "soul 2", "agents/memory.md": "# Memory", "agents/agent-002/memory.md": "- Tabs.", "agents/agent-002/agent.json": `{"name":"Dev"}`}
	for _, name := range []string{"agents/agent-002/skill.md", "agents/agent-002/testing.md", "agents/agent-002/examples.md", "skills/sum/SKILL.md"} {
		want[name] = releaseTwo()[name]
	}
	if diff := cmp.Diff(want, onDisk(t, root)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if a := agentByID(t, r, "002"); a.AsShipped || r.Skills()[0].AsShipped {
		t.Errorf("as shipped: %+v", a)
	}
	remove(t, filepath.Join(root, "agents/agent-002/examples.md"))
	if a := agentByID(t, start(t, root, releaseTwo()), "002"); a.Examples != "" {
		t.Errorf("a deleted file of a copy comes back: %q", a.Examples)
	}
}

func TestReset_givenEditedAgent_movesItToTheTrash(t *testing.T) {
	root := t.TempDir()
	mine := agentTree{
		"agents/agent-002/agent.json": `{"name":"Dev","slug":"dev"}`,
		"agents/agent-002/skill.md":   "mine",
		"agents/agent-002/notes/n.md": "note",
	}
	mine.write(t, root)
	writeAgentFile(t, filepath.Join(root, "agents/agent-002/memory.md"), "- learnt\n")
	r := start(t, root, releaseOne())
	kept, err := r.Reset(t.Context(), "dev") // its own slug now
	if err != nil || len(kept) != 1 || filepath.Dir(kept[0]) != filepath.Join(root, "agents", ".trash") {
		t.Fatalf("kept %q, %v", kept, err)
	}
	want := agentTree{"agents/soul.md": "soul 1", "agents/memory.md": "# Memory", "agents/agent-002/memory.md": "- learnt\n"}
	for name, text := range mine {
		want[strings.Replace(name, "agents/", "trash/", 1)] = text
	}
	if diff := cmp.Diff(want, onDisk(t, root)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if a := agentByID(t, r, "002"); a.Skill != "code 1" || !a.Usable() {
		t.Errorf("it is %+v", a)
	}
	if kept, err := r.Reset(t.Context(), "coder"); err != nil || len(kept) != 0 {
		t.Errorf("a second reset kept %q, %v; nothing was edited", kept, err)
	}
}

func TestReset_givenTwoWithinASecond_keepsBoth(t *testing.T) {
	root := t.TempDir()
	r := start(t, root, releaseOne())
	for _, text := range []string{"one", "two", "three"} {
		writeAgentFile(t, filepath.Join(root, "agents/agent-002/skill.md"), text)
		kept, err := r.Reset(t.Context(), "agent-002")
		if err != nil || len(kept) != 1 {
			t.Fatalf("kept %q, %v", kept, err)
		}
		if data, err := os.ReadFile(filepath.Join(kept[0], "skill.md")); err != nil || string(data) != text {
			t.Errorf("%s holds %q, %v", kept[0], data, err)
		}
	}
}

func TestReset_givenAll_resetsSoulTooAndLeavesMemory(t *testing.T) {
	root := t.TempDir()
	r := start(t, root, releaseOne())
	agentTree{
		"agents/soul.md": "my soul", "agents/memory.md": "- mine\n", "agents/agent-002/agent.json": `{"enabled":false}`,
		"agents/agent-x/agent.json": `{"name":"X"}`, "agents/agent-x/skill.md": "x",
	}.write(t, root)
	kept, err := r.Reset(t.Context(), "")
	if err != nil || len(kept) != 2 {
		t.Fatalf("kept %q, %v", kept, err)
	}
	want := agentTree{
		"agents/soul.md": "soul 1", "agents/memory.md": "- mine\n", "agents/agent-x/agent.json": `{"name":"X"}`, "agents/agent-x/skill.md": "x",
		"trash/soul.md": "my soul", "trash/agent-002/agent.json": `{"enabled":false}`,
	}
	if diff := cmp.Diff(want, onDisk(t, root)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestReset_givenOtherAgent_listsTheShippedOnes(t *testing.T) {
	root := t.TempDir()
	r := start(t, root, releaseOne())
	agentTree{"agents/agent-x/agent.json": `{"name":"X"}`, "agents/agent-x/skill.md": "x"}.write(t, root)
	for selector, want := range map[string]string{"x": "the agents are orchestrator, coder", "codr": "did you mean coder?", "../..": "only shipped agents"} {
		if _, err := r.Reset(t.Context(), selector); !errors.Is(err, ErrNoAgent) || !strings.Contains(err.Error(), want) {
			t.Errorf("Reset(%q): %v; want ErrNoAgent with %q", selector, err, want)
		}
	}
}

// What can't be moved whole stays whole.
func TestReset_givenFailure_leavesTheAgentInPlace(t *testing.T) {
	root := t.TempDir()
	r := start(t, root, releaseOne())
	agentTree{"agents/agent-002/skill.md": "mine", "agents/agent-002/memory.md": "- x", "agents/.trash": "a file in its place"}.write(t, root)
	before := onDisk(t, root)
	if kept, err := r.Reset(t.Context(), "coder"); err == nil || !strings.Contains(err.Error(), "reset agent-002: ") || len(kept) != 0 {
		t.Errorf("kept %q, %v", kept, err)
	}
	if diff := cmp.Diff(before, onDisk(t, root)); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
}

// BenchmarkPrepare measures what the app does at each start: the first start of a folder
// writes what people own, later ones only compare.
func BenchmarkPrepare(b *testing.B) {
	run := func(b *testing.B, root string) {
		r := New(Config{Root: root, Defaults: os.DirFS("../../assets")})
		if err := r.Prepare(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			run(b, b.TempDir())
		}
	})
	b.Run("later", func(b *testing.B) {
		root := b.TempDir()
		run(b, root)
		for b.Loop() {
			run(b, root)
		}
	})
}
