package cpuwindow

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/agents/registry"
	"mac-stats/app/backend"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem"
)

// onAgents opens the page on a data folder with these files.
func (b *bench) onAgents(files map[string]string) *agentsPage {
	b.t.Helper()
	root := b.t.TempDir()
	for name, text := range files {
		writeAgentFile(b.t, filepath.Join(root, "agents", name), text)
	}
	shipped := fstest.MapFS{}
	for name, text := range coderFiles() {
		shipped["agents/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	b.w.parts.home = root
	b.w.parts.memories = sessionmem.NewMemory(sessionmem.MemoryConfig{Root: root})
	b.w.parts.roster = registry.New(registry.Config{Root: root, Defaults: shipped})
	b.w.showPage(pageAgents)
	b.until("New agent…")
	return b.w.roster
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

func coderFiles() map[string]string {
	return map[string]string{
		"agent-002/agent.json": "{\n  \"name\": \"Coder\",\n  \"model_role\": \"code\"\n}\n",
		"agent-002/skill.md":   "Write code.\n",
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestAnAgentsSwitchModelAndRoleChangeItsFileInPlace(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		p := b.onAgents(coderFiles())
		b.until("Coder", "Write code.", "role: code")
		b.pushes("Switch off")
		b.until("switched off", "Switch on")
		a, _ := p.data.agent(p.picked)
		p.set(a, "model", "qwen3:8b")
		b.until("qwen3:8b")
		p.set(a, "model_role", "small")
		b.until("role: small")
		want := "{\n  \"name\": \"Coder\",\n  \"model_role\": \"small\",\n  \"enabled\": false,\n  \"model\": \"qwen3:8b\"\n}\n"
		if got := readText(t, filepath.Join(p.picked, "agent.json")); got != want {
			t.Errorf("agent.json is %s", got)
		}
	})
}

func TestABrokenAgentSaysWhereAndIsMendedThere(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		files := coderFiles()
		files["agent-002/agent.json"] = "{\n  \"name\": \"Coder\"\n  \"slug\": \"c\"\n}\n"
		b := newBench(t).shown()
		p := b.onAgents(files)
		b.until("used", "line 3", "comma")
		b.seesNot("Switch off", "Try a prompt")
		b.pushes("Put it right in agent.json, line 3")
		b.until("agent.json")
		if p.edit.object.Hidden || p.edit.entry.CursorRow != 2 {
			t.Fatalf("the editor is hidden: %v, the cursor in row %d", p.edit.object.Hidden, p.edit.entry.CursorRow)
		}
		p.edit.entry.SetText(strings.Replace(p.edit.entry.Text, `"Coder"`, `"Coder",`, 1))
		b.pushes("Save")
		b.until("as on disk")
		b.pushes("Done")
		b.until("Switch off", "Try a prompt")
	})
}

func TestAnAgentsFilesAreEditedInPlace(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		p := b.onAgents(coderFiles())
		for _, f := range []string{"soul.md", "mood.md", "memory.md"} {
			b.pushes(f)
			b.until("not there yet")
			b.pushes("Write it")
			b.until("saving makes it")
			p.edit.entry.SetText("About " + f + "\n")
			b.pushes("Save")
			b.until("as on disk")
			b.pushes("Done")
			if got := readText(t, filepath.Join(p.picked, f)); got != "About "+f+"\n" {
				t.Errorf("%s is %q", f, got)
			}
		}
		a, _ := p.data.agent(p.picked)
		if a.Soul != "About soul.md" || a.Mood != "About mood.md" {
			t.Errorf("the agent is told %q and %q", a.Soul, a.Mood)
		}
		b.pushes("skill.md")
		b.until("Write code.")
		writeAgentFile(t, filepath.Join(p.picked, "skill.md"), "Write good code.\n")
		b.notify(backend.Notice{Kind: backend.NoticeReload, Text: "skill.md reloaded"})
		b.until("changed on disk", "+1 −1", "Write good code.")
	})
}

func TestAPromptIsTriedAndStopped(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		p := b.onAgents(coderFiles())
		a, _ := p.data.agent(p.picked)
		f := p.trialOf(a).field
		f.Entry.SetText("say hi")
		f.Submit()
		f.Submit()
		b.settle()
		if len(b.turns.requests) != 1 || b.turns.requests[0].Agent != "coder" || !strings.HasPrefix(b.turns.requests[0].Session, "test-") {
			t.Fatalf("the requests are %+v", b.turns.requests)
		}
		run := b.run(0)
		run.events <- agents.Event{Type: agents.EventToken, Text: "Hi the", Agent: "coder"}
		b.until("Hi the", "Stop")
		b.pushes("Stop")
		if !run.stopped {
			t.Error("Stop does not stop")
		}
		run.events <- agents.Event{Type: agents.EventError, Text: "Stopped", Kind: agents.KindCancelled}
		close(run.events)
		b.until("Hi the", "Stopped")
		b.seesNot("Stop<")
		if infos := b.sessions.infos; len(infos) != 0 {
			t.Errorf("there are sessions: %v", infos)
		}
	})
}

func TestAnAgentIsMadeDeletedBroughtBackAndReset(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		p := b.onAgents(coderFiles())
		coder := p.picked
		p.pick(newAgentKey)
		b.until("Begin with")
		p.fresh.name.Entry.SetText("Coder")
		b.until("is there already")
		if !p.fresh.name.Button.Disabled() {
			t.Error("a name that is taken can be used")
		}
		p.fresh.name.Entry.SetText("Trip Planner")
		b.until("Called as trip-planner")
		p.fresh.like = "coder"
		p.fresh.name.Submit()
		b.until("Trip Planner is there", "Write code.")
		if got := readText(t, filepath.Join(p.picked, "agent.json")); !strings.Contains(got, `"slug": "trip-planner"`) {
			t.Errorf("agent.json is %s", got)
		}
		a, _ := p.data.agent(p.picked)
		edit := b.w.shelf.buffers[filepath.Join(p.picked, "skill.md")]
		edit.edit("Half an idea.")
		p.delete(a)
		b.until("is not saved. Save or discard it first.")
		edit.discard()
		p.delete(a)
		b.confirm("Delete")
		b.until("Trip Planner is deleted", "Undo")
		b.pushes("Undo")
		b.until("Trip Planner is back")

		writeAgentFile(t, filepath.Join(coder, "skill.md"), "Mine.\n")
		p.pick(coder)
		b.until("Mine.", "Reset to default…")
		a, _ = p.data.agent(coder)
		p.reset(a)
		b.confirm("Reset")
		b.until("as shipped; the old one is kept as agent-002.old-", "Write code.")
	})
}

// confirm presses the button of the question that is asked.
func (b *bench) confirm(words string) {
	b.t.Helper()
	pop := b.w.win.Canvas().Overlays().Top()
	if pop == nil {
		b.t.Fatal("nothing is asked")
	}
	for _, o := range test.LaidOutObjects(pop) {
		if x, ok := o.(*kit.Button); ok && x.Text == words {
			test.Tap(x)
			b.settle()
			return
		}
	}
	b.t.Fatalf("the question has no %q", words)
}

func TestSkillsAndTheSharedSoulAreListedAndEdited(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		files := coderFiles()
		files["../skills/mail/SKILL.md"] = "---\nname: mail\ndescription: Writes mail.\n---\nBe brief.\n"
		files["../skills/bad/SKILL.md"] = "---\nname: other\n---\n"
		files["plain.md"] = "no front matter\n"
		b := newBench(t).shown()
		p := b.onAgents(files)
		b.sees("mail", "Writes mail.", "Shared soul")
		p.pick(filepath.Join(b.w.parts.home, "skills", "mail", "SKILL.md"))
		b.until("Be brief.", "a skill")
		p.pick(filepath.Join(b.w.parts.home, "skills", "bad", "SKILL.md"))
		b.until("skill can")
		p.pick(newAgentKey)
		b.until("plain.md is not an agent")
		p.pick(soulKey)
		b.until("not there yet")
		b.pushes("Write it")
		p.edit.entry.SetText("Kind.\n")
		b.pushes("Save")
		b.until("as on disk")
		if got := readText(t, filepath.Join(b.w.parts.home, "agents", "soul.md")); got != "Kind.\n" {
			t.Errorf("the soul is %q", got)
		}
	})
}

func TestTheFocusStaysWhereAPageIsDrawnAnew(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).withSessions(1).shown()
		b.onAgents(coderFiles())
		c := b.w.win.Canvas()
		var names []string
		for range 60 {
			c.FocusNext()
			names = append(names, b.focusName())
			if b.focusName() == "Switch off" {
				break
			}
		}
		if b.focusName() != "Switch off" {
			t.Fatalf("Tab does not reach the switch: %v", names)
		}
		c.Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
		b.until("Switch on")
		for end := time.Now().Add(time.Minute); b.focusName() != "Switch on" && time.Now().Before(end); {
			b.settle()
		}
		if got := b.focusName(); got != "Switch on" {
			t.Errorf("the focus is on %s", got)
		}
		names = nil
		for range 40 {
			c.FocusNext()
			names = append(names, b.focusName())
		}
		for _, want := range []string{"skill.md", "agent.json", "Open in my editor", "Edit", "Open folder", "Reset to default…", "Delete…", "role: code  ▾"} {
			if !slices.Contains(names, want) {
				t.Errorf("Tab does not reach %q: %v", want, names)
			}
		}
	})
}
