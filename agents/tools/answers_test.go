package tools

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

func TestALastingAnswerApplies(t *testing.T) {
	git := Action{Agent: "coder", Tool: RunCmd, Covers: "git", What: "git status", Session: "cpu-a"}
	read := Action{Agent: "coder", Tool: "files.read_file", What: `{"path":"a"}`, Session: "cpu-a", Stamp: "1"}
	with := func(a Action, change func(*Action)) Action { change(&a); return a }
	for _, tt := range []struct {
		name string
		kept []Permission
		act  Action
		held transcript.Sources
		want Decision
	}{
		{"nothing", nil, git, 0, Ask},
		{"always", []Permission{{Answer: AnswerAlways}}, git, 0, Allowed},
		{"always, another argument", []Permission{{Answer: AnswerAlways}}, with(git, func(a *Action) { a.What = "git push" }), 0, Allowed},
		{"always, another program", []Permission{{Answer: AnswerAlways}}, with(git, func(a *Action) { a.Covers = "rm" }), 0, Ask},
		{"always, any program", []Permission{{Answer: AnswerAlways, Covers: "-"}}, git, 0, Ask},
		{"always, another agent", []Permission{{Answer: AnswerAlways}}, with(git, func(a *Action) { a.Agent = "writer" }), 0, Ask},
		{"always, another chat", []Permission{{Answer: AnswerAlways}}, with(git, func(a *Action) { a.Session = "cpu-b" }), 0, Allowed},
		{"always, a call that nothing covers", []Permission{{Answer: AnswerAlways}}, with(git, func(a *Action) { a.Single = true }), 0, Ask},
		{"always, beside a stranger's text", []Permission{{Answer: AnswerAlways}}, git, transcript.FromPage, Ask},
		{"always, beside the user's file", []Permission{{Answer: AnswerAlways}}, git, transcript.FromFile, Ask},
		{"in this chat", []Permission{{Answer: AnswerChat, Session: "cpu-a"}}, git, 0, Allowed},
		{"in another chat", []Permission{{Answer: AnswerChat, Session: "cpu-b"}}, git, 0, Ask},
		{"never", []Permission{{Answer: AnswerNever}}, git, 0, Refused},
		{"never, any argument", []Permission{{Answer: AnswerNever, Covers: "-"}}, git, 0, Refused},
		{"never before always", []Permission{{Answer: AnswerNever, Covers: "-"}, {Answer: AnswerAlways, Covers: "git"}}, git, 0, Refused},
		{"always after never", []Permission{{Answer: AnswerNever}, {Answer: AnswerAlways}}, git, 0, Allowed},
		{"always, the same description", []Permission{{Answer: AnswerAlways, Tool: read.Tool, Covers: "-", Stamp: "1"}}, read, 0, Allowed},
		{"always, the description was another one", []Permission{{Answer: AnswerAlways, Tool: read.Tool, Covers: "-", Stamp: "0"}}, read, 0, Ask},
		{"of a schedule, in a chat", []Permission{{Answer: AnswerAlways, Schedule: "morning"}}, git, 0, Ask},
		{"of a schedule, in it", []Permission{{Answer: AnswerAlways, Schedule: "morning"}}, with(git, func(a *Action) { a.Schedule = "morning" }), 0, Allowed},
		{"of a person, in a schedule", []Permission{{Answer: AnswerAlways}}, with(git, func(a *Action) { a.Schedule = "morning" }), 0, Ask},
		{"never, in a schedule", []Permission{{Answer: AnswerNever}, {Answer: AnswerAlways, Schedule: "morning"}}, with(git, func(a *Action) { a.Schedule = "morning" }), 0, Refused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "permissions.toml")
			kept := OpenAnswers(path)
			for _, p := range tt.kept {
				p.Agent = "coder"
				if p.Tool == "" {
					p.Tool = RunCmd
				}
				if p.Covers = strings.TrimPrefix(p.Covers, "-"); p.Covers == "" && tt.kept[0].Covers == "" {
					p.Covers = "git"
				}
				if err := kept.Keep(p, false); err != nil {
					t.Fatal(err)
				}
			}
			for name, answers := range map[string]*Answers{"as kept": kept, "read anew": OpenAnswers(path)} {
				var turn Permissions
				if got, _ := turn.Act(tt.act, tt.held, answers); got != tt.want {
					t.Errorf("%s: %v, want %v", name, got, tt.want)
				}
			}
		})
	}
}

func TestARevokedAnswerIsAskedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "permissions.toml")
	kept, other := OpenAnswers(path), OpenAnswers(path)
	p := Permission{Agent: "coder", Tool: RunCmd, Covers: "git", Answer: AnswerAlways}
	chat := Permission{Agent: "coder", Tool: RunCmd, Covers: "ls", Answer: AnswerChat, Session: "cpu-a"}
	old := Permission{Agent: "coder", Tool: RunCmd, Covers: "df", Answer: AnswerChat, Session: "cpu-b", Time: time.Now().Add(-2 * chatLifetime)}
	for _, p := range []Permission{p, old, chat} {
		if err := kept.Keep(p, false); err != nil {
			t.Fatal(err)
		}
	}
	secret := Permission{Agent: "coder", Tool: RunCmd, Covers: "secret", Answer: AnswerChat, Session: "cpu-private"}
	if err := kept.Keep(secret, true); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(data), "secret") || strings.Contains(string(data), "cpu-b") || !strings.HasPrefix(string(data), "# What you allowed") {
		t.Errorf("%v, the file:\n%s", err, data)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := other.Revoke(p.ID()); err != nil { // like another process
		t.Fatal(err)
	}
	if list, err := kept.List(); err != nil || len(list) != 2 {
		t.Errorf("%+v %v", list, err)
	}
	if err := other.Revoke(p.ID()); !errors.Is(err, ErrNoPermission) {
		t.Errorf("revoked twice: %v", err)
	}
	if n, err := kept.Clear(); n != 2 || err != nil {
		t.Errorf("cleared %d, %v", n, err)
	}
}

// Complete entries written by hand apply. An incomplete entry, which may be a no, disables
// all others, and none is lost.
func TestAFileWrittenByHand(t *testing.T) {
	act := Action{Agent: "coder", Tool: RunCmd, Covers: "git", Session: "cpu-a"}
	const yes = "[[permission]]\nagent = 'coder'\ntool = 'RUN_CMD'\ncovers = 'git'\nanswer = 'always'\n"
	for _, tt := range []struct {
		name, text string
		want       Decision
		kept       bool // another answer can be stored
	}{
		{"a yes", "[[permission]]\nagent = 'coder'\ntool = 'RUN_CMD'\ncovers = 'git'\nanswer = 'always'\n", Allowed, true},
		{"no agent", "[[permission]]\ntool = 'RUN_CMD'\ncovers = 'git'\nanswer = 'always'\n", Ask, false},
		{"no tool", "[[permission]]\nagent = 'coder'\ncovers = 'git'\nanswer = 'always'\n", Ask, false},
		{"another answer", "[[permission]]\nagent = 'coder'\ntool = 'RUN_CMD'\ncovers = 'git'\nanswer = 'yes'\n", Ask, false},
		{"once", "[[permission]]\nagent = 'coder'\ntool = 'RUN_CMD'\ncovers = 'git'\nanswer = 'once'\n", Ask, false},
		{"a chat without its name", "[[permission]]\nagent = 'coder'\ntool = 'RUN_CMD'\ncovers = 'git'\nanswer = 'chat'\n", Ask, false},
		{"a star", "[[permission]]\nagent = '*'\ntool = '*'\ncovers = '*'\nanswer = 'always'\n", Ask, true},
		{"a yes beside a no in another case", yes + "[[permission]]\nagent = 'Coder'\ntool = 'run_cmd'\ncovers = 'GIT'\nanswer = 'never'\n", Refused, true},
		{"a yes beside a misspelt no", yes + "[[permission]]\nagent = 'coder'\ntool = 'RUN_CMD'\nanswer = 'Never'\n", Ask, false},
		{"a yes beside a no with a session", yes + "[[permission]]\nagent = 'coder'\ntool = 'RUN_CMD'\nanswer = 'never'\nsession = 'cpu-a'\n", Ask, false},
		{"a yes beside a no in a list of another name", yes + "[[permissions]]\nagent = 'coder'\ntool = 'RUN_CMD'\nanswer = 'never'\n", Ask, false},
		{"a misspelt limit", yes + "seshion = 'cpu-b'\n", Ask, false},
		{"half a file", "[[permission]]\nagent = 'coder'\ntool = 'RUN_CMD'\ncovers = 'git'\nanswer = 'always'\n[[perm", Ask, false},
		{"empty", "", Ask, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "permissions.toml")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			kept := OpenAnswers(path)
			var turn Permissions
			if got, _ := turn.Act(act, 0, kept); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
			err := kept.Keep(Permission{Agent: "a", Tool: "b", Answer: AnswerNever}, false)
			if data, _ := os.ReadFile(path); (err == nil) != tt.kept || err != nil && string(data) != tt.text {
				t.Errorf("%v, the file:\n%s", err, data)
			}
		})
	}
}

// While another process slowly writes the file, the known answers still apply.
func TestReadingDoesNotWaitForAWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "permissions.toml")
	a := OpenAnswers(path)
	lock := wholefile.NewLock(filepath.Join(filepath.Dir(path), ".permissions.lock"))
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	kept := make(chan error, 1)
	go func() {
		kept <- a.Keep(Permission{Agent: "coder", Tool: RunCmd, Answer: AnswerAlways}, false)
	}()
	time.Sleep(20 * time.Millisecond) // it waits for the lock
	if _, err := a.List(); err != nil {
		t.Error(err)
	}
	if a.Often(Action{}) {
		t.Error("nothing was asked")
	}
	select {
	case err := <-kept:
		t.Fatalf("it was read only after the other one was ready: %v", err)
	default:
	}
	if err := errors.Join(lock.Unlock(), <-kept); err != nil {
		t.Error(err)
	}
}
