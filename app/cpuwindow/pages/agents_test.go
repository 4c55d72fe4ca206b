package pages

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"fyne.io/fyne/v2"
	"github.com/google/go-cmp/cmp"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/app/ui/screentest"
)

// onAgents opens the page on a data folder with these files.
func (b *bench) onAgents(files map[string]string) *Agents {
	b.t.Helper()
	root := b.t.TempDir()
	for name, text := range files {
		writeOutside(b.t, filepath.Join(root, "agents", name), text)
	}
	shipped := fstest.MapFS{}
	for name, text := range coderFiles() {
		shipped["agents/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	b.inFolder(root, shipped)
	p := NewAgents(b, b.parts, b.edits)
	b.shows(p.Object)
	p.Load()
	b.Until("New agent…")
	return p
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
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		p := b.onAgents(coderFiles())
		b.Until("Coder", "Write code.", "role: code")
		b.pushes("Turn off")
		b.Until("turned off", "Turn on")
		a, _ := p.data.agent(p.picked)
		p.set(a, "model", "qwen3:8b")
		b.Until("qwen3:8b")
		p.set(a, "model_role", "small")
		b.Until("role: small")
		want := "{\n  \"name\": \"Coder\",\n  \"model_role\": \"small\",\n  \"enabled\": false,\n  \"model\": \"qwen3:8b\"\n}\n"
		if got := readText(t, filepath.Join(p.picked, "agent.json")); got != want {
			t.Errorf("agent.json is %s", got)
		}
	})
}

func TestAnAgentsDescriptionAndToolsNeedNoJSON(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		p := b.onAgents(coderFiles())
		b.pushes("Add description")
		p.describing.Entry.SetText("writes\nand \"reviews\" code")
		b.pushes("Save")
		b.Until("writes and", "Edit description", "usual tools")
		choose := func(part string) {
			t.Helper()
			a, _ := p.data.agent(p.picked)
			for _, item := range p.toolsMenu(a).Items {
				if strings.Contains(item.Label, part) {
					item.Action()
					return
				}
			}
			t.Fatalf("the menu lacks %q", part)
		}
		choose("FETCH_URL")
		b.Until("1 tool")
		choose("SYSTEM_STATS")
		b.Until("2 tools")
		a, _ := p.data.agent(p.picked)
		if diff := cmp.Diff([]string{"FETCH_URL", "SYSTEM_STATS"}, a.Tools); diff != "" || a.Description != `writes and "reviews" code` {
			t.Errorf("described %q, tools (-want +got):\n%s", a.Description, diff)
		}
		choose("FETCH_URL")
		b.Until("1 tool")
		choose("usual tools")
		b.Until("usual tools")
		b.pushes("Edit description")
		b.pushes("Cancel")
		b.Until("Edit description")
	})
}

func TestABrokenAgentNamesTheLineAndIsFixedThere(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		files := coderFiles()
		files["agent-002/agent.json"] = "{\n  \"name\": \"Coder\"\n  \"slug\": \"c\"\n}\n"
		b := newBench(t)
		p := b.onAgents(files)
		b.Until("used", "line 3", "comma")
		b.SeesNot("Turn off", "Try a prompt")
		b.pushes("Fix it in agent.json, line 3")
		b.Until("agent.json")
		if p.edit.object.Hidden || p.edit.entry.CursorRow != 2 {
			t.Fatalf("the editor is hidden: %v, the cursor in row %d", p.edit.object.Hidden, p.edit.entry.CursorRow)
		}
		p.edit.entry.SetText(strings.Replace(p.edit.entry.Text, `"Coder"`, `"Coder",`, 1))
		b.pushes("Save")
		b.Until("saved")
		b.pushes("Close")
		b.Until("Turn off", "Try a prompt")
	})
}

func TestAnAgentsFilesAreEditedInPlace(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		p := b.onAgents(coderFiles())
		for _, f := range []string{"soul.md", "mood.md", "memory.md"} {
			b.pushes(f)
			b.Until("no file yet")
			b.pushes("Create")
			b.Until("created when you save")
			p.edit.entry.SetText("About " + f + "\n")
			b.pushes("Save")
			b.Until("saved")
			b.pushes("Close")
			if got := readText(t, filepath.Join(p.picked, f)); got != "About "+f+"\n" {
				t.Errorf("%s is %q", f, got)
			}
		}
		a, _ := p.data.agent(p.picked)
		if a.Soul != "About soul.md" || a.Mood != "About mood.md" {
			t.Errorf("the agent is told %q and %q", a.Soul, a.Mood)
		}
		b.pushes("skill.md")
		b.Until("Write code.")
		writeOutside(t, filepath.Join(p.picked, "skill.md"), "Write good code.\n")
		p.Load()
		b.Until("changed on disk", "+1 −1", "Write good code.")
	})
}

func TestAPromptIsTriedAndStopped(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		p := b.onAgents(coderFiles())
		a, _ := p.data.agent(p.picked)
		f := p.trialOf(a).field
		f.Entry.SetText("say hi")
		f.Submit()
		f.Submit()
		b.Settle()
		if len(b.tries.requests) != 1 || b.tries.requests[0].Agent != "coder" || !strings.HasPrefix(b.tries.requests[0].Session, "test-") {
			t.Fatalf("the requests are %+v", b.tries.requests)
		}
		run := b.tries.runs[0]
		run.events <- agents.Event{Type: agents.EventToken, Text: "Hi the", Agent: "coder"}
		b.Until("Hi the", "Stop")
		b.pushes("Stop")
		if !run.stopped {
			t.Error("Stop does not stop")
		}
		run.events <- agents.Event{Type: agents.EventError, Text: "Stopped", Kind: fault.KindCancelled}
		close(run.events)
		b.Until("Hi the", "Stopped")
		b.SeesNot("Stop<")
		if infos, err := b.store.List(t.Context()); err != nil || len(infos) != 0 {
			t.Errorf("there are sessions: %v, %v", infos, err)
		}
	})
}

func TestAnAgentIsCreatedDeletedRestoredAndReset(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		p := b.onAgents(coderFiles())
		coder := p.picked
		p.pick(newAgentKey)
		b.Until("Based on")
		if b.Canvas().Focused() != p.newForm.name.Entry {
			t.Error("the name isn't where one types")
		}
		p.newForm.name.Entry.SetText("Coder")
		b.Until("is there already")
		if !p.newForm.name.Button.Disabled() {
			t.Error("a name that is taken can be used")
		}
		p.newForm.name.Entry.SetText("Trip Planner")
		b.Until("Its short name is trip-planner")
		p.newForm.basedOn = "coder"
		p.newForm.name.Submit()
		b.Until("Trip Planner is ready", "Write code.")
		if got := readText(t, filepath.Join(p.picked, "agent.json")); !strings.Contains(got, `"slug": "trip-planner"`) {
			t.Errorf("agent.json is %s", got)
		}
		a, _ := p.data.agent(p.picked)
		edit := b.edits.buffers[filepath.Join(p.picked, "skill.md")]
		edit.edit("Half an idea.")
		p.delete(a)
		b.Until("You have unsaved changes in skill.md.")
		edit.discard()
		p.delete(a)
		b.Confirm("Delete")
		b.Until("Trip Planner is deleted", "Undo")
		b.pushes("Undo")
		b.Until("Trip Planner is back")

		writeOutside(t, filepath.Join(coder, "skill.md"), "Mine.\n")
		p.pick(coder)
		b.Until("Mine.", "Reset to default…")
		a, _ = p.data.agent(coder)
		p.reset(a)
		b.Confirm("Reset")
		b.Until("is reset; your version is kept as", "came with mac-stats: what it should do", "Write code.")
		b.SeesNot("Delete…")
	})
}

// The agent that answers whoever names no other is turned off only after a question.
func TestTheAgentThatAnswersIsNotTurnedOffByAClick(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		p := b.onAgents(map[string]string{"agent-000/agent.json": "{\n  \"name\": \"Orchestrator\"\n}\n", "agent-000/skill.md": "Answer.\n"})
		b.Until("Orchestrator", "Answer.")
		file := filepath.Join(p.picked, "agent.json")
		b.pushes("Turn off")
		b.Confirm("Cancel")
		b.Settle()
		if got := readText(t, file); strings.Contains(got, "enabled") {
			t.Errorf("it is off: %s", got)
		}
		b.pushes("Turn off")
		b.Confirm("Turn off")
		b.Until("turned off", "Turn on")
		b.pushes("Turn on")
		b.Until("Turn off")
	})
}

// What came with the app is shown from the program; a change of its settings alone, or all
// its files, lie in the folder once the person wants them there.
func TestAShippedAgentIsTurnedOffAndCustomised(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		p := b.onAgents(nil)
		b.Until("Coder", "came with mac-stats: what it should do", "Write code.", "Customise")
		b.SeesNot("Delete…", "Reset to default…", "Open folder", "Open in my editor")
		coder := p.picked
		b.pushes("Turn off")
		b.Until("turned off", "Reset to default…")
		if got := readText(t, filepath.Join(coder, "agent.json")); !strings.Contains(got, `"enabled": false`) || !strings.Contains(got, `"model_role": "code"`) {
			t.Errorf("agent.json is %s", got)
		}
		if _, err := os.Stat(filepath.Join(coder, "skill.md")); err == nil {
			t.Error("its skill was copied")
		}
		b.pushes("Customise")
		b.Until("Copied into your folder", "Edit")
		if got := readText(t, filepath.Join(coder, "skill.md")); got != "Write code.\n" {
			t.Errorf("skill.md is %q", got)
		}
		b.SeesNot("Customise", "changed on disk")
	})
}

func TestSkillsAndTheSharedSoulAreListedAndEdited(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		files := coderFiles()
		files["../skills/mail/SKILL.md"] = "---\nname: mail\ndescription: Writes mail.\n---\nBe brief.\n"
		files["../skills/bad/SKILL.md"] = "---\nname: other\n---\n"
		files["plain.md"] = "no front matter\n"
		b := newBench(t)
		p := b.onAgents(files)
		b.Sees("mail", "Writes mail.", "Shared soul")
		p.pick(filepath.Join(b.parts.Home, "skills", "mail", "SKILL.md"))
		b.Until("Be brief.", "a skill")
		p.pick(filepath.Join(b.parts.Home, "skills", "bad", "SKILL.md"))
		b.Until("skill can")
		p.pick(newAgentKey)
		b.Until("plain.md is not an agent")
		p.pick(soulKey)
		b.Until("no file yet")
		b.pushes("Create")
		p.edit.entry.SetText("Kind.\n")
		b.pushes("Save")
		b.Until("saved")
		if got := readText(t, filepath.Join(b.parts.Home, "agents", "soul.md")); got != "Kind.\n" {
			t.Errorf("the soul is %q", got)
		}
	})
}

func TestTheFocusStaysWhenAPageIsRedrawn(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.onAgents(coderFiles())
		c := b.Win.Canvas()
		var names []string
		for range 60 {
			c.FocusNext()
			names = append(names, b.Focus())
			if b.Focus() == "Turn off" {
				break
			}
		}
		if b.Focus() != "Turn off" {
			t.Fatalf("Tab does not reach the switch: %v", names)
		}
		c.Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
		b.Until("Turn on")
		for end := time.Now().Add(time.Minute); b.Focus() != "Turn on" && time.Now().Before(end); {
			b.Settle()
		}
		if got := b.Focus(); got != "Turn on" {
			t.Errorf("the focus is on %s", got)
		}
		names = nil
		for range 40 {
			c.FocusNext()
			names = append(names, b.Focus())
		}
		for _, want := range []string{"skill.md", "agent.json", "Open in my editor", "Edit", "Open folder", "Reset to default…", "role: code  ▾"} {
			if !slices.Contains(names, want) {
				t.Errorf("Tab does not reach %q: %v", want, names)
			}
		}
	})
}
