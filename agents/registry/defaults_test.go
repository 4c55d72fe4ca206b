package registry

import (
	"context"
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
		"skills/sum/SKILL.md":         "---\nname: sum\ndescription: d\n---\nx",
		"prompts/directives.md":       "never written to the data folder",
	}
}

func releaseTwo() agentTree {
	files := releaseOne()
	files["agents/soul.md"] = "soul 2"
	files["agents/agent-000/skill.md"] = "lead 2"
	files["agents/agent-002/skill.md"] = "code 2"
	files["agents/agent-002/mood.md"] = "new in 2"
	files["agents/agent-003/agent.json"] = `{"name":"Doctor"}`
	files["agents/agent-003/skill.md"] = "heal"
	return files
}

func install(t *testing.T, root string, files agentTree) {
	t.Helper()
	r := New(Config{Root: root, Defaults: release(files)})
	if err := r.InstallDefaults(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// onDisk reads every file below root but the state file and lock files.
func onDisk(t *testing.T, root string) agentTree {
	t.Helper()
	files := agentTree{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == shippedFile || d.Name() == ".shipped.lock" {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The third release doesn't ship the coder.
func TestInstallDefaults_givenAnAgentThatIsNoLongerShipped(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(t *testing.T, root string)
		kept string // file of the coder that remains; "" if the folder is gone
	}{
		"nobody touched it": {func(*testing.T, string) {}, ""},
		"it was edited": {func(t *testing.T, root string) {
			writeAgentFile(t, filepath.Join(root, "agents/agent-002/skill.md"), "mine")
		}, "skill.md"},
		"it learnt something": {func(t *testing.T, root string) {
			writeAgentFile(t, filepath.Join(root, "agents/agent-002/memory.md"), "- Tabs.")
		}, "memory.md"},
		"something was added": {func(t *testing.T, root string) {
			writeAgentFile(t, filepath.Join(root, "agents/agent-002/notes/a.txt"), "mine")
		}, "notes/a.txt"},
		"a file of it is a link": {func(t *testing.T, root string) { linkElsewhere(t, filepath.Join(root, "agents/agent-002/skill.md")) }, "skill.md"},
		"it was deleted":         {func(t *testing.T, root string) { remove(t, filepath.Join(root, "agents/agent-002")) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			install(t, root, releaseOne())
			tt.do(t, root)
			third := releaseOne()
			delete(third, "agents/agent-002/agent.json")
			delete(third, "agents/agent-002/skill.md")
			for range 2 { // a second start changes nothing
				install(t, root, third)
				dir := filepath.Join(root, "agents", "agent-002")
				if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(tt.kept))); tt.kept != "" && err != nil {
					t.Errorf("what is the user's is gone: %v", err)
				}
				if _, err := os.Lstat(dir); tt.kept == "" && !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("the folder is still there: %v", err)
				}
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

// Each case is what a person did between two releases, and what the second release
// leaves.
func TestInstallDefaults_givenSecondRelease(t *testing.T) {
	tests := []struct {
		name string
		do   func(t *testing.T, root string)
		want func(files agentTree) // changes release two as expected
	}{
		{"nothing edited: all is upgraded", func(*testing.T, string) {}, func(agentTree) {}},
		{
			"skill edited: it stays, its neighbours are upgraded",
			func(t *testing.T, root string) {
				writeAgentFile(t, filepath.Join(root, "agents/agent-002/skill.md"), "mine")
			},
			func(files agentTree) { files["agents/agent-002/skill.md"] = "mine" },
		},
		{
			"soul edited", func(t *testing.T, root string) { writeAgentFile(t, filepath.Join(root, "agents/soul.md"), "my soul") },
			func(files agentTree) { files["agents/soul.md"] = "my soul" },
		},
		{
			"agent deleted: it stays deleted, new files of it too", func(t *testing.T, root string) { remove(t, filepath.Join(root, "agents/agent-002")) },
			func(files agentTree) {
				for name := range files {
					if strings.HasPrefix(name, "agents/agent-002/") {
						delete(files, name)
					}
				}
			},
		},
		{
			"one file deleted", func(t *testing.T, root string) { remove(t, filepath.Join(root, "agents/agent-002/skill.md")) },
			func(files agentTree) { delete(files, "agents/agent-002/skill.md") },
		},
		{
			"soul and skill folder deleted",
			func(t *testing.T, root string) {
				remove(t, filepath.Join(root, "agents/soul.md"))
				remove(t, filepath.Join(root, "skills/sum"))
			},
			func(files agentTree) { delete(files, "agents/soul.md"); delete(files, "skills/sum/SKILL.md") },
		},
		{
			"a folder of one's own where a new agent would go",
			func(t *testing.T, root string) {
				agentTree{"agents/agent-003/agent.json": `{"name":"My own"}`, "agents/agent-003/skill.md": "own"}.write(t, root)
			},
			func(files agentTree) {
				files["agents/agent-003/agent.json"], files["agents/agent-003/skill.md"] = `{"name":"My own"}`, "own"
			},
		},
		{
			"everything deleted: it begins anew", func(t *testing.T, root string) { remove(t, filepath.Join(root, "agents")) },
			func(agentTree) {},
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			root := t.TempDir()
			install(t, root, releaseOne())
			tc.do(t, root)
			install(t, root, releaseTwo())
			want := releaseTwo()
			delete(want, "prompts/directives.md")
			tc.want(want)
			if diff := cmp.Diff(want, onDisk(t, root)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			install(t, root, releaseTwo())
			if diff := cmp.Diff(want, onDisk(t, root)); diff != "" {
				t.Errorf("files after another start (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInstallDefaults_givenFolderOfTheRustApp_leavesItsAgents(t *testing.T) {
	root := t.TempDir()
	rustApp().write(t, root)
	install(t, root, releaseTwo())
	want := rustApp()
	for _, name := range []string{"agents/agent-003/agent.json", "agents/agent-003/skill.md", "skills/sum/SKILL.md"} {
		want[name] = releaseTwo()[name]
	}
	if diff := cmp.Diff(want, onDisk(t, root)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestInstallDefaults_givenInterruptedFirstStart_completesIt(t *testing.T) {
	root := t.TempDir()
	writeAgentFile(t, filepath.Join(root, "agents/agent-002/agent.json"), releaseOne()["agents/agent-002/agent.json"])
	install(t, root, releaseOne())
	if got := onDisk(t, root)["agents/agent-002/skill.md"]; got != "code 1" {
		t.Errorf("skill.md = %q", got)
	}
}

func TestInstallDefaults_givenLinkedFile_upgradesThroughTheLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // links need a privilege there
	}
	root, away := t.TempDir(), t.TempDir()
	install(t, root, releaseOne())
	target := moveAndLink(t, filepath.Join(root, "agents/soul.md"), filepath.Join(away, "soul.md"))
	dangling := filepath.Join(root, "agents/agent-002/skill.md")
	remove(t, dangling)
	if err := os.Symlink(filepath.Join(away, "not-mounted"), dangling); err != nil {
		t.Fatal(err)
	}
	install(t, root, releaseTwo2(t, root))
	if data, err := os.ReadFile(target); err != nil || string(data) != "soul 2" {
		t.Errorf("behind the link: %q, %v", data, err)
	}
	if info, err := os.Lstat(filepath.Join(root, "agents/soul.md")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
}

// releaseTwo2 is the second release without the file behind the dangling link. It first
// checks that installing over that link is refused.
func releaseTwo2(t *testing.T, root string) agentTree {
	t.Helper()
	r := New(Config{Root: root, Defaults: release(releaseTwo())})
	if err := r.InstallDefaults(context.Background()); err == nil || !strings.Contains(err.Error(), "agent-002/skill.md") {
		t.Errorf("installing over a dangling link: %v", err)
	}
	files := releaseTwo()
	delete(files, "agents/agent-002/skill.md")
	return files
}

func TestInstallDefaults_givenDamagedState_writesNothing(t *testing.T) {
	root := t.TempDir()
	install(t, root, releaseOne())
	remove(t, filepath.Join(root, "agents/agent-002"))
	writeAgentFile(t, filepath.Join(root, "agents", shippedFile), "{")
	before := onDisk(t, root)
	r := New(Config{Root: root, Defaults: release(releaseTwo())})
	if err := r.InstallDefaults(context.Background()); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff(before, onDisk(t, root)); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
	if _, err := r.Reset(context.Background(), "coder"); err != nil {
		t.Errorf("reset: %v", err)
	}
	install(t, root, releaseTwo())
}

func TestInstallDefaults_givenFileInPlaceOfTheFolder_reportsIt(t *testing.T) {
	root := t.TempDir()
	writeAgentFile(t, filepath.Join(root, "agents"), "a file")
	r := New(Config{Root: root, Defaults: release(releaseOne())})
	if err := r.InstallDefaults(context.Background()); err == nil {
		t.Error("no error")
	}
}

func TestInstallDefaults_givenOneUnwritableFolder_installsTheOthers(t *testing.T) {
	root := t.TempDir()
	writeAgentFile(t, filepath.Join(root, "skills"), "a file in its place")
	r := New(Config{Root: root, Defaults: release(releaseOne())})
	if err := r.InstallDefaults(context.Background()); err == nil || !strings.Contains(err.Error(), "skills/sum") {
		t.Errorf("error %v", err)
	}
	if list := r.Agents(); len(list) != 2 || !list[0].Usable() || !list[1].Usable() {
		t.Errorf("agents %+v", list)
	}
}

func TestInstallDefaults_writesForTheOwnerAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // no such modes
	}
	root := t.TempDir()
	install(t, root, releaseOne())
	for name, want := range map[string]fs.FileMode{"agents": 0o700, "agents/agent-002": 0o700, "agents/soul.md": 0o600, "agents/" + shippedFile: 0o600} {
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode().Perm(), err, want)
		}
	}
}

func TestInstallDefaults_givenCancelled_stops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := New(Config{Root: t.TempDir(), Defaults: release(releaseOne())})
	if err := r.InstallDefaults(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

var oldFolder = regexp.MustCompile(`agent-002\.old-\d{8}-\d{6}(-\d+)?$`)

func TestReset_givenEditedAgent_putsItBackAndKeepsTheOldBeside(t *testing.T) {
	root := t.TempDir()
	install(t, root, releaseOne())
	mine := agentTree{
		"agents/agent-002/agent.json": `{"name":"Dev","slug":"dev"}`,
		"agents/agent-002/skill.md":   "mine",
		"agents/agent-002/memory.md":  "- learnt\n",
		"agents/agent-002/notes/n.md": "note",
	}
	mine.write(t, root)
	r := New(Config{Root: root, Defaults: release(releaseOne())})
	kept, err := r.Reset(context.Background(), "dev") // its own slug now
	if err != nil || len(kept) != 1 || !oldFolder.MatchString(kept[0]) {
		t.Fatalf("kept %q, %v", kept, err)
	}
	files := onDisk(t, root)
	for name, text := range mine {
		old := filepath.ToSlash(strings.Replace(name, "agents/agent-002", "agents/"+filepath.Base(kept[0]), 1))
		if files[old] != text {
			t.Errorf("%s = %q, want %q", old, files[old], text)
		}
	}
	if files["agents/agent-002/skill.md"] != "code 1" || files["agents/agent-002/memory.md"] != "- learnt\n" {
		t.Errorf("put back: %q, memory %q", files["agents/agent-002/skill.md"], files["agents/agent-002/memory.md"])
	}
	if list := r.Agents(); len(list) != 2 || !list[1].Usable() {
		t.Errorf("agents after it: %+v", list)
	}
	if kept, err := r.Reset(context.Background(), "coder"); err != nil || len(kept) != 0 {
		t.Errorf("a second reset kept %q, %v; nothing was edited", kept, err)
	}
}

func TestReset_givenTwoWithinASecond_keepsBoth(t *testing.T) {
	root := t.TempDir()
	install(t, root, releaseOne())
	r := New(Config{Root: root, Defaults: release(releaseOne())})
	for _, text := range []string{"one", "two", "three"} {
		writeAgentFile(t, filepath.Join(root, "agents/agent-002/skill.md"), text)
		kept, err := r.Reset(context.Background(), "agent-002")
		if err != nil || len(kept) != 1 {
			t.Fatalf("kept %q, %v", kept, err)
		}
		if data, err := os.ReadFile(filepath.Join(kept[0], "skill.md")); err != nil || string(data) != text {
			t.Errorf("%s holds %q, %v", kept[0], data, err)
		}
	}
}

func TestReset_givenDeletedAgent_bringsItBackForGood(t *testing.T) {
	root := t.TempDir()
	install(t, root, releaseOne())
	remove(t, filepath.Join(root, "agents/agent-002"))
	r := New(Config{Root: root, Defaults: release(releaseOne())})
	if kept, err := r.Reset(context.Background(), "Coder"); err != nil || len(kept) != 0 {
		t.Fatalf("kept %q, %v", kept, err)
	}
	install(t, root, releaseTwo())
	if got := onDisk(t, root)["agents/agent-002/skill.md"]; got != "code 2" {
		t.Errorf("upgraded afterwards: %q", got)
	}
}

func TestReset_givenAll_resetsSoulTooAndLeavesMemory(t *testing.T) {
	root := t.TempDir()
	install(t, root, releaseOne())
	agentTree{
		"agents/soul.md": "my soul", "agents/memory.md": "- mine\n", "agents/agent-002/skill.md": "mine",
		"agents/agent-x/agent.json": `{"name":"X"}`, "agents/agent-x/skill.md": "x",
	}.write(t, root)
	r := New(Config{Root: root, Defaults: release(releaseOne())})
	kept, err := r.Reset(context.Background(), "")
	if err != nil || len(kept) != 2 {
		t.Fatalf("kept %q, %v", kept, err)
	}
	files := onDisk(t, root)
	for name, want := range map[string]string{
		"agents/soul.md": "soul 1", "agents/memory.md": "- mine\n", "agents/agent-002/skill.md": "code 1", "agents/agent-x/skill.md": "x",
		"agents/" + filepath.Base(kept[1]): "my soul",
	} {
		if files[name] != want {
			t.Errorf("%s = %q, want %q", name, files[name], want)
		}
	}
}

func TestReset_givenOtherAgent_listsTheShippedOnes(t *testing.T) {
	root := t.TempDir()
	install(t, root, releaseOne())
	agentTree{"agents/agent-x/agent.json": `{"name":"X"}`, "agents/agent-x/skill.md": "x"}.write(t, root)
	r := New(Config{Root: root, Defaults: release(releaseOne())})
	for selector, want := range map[string]string{"x": "the agents are orchestrator, coder", "codr": "did you mean coder?", "../..": "only shipped agents"} {
		if _, err := r.Reset(context.Background(), selector); !errors.Is(err, ErrNoAgent) || !strings.Contains(err.Error(), want) {
			t.Errorf("Reset(%q): %v; want ErrNoAgent with %q", selector, err, want)
		}
	}
}

// BenchmarkInstallDefaults measures what the app does at each start: the first start
// writes all assets, later ones only compare.
func BenchmarkInstallDefaults(b *testing.B) {
	run := func(b *testing.B, root string) {
		r := New(Config{Root: root, Defaults: os.DirFS("../assets")})
		if err := r.InstallDefaults(context.Background()); err != nil {
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

func TestReset_givenFailure_leavesTheOldAgentInPlace(t *testing.T) {
	root := t.TempDir()
	install(t, root, releaseOne())
	agentTree{"agents/agent-002/skill.md": "mine", "agents/agent-002/memory.md/not-a-file": "x"}.write(t, root)
	before := onDisk(t, root)
	r := New(Config{Root: root, Defaults: release(releaseOne())})
	kept, err := r.Reset(context.Background(), "coder")
	if err == nil || !strings.Contains(err.Error(), "reset agent-002: copy the agent's memory") || len(kept) != 0 {
		t.Errorf("kept %q, %v", kept, err)
	}
	if diff := cmp.Diff(before, onDisk(t, root)); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
}

// Processes that start at once in a new folder install the files together.
func TestInstallDefaults_givenSeveralAtOnce_isSilent(t *testing.T) {
	for range 10 {
		root := t.TempDir()
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				if err := New(Config{Root: root, Defaults: release(releaseTwo())}).InstallDefaults(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		want := releaseTwo()
		delete(want, "prompts/directives.md")
		if diff := cmp.Diff(want, onDisk(t, root)); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
	}
}
