package cli

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/ollamatest"
)

func TestDoctorFindsNothing(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("x"))
	o := e.run(t, "doctor")
	if o.code != exitDone || !strings.HasSuffix(o.stdout, "Nothing is wrong.\n") || o.stderr != "" {
		t.Errorf("got %+v", o)
	}
	for _, line := range objects(t, e.must(t, "doctor", "--json")) {
		if diff := cmp.Diff([]string{"fix", "found", "name", "ok", "type"}, fields(line)); diff != "" {
			t.Error(diff)
		}
		if line["type"] != "check" || line["ok"] != true || line["fix"] != "" || line["found"] == "" {
			t.Errorf("got %v", line)
		}
	}
}

func TestDoctorFinds(t *testing.T) {
	t.Parallel()
	small := model("tiny:1b")
	small.ContextLength = 4096
	embedding := ollamatest.Model{Name: "embed", Capabilities: []string{"embedding"}, ContextLength: 2048}
	limited := answering("x")
	limited.MaxLoaded, limited.Models[0].Loaded = 4096, true
	tests := []struct {
		name    string
		script  ollamatest.Script
		prepare func(t *testing.T, e *env)
		check   string
		found   string
		fix     string
	}{
		{
			"no Ollama", answering("x"), func(_ *testing.T, e *env) { e.environ = append(e.environ, "OLLAMA_HOST=127.0.0.1:1") },
			"ollama", "isn't running at 127.0.0.1:1", "ollama serve",
		},
		{"something else at the address", ollamatest.Script{Fault: &ollamatest.Fault{Kind: ollamatest.FaultGarbage}}, nil, "ollama", "", ""},
		{"no model", ollamatest.Script{}, nil, "models", "no model that can chat", "models pull"},
		{"no model that can chat", ollamatest.Script{Models: []ollamatest.Model{embedding}}, nil, "models", "no model that can chat", "models pull"},
		{
			"a configured model that is not there", answering("x"), func(t *testing.T, e *env) { e.write(t, "config.toml", "[ollama]\nmodel = \"gone:7b\"\n") },
			"models", "gone:7b", "models pull gone:7b",
		},
		{"a model with a context of 4k", ollamatest.Script{Models: []ollamatest.Model{small}}, nil, "context", "tiny:1b: 4,096 tokens", "larger context"},
		{
			"a context of 4k in config.toml", answering("x"), func(t *testing.T, e *env) { e.write(t, "config.toml", "[ollama]\nnum_ctx = 4096\n") },
			"context", "4,096 tokens", "ollama.num_ctx",
		},
		{"a server that loads 4k", limited, nil, "context", "has loaded it with 4,096", "OLLAMA_CONTEXT_LENGTH"},
		{"no tray host", answering("x"), func(_ *testing.T, e *env) {
			e.probes.trayHost = func(context.Context) (bool, error) { return false, nil }
		}, "tray", "no tray host", "AppIndicator"},
		{"no D-Bus", answering("x"), func(_ *testing.T, e *env) {
			e.probes.trayHost = func(context.Context) (bool, error) { return false, errNoBus }
		}, "tray", "no D-Bus session", "dbus-run-session"},
		{"a display that does not answer", answering("x"), func(_ *testing.T, e *env) {
			e.probes.display = func(context.Context) (string, bool, error) { return "", false, errors.New("nothing answers at :9") }
		}, "display", "nothing answers", "--headless"},
		{
			"a full disk", answering("x"), func(_ *testing.T, e *env) { e.probes.free = func(string) (uint64, error) { return 1e6, nil } },
			"disk", "1.0 MB are free", "Free some space",
		},
		{
			"a file in the folder's place", answering("x"), func(t *testing.T, e *env) { e.write(t, "session", "not a folder") },
			"folder", "is not a folder", "Move it away",
		},
		{"a folder others may read", answering("x"), func(t *testing.T, e *env) {
			e.write(t, "session/x.md", "")
			if err := os.Chmod(e.home, 0o755); err != nil {
				t.Fatal(err)
			}
		}, "permissions", "others may read", "chmod -R go-rwx"},
		{"a transcript others may read", answering("x"), func(t *testing.T, e *env) {
			e.write(t, "session/x.md", "")
			if err := os.Chmod(filepath.Join(e.home, "session", "x.md"), 0o644); err != nil {
				t.Fatal(err)
			}
		}, "permissions", "x.md", "chmod -R go-rwx"},
		{
			"a broken agent", answering("x"), func(t *testing.T, e *env) { e.write(t, "agents/agent-100/agent.json", "{") },
			"agent 100", "", "agent-100",
		},
		{"an agent whose model is not there", answering("x"), func(t *testing.T, e *env) {
			e.write(t, "agents/agent-100/agent.json", `{"name":"Geo","slug":"geo","model":"gone:7b"}`)
			e.write(t, "agents/agent-100/skill.md", "Answer.")
		}, "agent 100", "gone:7b", "models pull gone:7b"},
		{
			"a bad setting", answering("x"), func(t *testing.T, e *env) { e.write(t, "config.toml", "[session]\nmax_messages = 1\n") },
			"config", "config.toml:2: session.max_messages = 1", "Edit ",
		},
		{
			"a misspelled key", answering("x"), func(t *testing.T, e *env) { e.write(t, "config.toml", "[session]\nmax_mesages = 9\n") },
			"config", "did you mean session.max_messages?", "Edit ",
		},
		{
			"settings that are no TOML", answering("x"), func(t *testing.T, e *env) { e.write(t, "config.toml", "[session\n") },
			"config", "config.toml:1:", "Edit ",
		},
		{
			"no default agent", answering("x"), func(t *testing.T, e *env) { e.write(t, "config.toml", "[agents]\ndefault = \"nobody\"\n") },
			"agents", "nobody", "config.toml",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := newEnv(t, tt.script)
			if tt.prepare != nil {
				tt.prepare(t, e)
			}
			o := e.run(t, "doctor", "--json")
			if o.code != exitFailed || o.stderr != "" {
				t.Errorf("exit %d, stderr %q", o.code, o.stderr)
			}
			var bad []map[string]any
			for _, line := range objects(t, o.stdout) {
				if line["ok"] == false {
					bad = append(bad, line)
				}
			}
			if len(bad) == 0 {
				t.Fatalf("nothing was found:\n%s", o.stdout)
			}
			if b := bad[0]; b["name"] != tt.check || !strings.Contains(b["found"].(string), tt.found) || !strings.Contains(b["fix"].(string), tt.fix) || b["fix"] == "" {
				t.Errorf("found %v", b)
			}
			if text := e.run(t, "doctor"); text.code != exitFailed || !strings.Contains(text.stdout, "✗ "+tt.check) || !strings.Contains(text.stdout, "fix: ") {
				t.Errorf("text: %+v", text)
			}
		})
	}
}

func TestDoctorWithoutADataFolder(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("x"))
	if err := os.WriteFile(e.home, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o := e.run(t, "doctor", "--json")
	if lines := objects(t, o.stdout); o.code != exitFailed || lines[0]["name"] != "folder" || lines[0]["ok"] != false {
		t.Errorf("got %+v", o)
	}
}

func TestAFolderThatCantBeWritten(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "home")
	if err := os.Mkdir(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 && runtime.GOOS == "linux" {
		dir = "/proc/self/task" // root may write anywhere but here
	}
	if c := checkWritable(dir); c.OK || c.Name != "folder" || !strings.Contains(c.Fix, dir) {
		t.Errorf("got %+v", c)
	}
}

func TestADisplay(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return // elsewhere the display is the system's own
	}
	dir := t.TempDir()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(dir, "wayland-7"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	tests := []struct {
		name  string
		env   map[string]string
		there bool
		bad   bool
	}{
		{"none", map[string]string{}, false, false},
		{"a desktop session without one", map[string]string{"XDG_SESSION_TYPE": "wayland"}, false, true},
		{"Wayland", map[string]string{"WAYLAND_DISPLAY": "wayland-7", "XDG_RUNTIME_DIR": dir}, true, false},
		{"Wayland that is gone", map[string]string{"WAYLAND_DISPLAY": "wayland-8", "XDG_RUNTIME_DIR": dir}, false, true},
		{"X11 that is gone", map[string]string{"DISPLAY": ":4711.0"}, false, true},
		{"X11 of another machine", map[string]string{"DISPLAY": "box:0"}, true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found, there, err := findDisplay(t.Context(), tt.env)
			if there != tt.there || (err != nil) != tt.bad || err == nil && found == "" {
				t.Errorf("found %q, %v, %v", found, there, err)
			}
		})
	}
}

func TestATrayHostIsAskedForInTime(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return // elsewhere there is always one
	}
	dir := t.TempDir()
	if _, err := hasTrayHost(t.Context(), map[string]string{}); !errors.Is(err, errNoBus) {
		t.Errorf("without a bus: %v", err)
	}
	if _, err := hasTrayHost(t.Context(), map[string]string{"DBUS_SESSION_BUS_ADDRESS": "unix:path=" + dir + "/none"}); err == nil {
		t.Error("a bus that is not there")
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(dir, "bus")) // says nothing, ever
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := hasTrayHost(ctx, map[string]string{"XDG_RUNTIME_DIR": dir}); err == nil || time.Since(began) > time.Minute {
		t.Errorf("a bus that hangs: %v after %v", err, time.Since(began))
	}
}
