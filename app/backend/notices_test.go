package backend

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mac-stats/app/schedule"
	"mac-stats/sessionmem/memory"
)

// A folder or a file that can't be used is a notice with its cause and the next step; one
// cause is told once.
func TestNoticesAboutStorage(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "file")
	write(t, file, "")
	for name, tt := range map[string]struct {
		home string
		err  error
		want string
		next string
	}{
		"a full disk":              {home, &fs.PathError{Op: "write", Path: "/x/.tmp-1", Err: syscall.ENOSPC}, " can't be written: the disk is full", "Check the folder's owner"},
		"a read-only disk":         {home, syscall.EROFS, " can't be written: " + syscall.EROFS.Error(), "Check the folder's owner"},
		"a folder of others":       {file, fs.ErrPermission, " can't be written: permission denied", "Check the folder's owner"},
		"a file of others":         {home, fmt.Errorf("one\n%w", fs.ErrPermission), "not all shipped files are in place: one; permission denied", "Give yourself access to them"},
		"something in their place": {home, errors.New("skill.md is a folder"), "not all shipped files are in place: skill.md is a folder", "Move away what is in their place"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.MkdirAll(filepath.Join(home, "agents"), 0o700); err != nil {
				t.Fatal(err)
			}
			st := &start{Logger: slog.New(slog.DiscardHandler)}
			st.Paths.Home = tt.home
			nb := &noticeBoard{start: st}
			nb.addInstallNotice(tt.err)
			got := nb.Notices()
			if len(got) != 1 || got[0].Kind != NoticeStorage || !strings.Contains(got[0].Text, tt.want) || !strings.Contains(got[0].Next, tt.next) || got[0].Time.IsZero() {
				t.Errorf("%+v", got)
			}
			nb.addStorageNotice(tt.err)
			if again := nb.Notices(); len(again) != 1 {
				t.Errorf("told again: %+v", again)
			}
		})
	}
	left, err := filepath.Glob(filepath.Join(home, "*", ".try-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestSubscribersAfterTheEndGetNothing(t *testing.T) {
	b, err := Open(t.Context(), Options{Environ: environ(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	stop := b.OnNotice(func(n Notice) { t.Errorf("got %+v", n) })
	b.SessionsChanged("a")
	stop()
}

func TestMistakesInSchedulesAreOneNotice(t *testing.T) {
	b := open(t, Options{Environ: environ(t.TempDir())})
	problem := schedule.Problem{Line: 3, Text: "it is no time"}
	for n, want := range map[int]string{
		1: "Edit schedules.toml. It is reloaded when you save it.",
		2: "There is one more error. Edit schedules.toml. It is reloaded when you save it.",
		4: "3 more things are wrong there. Edit schedules.toml. It is reloaded when you save it.",
		0: "",
	} {
		var problems []schedule.Problem
		for range n {
			problems = append(problems, problem)
		}
		b.Schedules.notifyProblems(problems)
		got := ""
		for _, notice := range b.Notices() {
			if notice.Kind == NoticeBadTimes {
				got = notice.Next
				if notice.Text != problem.String() {
					t.Errorf("%d problems: %q", n, notice.Text)
				}
			}
		}
		if got != want {
			t.Errorf("%d problems: %q, want %q", n, got, want)
		}
	}
}

func TestMissingLinesInWords(t *testing.T) {
	one, other := memory.Dropped{Path: "/a/memory.md"}, memory.Dropped{Path: "/b/user-1.md"}
	for want, missing := range map[string][]memory.Dropped{
		"": nil,
		"1 remembered line is no longer in memory.md":          {one},
		"2 remembered lines are no longer in memory.md":        {one, one},
		"3 remembered lines are no longer in the memory files": {one, other, one},
	} {
		if got := MissingWords(missing); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Leaving the welcome page early makes the next start a first one, unless something was set.
func TestBeginAgain(t *testing.T) {
	for name, change := range map[string]bool{"nothing was set": false, "something was set": true} {
		t.Run(name, func(t *testing.T) {
			env := environ(t.TempDir())
			b := open(t, Options{Environ: env})
			if change {
				if err := b.Set("window.zoom", "110"); err != nil {
					t.Fatal(err)
				}
			}
			if err := b.BeginAgain(); err != nil {
				t.Fatal(err)
			}
			if again := open(t, Options{Environ: env}); again.FirstRun == change {
				t.Errorf("the next start is a first one: %v", again.FirstRun)
			}
		})
	}
}

func TestMemoryBudgets(t *testing.T) {
	b := open(t, Options{Environ: environ(t.TempDir(), "MAC_STATS_MEMORY_GLOBAL_BUDGET=700", "MAC_STATS_MEMORY_AGENT_BUDGET=800", "MAC_STATS_MEMORY_CHANNEL_BUDGET=900")})
	for kind, want := range map[memory.TargetKind]int{memory.TargetGlobal: 700, memory.TargetAgent: 800, memory.TargetChannel: 900, memory.TargetPerson: 0} {
		if got := b.MemoryBudget(memory.Target{Kind: kind, ID: "1"}); got != want {
			t.Errorf("%s: %d, want %d", kind, got, want)
		}
	}
	if got := b.Environ(); len(got) == 0 || &got[0] == &b.Environ()[0] {
		t.Error("the environment isn't a copy")
	}
}

// A data folder of one's own uses no keychain, and says so.
func TestNoKeychainForAnotherDataFolder(t *testing.T) {
	b := open(t, Options{Environ: environ(t.TempDir(), "DBUS_SESSION_BUS_ADDRESS=unix:path=/none")})
	for _, password := range []string{"secret", ""} {
		if err := b.Shared.SetServerPassword(password); !errors.Is(err, ErrNoKeychain) {
			t.Errorf("%q: %v", password, err)
		}
	}
	if got := b.Shared.serverPassword(); got != "" {
		t.Errorf("a password came from somewhere: %q", got)
	}
}

// The secret that tells this machine from others is made once and never replaced.
func TestTheMachinesSecret(t *testing.T) {
	b := open(t, Options{Environ: environ(t.TempDir())})
	first, err := machineSecret(b.Paths)
	if err != nil || len(first) != 64 {
		t.Fatalf("%d bytes, %v", len(first), err)
	}
	if again, err := machineSecret(b.Paths); err != nil || string(again) != string(first) {
		t.Errorf("read again: %s, %v", again, err)
	}
	path := filepath.Join(b.Paths.Home, machineFile)
	write(t, path, "\n")
	if _, err := machineSecret(b.Paths); err == nil || !strings.HasSuffix(err.Error(), "it is empty; delete it") {
		t.Errorf("an empty file: %v", err)
	}
	if _, err := b.Shared.openServer("postgres://db.example.org/memory"); err == nil {
		t.Error("a server was opened in the name of no machine")
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := machineSecret(b.Paths); err == nil || !strings.HasPrefix(err.Error(), "read machine.key, which tells this machine from the others: ") {
		t.Errorf("a folder: %v", err)
	}
}

func TestPathsBelowTheDataFolder(t *testing.T) {
	st := &start{}
	st.Paths.Home = filepath.FromSlash("/data")
	for file, want := range map[string]string{"/data/session/a.md": "session/a.md", "/cache/x": filepath.FromSlash("/cache/x"), "": "", "/database": filepath.FromSlash("/database")} {
		if got := st.below(filepath.FromSlash(file)); got != want {
			t.Errorf("%q is shown as %q, want %q", file, got, want)
		}
	}
	if got := st.RelativePaths(nil); got == nil || len(got) > 0 {
		t.Errorf("no places: %v", got)
	}
}

// A log file that would block its writers, or a folder that can't be made, is a notice.
func TestALogThatCannotBeWrittenIsANotice(t *testing.T) {
	for name, spoil := range map[string]func(home string) error{
		"a folder in its place": func(home string) error { return os.MkdirAll(filepath.Join(home, "logs", "mac-stats.log"), 0o700) },
		"a file for the folder": func(home string) error { return os.WriteFile(filepath.Join(home, "logs"), nil, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			home := filepath.Join(dir, "data")
			if err := errors.Join(os.MkdirAll(home, 0o700), spoil(home)); err != nil {
				t.Fatal(err)
			}
			b := open(t, Options{Environ: environ(dir)})
			b.Logger.Info("nobody reads this")
			got := b.Notices()
			if len(got) != 1 || got[0].Kind != NoticeStorage || !strings.Contains(got[0].Text, "logs") {
				t.Errorf("notices %+v", got)
			}
		})
	}
}
