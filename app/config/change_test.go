package config

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// writerVariable, if set, makes this test binary write settings.
const writerVariable = "MAC_STATS_TEST_SET"

func TestMain(m *testing.M) {
	if file := os.Getenv(writerVariable); file != "" {
		for i := range 20 {
			if err := Set(file, os.Getenv("MAC_STATS_TEST_KEY"), fmt.Sprint(300+i)); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Four writers, each in its own process and with its own key, lose nothing.
func TestWritersInSeveralProcesses(t *testing.T) {
	t.Parallel()
	file := write(t, "# mine\n[ollama] # where it runs\nmodel = \"qwen3:8b\"\n")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{"session.max_tokens", "memory.global_budget", "memory.agent_budget", "recall.notes_budget"}
	var all []*exec.Cmd
	for _, key := range keys {
		c := exec.Command(program)
		c.Env = append(os.Environ(), writerVariable+"="+file, "MAC_STATS_TEST_KEY="+key)
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	for _, c := range all {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	c, findings := Load(file, nil)
	for i, v := range []int{c.Session.MaxTokens, c.Memory.GlobalBudget, c.Memory.AgentBudget, c.Recall.NotesBudget} {
		if v != 319 {
			t.Errorf("%s = %d", keys[i], v)
		}
	}
	if got := read(t, file); c.Ollama.Model != "qwen3:8b" || len(findings) > 0 || !strings.HasPrefix(got, "# mine\n[ollama] # where it runs\n") {
		t.Errorf("%v\n%s", findings, got)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
	}
	return string(data)
}

// saves lists the ways in which editors save.
func saves() map[string]func(file, text string) error {
	return map[string]func(file, text string) error{
		"in place": func(file, text string) error { return os.WriteFile(file, []byte(text), 0o600) },
		"slowly": func(file, text string) error {
			f, err := os.OpenFile(file, os.O_WRONLY|os.O_TRUNC, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			for part := range strings.SplitAfterSeq(text, "\n") {
				time.Sleep(3 * time.Millisecond)
				if _, err := f.WriteString(part); err != nil {
					return err
				}
			}
			return nil
		},
		"by renaming": func(file, text string) error {
			if err := os.WriteFile(file+".new", []byte(text), 0o600); err != nil {
				return err
			}
			return os.Rename(file+".new", file)
		},
		"with a backup": func(file, text string) error {
			if err := os.Rename(file, file+"~"); err != nil {
				return err
			}
			time.Sleep(time.Millisecond)
			return os.WriteFile(file, []byte(text), 0o600)
		},
		"a stale buffer twice": func(file, text string) error {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				return err
			}
			time.Sleep(2 * time.Millisecond)
			return os.WriteFile(file, []byte(text), 0o600)
		},
	}
}

// What somebody saves in an editor while the app changes a setting is in the file
// afterwards.
func TestAHandEditIsNeverLost(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there a file that is open can't be replaced")
	}
	for name, save := range saves() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := write(t, "[session]\nmax_tokens = 300\n\n[ollama]\nmodel = \"m0\"\n")
			for round := range 60 {
				var both sync.WaitGroup
				edited := fmt.Sprintf("# edit %d\n[session]\nmax_tokens = 300\n\n[ollama]\nmodel = \"m%d\"\n", round, round)
				both.Go(func() {
					time.Sleep(time.Duration(round%12) * 250 * time.Microsecond)
					if err := save(file, edited); err != nil {
						t.Error(err)
					}
				})
				both.Go(func() {
					for i := range 3 {
						if err := Set(file, "session.max_tokens", fmt.Sprint(400+i)); err != nil {
							t.Error(err)
						}
					}
				})
				both.Wait()
				if got := read(t, file); !strings.Contains(got, fmt.Sprintf("# edit %d\n", round)) || !strings.Contains(got, fmt.Sprintf("\"m%d\"", round)) {
					t.Fatalf("round %d: the edit is lost:\n%s", round, got)
				}
			}
			left, err := filepath.Glob(filepath.Join(filepath.Dir(file), ".*.tmp"))
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %q, %v", left, err)
			}
		})
	}
}

// Set doesn't write a single setting into an emptied file: the lost settings are unknown
// and may have been about privacy.
func TestSetLeavesAnUnreadableFileAlone(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"empty": "", "blank": " \n\t\n", "no TOML": "[session\nin_memory_only = true\n", "zero bytes": "\x00\x00\x00"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "config.toml")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := Set(file, "window.zoom", "110"); err == nil || read(t, file) != text {
				t.Errorf("%v, and it holds %q", err, read(t, file))
			}
		})
	}
}

// Where the system can't exchange two files, a change still replaces only what it read.
func TestReplaceWithoutExchangingFiles(t *testing.T) {
	for name, tt := range map[string]struct {
		there      string // "" for no file
		now, saved string
	}{
		"given what was read":           {"before", "after", ""},
		"given another program's save":  {"theirs", "theirs", "theirs"},
		"given a file that was removed": {"", "after", ""},
	} {
		file := filepath.Join(t.TempDir(), "config.toml")
		if tt.there != "" {
			if err := os.WriteFile(file, []byte(tt.there), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		now, saved, err := replaceIf(file, []byte("before"), []byte("after"))
		if err != nil || string(now) != tt.now || string(saved) != tt.saved || read(t, file) != tt.now {
			t.Errorf("%s: now %q, saved %q, %v; the file holds %q", name, now, saved, err, read(t, file))
		}
	}
	if _, _, err := replaceIf(filepath.Join(write(t, "a file"), "config.toml"), []byte("before"), []byte("after")); err == nil {
		t.Error("below a file: no error")
	}
}

// If a change fails halfway, the last version that somebody saved is in the file.
func TestPutLeavesTheSavedText(t *testing.T) {
	file := write(t, "# ours\n")
	if err := put(file, []byte("# ours\n"), []byte("# theirs\n")); err != nil || read(t, file) != "# theirs\n" {
		t.Errorf("%v, the file holds %q", err, read(t, file))
	}
	if err := put(file, []byte("# ours\n"), []byte("# older\n")); err != nil || read(t, file) != "# theirs\n" {
		t.Errorf("after another save: %v, the file holds %q", err, read(t, file))
	}
	if err := put(file, nil, []byte("# older\n")); err != nil || read(t, file) != "# theirs\n" {
		t.Errorf("where a file appeared: %v, the file holds %q", err, read(t, file))
	}
	if err := put(filepath.Join(file, "x"), nil, []byte("# older\n")); err == nil {
		t.Error("below a file: no error")
	}
}

func TestSetReportsAPlaceThatCannotHoldTheFile(t *testing.T) {
	file := write(t, "a file")
	for name, err := range map[string]error{
		"Set":          Set(filepath.Join(file, "config.toml"), "window.zoom", "110"),
		"WriteDefault": WriteDefault(filepath.Join(file, "x", "config.toml"), []byte("#")),
		"a folder":     Set(t.TempDir(), "window.zoom", "110"),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, ok := Lookup("no.such"); ok {
		t.Error("an unknown key was found")
	}
}
