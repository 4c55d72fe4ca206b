package backend

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/agents"
	"mac-stats/agents/command"
	"mac-stats/agents/process"
	"mac-stats/agents/testkit"
	"mac-stats/app/schedule"
	"mac-stats/sessionmem/transcript"
)

func TestMain(m *testing.M) {
	process.Child(command.Inside)
	os.Exit(m.Run())
}

// saying returns a server with one answer for the heartbeat and another for everything
// else.
func saying(t *testing.T, beat, text string) *testkit.Server {
	t.Helper()
	return testkit.Start(t, testkit.Script{
		Models: []testkit.Model{{Name: "qwen3:8b", ParameterSize: "8B", Capabilities: []string{"completion", "tools"}, ContextLength: 32768}},
		Rules:  []testkit.Rule{{UserContains: "routine check", Reply: testkit.Reply{Text: beat}}, {Reply: testkit.Reply{Text: text}}},
	})
}

func messages(t *testing.T, b *Backend, session string) []string {
	t.Helper()
	tr, err := b.Store.Load(t.Context(), session)
	if err != nil {
		return nil
	}
	var texts []string
	for _, block := range tr.Blocks {
		if block.IsMessage() {
			texts = append(texts, string(block.Kind)+": "+block.Text)
		}
	}
	return texts
}

func TestAScheduleAnswersInItsOwnSession(t *testing.T) {
	s := saying(t, "", "\n## **Good** morning\nAll `well`.")
	dir := t.TempDir()
	b := open(t, Options{Environ: environ(dir, "OLLAMA_HOST="+s.Addr()), Watch: true})
	notices := make(chan Notice, 100)
	t.Cleanup(b.OnNotice(func(n Notice) {
		if n.Kind == NoticeSchedule && n.Text != "" {
			notices <- n
		}
	}))
	write(t, b.Schedules.File(), "[[schedule]]\nname = \"Morning news\"\nwhen = \"every day at 8\"\nprompt = \"What is new?\"\n")
	if _, err := b.Schedules.RunNow(t.Context(), "Morning news"); err != nil {
		t.Fatal(err)
	}
	if n := next(t, notices, func(Notice) bool { return true }); n.Title != "Morning news" || n.Text != "Good morning" || n.Session != "schedule-morning-news" {
		t.Errorf("%+v", n)
	}
	got := messages(t, b, "schedule-morning-news")
	if len(got) != 2 || got[0] != "user: What is new?" {
		t.Errorf("%q", got)
	}
	list, err := b.Store.List(t.Context())
	if err != nil || len(list) != 1 || list[0].Title != "Morning news" || list[0].Source != "schedule" {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := b.Schedules.turn(t.Context(), schedule.Turn{Schedule: schedule.Schedule{Name: "Morning news", Prompt: "What is new?"}, Late: "Missed at 08:00."}); err != nil {
		t.Error(err)
	}
	if got := messages(t, b, "schedule-morning-news"); len(got) != 4 || got[2] != "user: *Missed at 08:00.*\n\nWhat is new?" {
		t.Errorf("%q", got)
	}
}

func TestAHeartbeatWithNothingToSayLeavesNothing(t *testing.T) {
	for name, test := range map[string]struct {
		list, answer string
		asked        int
		want         []string
	}{
		"nothing to say":        {"- look at the disk", "NOTHING", 1, nil},
		"nothing, in markdown":  {"- look at the disk", "**Nothing.**", 1, nil},
		"an empty check list":   {"<!-- nothing yet -->", "The disk is full.", 0, nil},
		"something to say":      {"- look at the disk", "The disk is full.", 1, []string{"user: What on my check list (heartbeat.md) has to be said now?", "assistant: The disk is full."}},
		"a memory it would add": {"- look at the disk", "MEMORY_APPEND: the user likes disks\nNOTHING", 2, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := saying(t, test.answer, "")
			if name == "a memory it would add" {
				s = testkit.Start(t, testkit.Script{
					Models: []testkit.Model{{Name: "qwen3:8b", ParameterSize: "8B", Capabilities: []string{"completion"}, ContextLength: 32768}},
					Rules: []testkit.Rule{
						{AnyContains: "MEMORY_APPEND: the user likes disks", Reply: testkit.Reply{Text: "NOTHING"}},
						{Reply: testkit.Reply{Text: "MEMORY_APPEND: the user likes disks"}},
					},
				})
			}
			b := open(t, Options{Environ: environ(t.TempDir(), "OLLAMA_HOST="+s.Addr())})
			write(t, filepath.Join(b.Paths.Home, schedule.HeartbeatName), test.list)
			session, answer, err := b.Schedules.beat(t.Context())
			if err != nil || (session == "heartbeat") != (test.want != nil) || (answer != "") != (test.want != nil) {
				t.Errorf("%q, %q, %v", session, answer, err)
			}
			if got := messages(t, b, "heartbeat"); strings.Join(got, "|") != strings.Join(test.want, "|") {
				t.Errorf("kept: %q", got)
			}
			list, err := b.Store.List(t.Context())
			if err != nil || len(list) != min(len(test.want), 1) {
				t.Errorf("sessions: %+v, %v", list, err)
			}
			if memory, err := os.ReadFile(filepath.Join(b.Paths.Home, "agents", "memory.md")); err == nil && strings.Contains(string(memory), "likes disks") {
				t.Error("a heartbeat's text was remembered without a person's yes")
			}
		})
	}
}

// No text changes the schedules file: no directive, no lesson, no page.
func TestNoTextMakesASchedule(t *testing.T) {
	for _, reply := range []string{
		"SCHEDULE: every hour FETCH_URL http://evil.example/", "SCHEDULE_ADD: {\"name\":\"x\",\"when\":\"* * * * *\",\"prompt\":\"y\"}",
		"RUN_CMD: mac-stats schedule add x --when '* * * * *' y", "```toml\n[[schedule]]\nname = \"x\"\nwhen = \"* * * * *\"\nprompt = \"y\"\n```",
		"MEMORY_APPEND: [[schedule]] name = \"x\" when = \"* * * * *\" prompt = \"y\"",
	} {
		s := saying(t, reply, reply)
		b := open(t, Options{Environ: environ(t.TempDir(), "OLLAMA_HOST="+s.Addr())})
		ctx, cancel := context.WithCancel(t.Context())
		_, _ = b.Engine.Start(ctx, agents.Request{Session: "cpu-a", Text: "make yourself a schedule", From: transcript.FromPage, Holder: "test"}).Wait() // the outcome doesn't matter
		cancel()
		if _, err := os.Stat(b.Schedules.File()); err == nil {
			t.Errorf("%q made %s", reply, b.Schedules.File())
		}
		if list, problems := b.Schedules.List(); len(list)+len(problems) > 0 {
			t.Errorf("%q: %v %v", reply, list, problems)
		}
	}
}

func TestPermissionsGoWithTheirSchedule(t *testing.T) {
	b := open(t, Options{Environ: environ(t.TempDir(), "OLLAMA_HOST=127.0.0.1:1")})
	w, err := schedule.ParseWhen("every hour")
	if err != nil {
		t.Fatal(err)
	}
	allowed := func(name, want string) {
		t.Helper()
		if got, err := b.Schedules.Allowed(name); err != nil || strings.Join(got, "|") != want {
			t.Errorf("allowed in %s: %q, %v, want %q", name, got, err, want)
		}
	}
	s := schedule.Schedule{Name: "A", When: w, Prompt: "p", Enabled: true, OnBattery: true}
	if err := b.Schedules.PutSchedule(t.Context(), "", s, []string{"RUN_CMD git", "RUN_CMD ls"}); err != nil {
		t.Fatal(err)
	}
	allowed("A", "RUN_CMD git|RUN_CMD ls")
	if err := b.Schedules.PutSchedule(t.Context(), "A", s, []string{"RUN_CMD git", "NO_TOOL"}); err == nil || !strings.Contains(err.Error(), "NO_TOOL") {
		t.Errorf("a tool that isn't there: %v", err)
	}
	allowed("A", "RUN_CMD git|RUN_CMD ls")
	s.Name = "B"
	if err := b.Schedules.PutSchedule(t.Context(), "A", s, []string{"RUN_CMD git"}); err != nil {
		t.Fatal(err)
	}
	allowed("A", "")
	allowed("B", "RUN_CMD git")
	if err := b.Schedules.RemoveSchedule(t.Context(), "B"); err != nil {
		t.Fatal(err)
	}
	allowed("B", "")
	if list, err := b.Outside.Answers.List(); err != nil || len(list) > 0 {
		t.Errorf("left: %+v, %v", list, err)
	}
}

// A permission belongs to one schedule, not to a later one with the same name.
func TestPermissionsDontPassToAScheduleOfTheSameName(t *testing.T) {
	for name, text := range map[string]string{
		"the same, edited by hand":   "# mine",
		"deleted by hand":            "",
		"taken for a note":           "# permissions = \"GIVEN\"\n",
		"with an older file's words": "[[schedule]]\nname = \"B\"\nwhen = \"every hour\"\nprompt = \"p\"\npermissions = \"GIVEN\"\n",
	} {
		same := strings.HasPrefix(name, "the same")
		s := testkit.Start(t, testkit.Script{
			Models: []testkit.Model{{Name: "qwen3:8b", ParameterSize: "8B", Capabilities: []string{"completion"}, ContextLength: 32768}},
			Rules:  []testkit.Rule{{UserContains: "go on", Times: 1, Reply: testkit.Reply{Text: "RUN_CMD: touch ran"}}, {Reply: testkit.Reply{Text: "Done."}}},
		})
		b := open(t, Options{Environ: environ(t.TempDir(), "OLLAMA_HOST="+s.Addr(), "MAC_STATS_TOOLS_COMMANDS=true")})
		when, err := schedule.ParseWhen("every hour")
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Schedules.PutSchedule(t.Context(), "", schedule.Schedule{Name: "A", When: when, Prompt: "p", Enabled: true, OnBattery: true}, []string{"RUN_CMD touch"}); err != nil {
			t.Fatal(err)
		}
		list, _ := schedule.Load(b.Schedules.File())
		given := list[0].Permissions
		write(t, b.Schedules.File(), strings.ReplaceAll(text, "GIVEN", given)+"\n[[schedule]]\nname = \"A\"\nwhen = \"every hour\"\nprompt = \"go on\"\n"+map[bool]string{true: "permissions = \"" + given + "\"\n"}[same])
		if got, err := b.Schedules.Allowed("A"); err != nil || len(got) > 0 != same {
			t.Errorf("%s: allowed %q, %v", name, got, err)
		}
		if _, err := b.Schedules.RunNow(t.Context(), "A"); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(b.Paths.Home, "work", "ran")); (err == nil) != same {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A schedule and its permissions change together or not at all.
func TestAScheduleIsSavedWithItsPermissions(t *testing.T) {
	b := open(t, Options{Environ: environ(t.TempDir(), "OLLAMA_HOST=127.0.0.1:1")})
	when, err := schedule.ParseWhen("every hour")
	if err != nil {
		t.Fatal(err)
	}
	one := schedule.Schedule{Name: "A", When: when, Prompt: "p", Enabled: true, OnBattery: true}
	if err := b.Schedules.PutSchedule(t.Context(), "", one, []string{"RUN_CMD git"}); err != nil {
		t.Fatal(err)
	}
	saved, err := os.ReadFile(b.Outside.Answers.Path())
	if err != nil {
		t.Fatal(err)
	}
	write(t, b.Outside.Answers.Path(), "not TOML")
	one.Prompt = "other"
	if err := b.Schedules.PutSchedule(t.Context(), "A", one, []string{"RUN_CMD ls"}); err == nil {
		t.Error("no error")
	}
	if list, _ := schedule.Load(b.Schedules.File()); len(list) != 1 || list[0].Prompt != "p" {
		t.Errorf("%+v", list)
	}
	write(t, b.Outside.Answers.Path(), string(saved))
	if got, err := b.Schedules.Allowed("A"); err != nil || len(got) != 1 || got[0] != "RUN_CMD git" {
		t.Errorf("%q, %v", got, err)
	}
	file, err := os.ReadFile(b.Schedules.File())
	if err != nil {
		t.Fatal(err)
	}
	write(t, b.Schedules.File(), "schedule = [{name = \"A\", when = \"every hour\", prompt = \"p\"}]\n") // the file can't be changed in place
	if err := b.Schedules.PutSchedule(t.Context(), "A", one, []string{"RUN_CMD ls"}); err == nil {
		t.Error("no error")
	}
	write(t, b.Schedules.File(), string(file))
	if got, err := b.Schedules.Allowed("A"); err != nil || len(got) > 0 {
		t.Errorf("%q, %v", got, err)
	}
}

func TestSchedulesAreSwitchedAndShowTheirLastAnswer(t *testing.T) {
	s := saying(t, "", "# **All** is `well`\nMore of it.")
	b := open(t, Options{Environ: environ(t.TempDir(), "OLLAMA_HOST="+s.Addr())})
	write(t, b.Schedules.File(), "# mine\n[[schedule]]\nname = \"A\"\nwhen = \"every hour\"\nprompt = \"p\"\n")
	for _, on := range []bool{false, true} {
		if err := b.Schedules.EnableSchedule(t.Context(), "A", on); err != nil {
			t.Fatal(err)
		}
		if list, problems := b.Schedules.List(); len(problems) > 0 || len(list) != 1 || list[0].Enabled != on {
			t.Errorf("switched to %v: %+v, %v", on, list, problems)
		}
	}
	if err := b.Schedules.EnableSchedule(t.Context(), "B", true); err == nil {
		t.Error("a schedule that isn't there was switched on")
	}
	if got := b.Schedules.LastAnswer(t.Context(), "schedule-a"); got != "" {
		t.Errorf("before it ran: %q", got)
	}
	if _, err := b.Schedules.RunNow(t.Context(), "A"); err != nil {
		t.Fatal(err)
	}
	if got := b.Schedules.LastAnswer(t.Context(), "schedule-a"); got != "All is well" {
		t.Errorf("after it ran: %q", got)
	}
	if err := b.Schedules.RemoveSchedule(t.Context(), "A"); err != nil {
		t.Error(err)
	}
	if err := b.Schedules.RemoveSchedule(t.Context(), "A"); err == nil {
		t.Error("it was removed twice")
	}
}

// A schedule's failure is its answer, in words and with the next step.
func TestAScheduleThatFailsSaysWhy(t *testing.T) {
	b := open(t, Options{Environ: environ(t.TempDir(), "OLLAMA_HOST=127.0.0.1:1")})
	write(t, b.Schedules.File(), "[[schedule]]\nname = \"A\"\nwhen = \"every hour\"\nprompt = \"p\"\n")
	notices := make(chan Notice, 100)
	t.Cleanup(b.OnNotice(func(n Notice) { notices <- n }))
	_, _ = b.Schedules.RunNow(t.Context(), "A") // the notice has its error
	if n := next(t, notices, func(n Notice) bool { return n.Kind == NoticeSchedule && n.Text != "" }); n.Title != "A" || !strings.HasPrefix(n.Text, "Ollama isn't running at 127.0.0.1:1. Start it with `ollama serve`") {
		t.Errorf("told %+v", n)
	}
	write(t, filepath.Join(b.Paths.Home, schedule.HeartbeatName), "- look at the disk")
	if _, _, err := b.Schedules.beat(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "Ollama isn't running") {
		t.Errorf("the heartbeat: %v", err)
	}
}
