package doctorcmd_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/testkit"
	"mac-stats/app/cli/clitest"
	"mac-stats/app/cli/doctorcmd"
)

func TestDoctorWithoutAWritableDisk(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("x"))
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e.Environ = append(e.Environ, "MAC_STATS_HOME="+filepath.Join(file, "data"))
	e.Probes.Free = func(string) (uint64, error) { return 0, doctorcmd.ErrNoDisk }
	o := e.Run(t, "doctor", "--json")
	for _, c := range clitest.Objects(t, o.Stdout) {
		found, fix := c["found"].(string), c["fix"].(string)
		if c["ok"] == false && (fix == "" || strings.Contains(fix, found)) || strings.Contains(found, "0 B") || strings.Contains(fix, "Free some space") {
			t.Errorf("%v", c)
		}
	}
}

func TestDoctorFindsNothing(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("x"))
	o := e.Run(t, "doctor")
	if o.Code != clitest.Done || !strings.HasSuffix(o.Stdout, "Nothing is wrong.\n") || o.Stderr != "" {
		t.Errorf("got %+v", o)
	}
	for _, line := range clitest.Objects(t, e.Must(t, "doctor", "--json")) {
		if diff := cmp.Diff([]string{"fix", "found", "name", "ok", "type"}, clitest.Fields(line)); diff != "" {
			t.Error(diff)
		}
		if line["type"] != "check" || line["ok"] != true || line["fix"] != "" || line["found"] == "" {
			t.Errorf("got %v", line)
		}
	}
}

func TestDoctorSaysWhyNothingIsReadInAdvance(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("x"))
	e.Write(t, "config.toml", "[ollama]\nprepare = \"off\"\n")
	if o := e.Run(t, "doctor"); o.Code != clitest.Done || !strings.Contains(o.Stdout, "nothing is read in advance: ollama.prepare is off") {
		t.Errorf("got %+v", o)
	}
	e.Environ = append(e.Environ, "MAC_STATS_OLLAMA_PREPARE=auto", "OLLAMA_HOST=box.invalid:11434")
	if o := e.Run(t, "doctor"); !strings.Contains(o.Stdout, `nothing is read in advance: the server is on another machine, which ollama.prepare = "on" would allow`) {
		t.Errorf("got %+v", o)
	}
}

func TestDoctorFinds(t *testing.T) {
	t.Parallel()
	small := clitest.Model("tiny:1b")
	small.ContextLength = 4096
	embedding := testkit.Model{Name: "embed", Capabilities: []string{"embedding"}, ContextLength: 2048}
	limited := clitest.Answering("x")
	limited.MaxLoaded, limited.Models[0].Loaded = 4096, true
	tests := []struct {
		name    string
		script  testkit.Script
		prepare func(t *testing.T, e *clitest.Env)
		check   string
		found   string
		fix     string
	}{
		{
			"no Ollama", clitest.Answering("x"), func(_ *testing.T, e *clitest.Env) { e.Environ = append(e.Environ, "OLLAMA_HOST=127.0.0.1:1") },
			"ollama", "isn't running at 127.0.0.1:1", "ollama serve",
		},
		{"something else at the address", testkit.Script{Fault: &testkit.Fault{Kind: testkit.FaultGarbage}}, nil, "ollama", "", ""},
		{"no model", testkit.Script{}, nil, "models", "no model that can chat", "models pull"},
		{"no model that can chat", testkit.Script{Models: []testkit.Model{embedding}}, nil, "models", "no model that can chat", "models pull"},
		{
			"a configured model that is not there", clitest.Answering("x"), func(t *testing.T, e *clitest.Env) { e.Write(t, "config.toml", "[ollama]\nmodel = \"gone:7b\"\n") },
			"models", "gone:7b", "models pull gone:7b",
		},
		{"a model with a context of 4k", testkit.Script{Models: []testkit.Model{small}}, nil, "context", "tiny:1b: 4,096 tokens", "larger context"},
		{
			"a context of 4k in config.toml", clitest.Answering("x"), func(t *testing.T, e *clitest.Env) { e.Write(t, "config.toml", "[ollama]\nnum_ctx = 4096\n") },
			"context", "4,096 tokens", "ollama.num_ctx",
		},
		{
			"reranking by the model that chats", clitest.Answering("x"), func(t *testing.T, e *clitest.Env) { e.Write(t, "config.toml", "[recall]\nrerank = \"model\"\n") },
			"rerank", "qwen3:8b answers the chats, too", "ollama.small_model",
		},
		{"a server that loads 4k", limited, nil, "context", "has loaded it with 4,096", "OLLAMA_CONTEXT_LENGTH"},
		{"no tray host", clitest.Answering("x"), func(_ *testing.T, e *clitest.Env) {
			e.Probes.TrayHost = func(context.Context) (bool, error) { return false, nil }
		}, "tray", "no tray host", "AppIndicator"},
		{"no D-Bus", clitest.Answering("x"), func(_ *testing.T, e *clitest.Env) {
			e.Probes.TrayHost = func(context.Context) (bool, error) { return false, doctorcmd.ErrNoBus }
		}, "tray", "no D-Bus session", "dbus-run-session"},
		{"a display that does not answer", clitest.Answering("x"), func(_ *testing.T, e *clitest.Env) {
			e.Probes.Display = func(context.Context) (string, bool, error) { return "", false, errors.New("nothing answers at :9") }
		}, "display", "nothing answers", "--headless"},
		{
			"a full disk", clitest.Answering("x"), func(_ *testing.T, e *clitest.Env) { e.Probes.Free = func(string) (uint64, error) { return 1e6, nil } },
			"disk", "1.0 MB are free", "Free some space",
		},
		{
			"a file in the folder's place", clitest.Answering("x"), func(t *testing.T, e *clitest.Env) { e.Write(t, "session", "not a folder") },
			"folder", "is not a folder", "Move it away",
		},
		{"a folder others may read", clitest.Answering("x"), func(t *testing.T, e *clitest.Env) {
			e.Write(t, "session/x.md", "")
			if err := os.Chmod(e.Home, 0o755); err != nil {
				t.Fatal(err)
			}
		}, "permissions", "others may read", "chmod -R go-rwx"},
		{"a transcript others may read", clitest.Answering("x"), func(t *testing.T, e *clitest.Env) {
			e.Write(t, "session/x.md", "")
			if err := os.Chmod(filepath.Join(e.Home, "session", "x.md"), 0o644); err != nil {
				t.Fatal(err)
			}
		}, "permissions", "x.md", "chmod -R go-rwx"},
		{
			"an MCP server that can't be used", clitest.Answering("x"), func(t *testing.T, e *clitest.Env) {
				e.Write(t, "mcp.json", `{"mcpServers": {"web": {}}}`)
			},
			"mcp web", "either a command or a url", "mcp.json",
		},
		{
			"an MCP server that didn't start", clitest.Answering("x"), func(t *testing.T, e *clitest.Env) {
				e.Write(t, "mcp.json", `{"mcpServers": {"gone": {"command": "no-such-program"}}}`)
				e.Run(t, "mcp", "test", "gone")
			},
			"mcp gone", "its last start failed: no-such-program isn't installed", "mcp test gone",
		},
		{
			"an mcp.json that can't be read", clitest.Answering("x"), func(t *testing.T, e *clitest.Env) { e.Write(t, "mcp.json", "{\n\"mcpServers\": {") },
			"mcp", "line 2", "mcp.json",
		},
		{
			"a broken agent", clitest.Answering("x"), func(t *testing.T, e *clitest.Env) { e.Write(t, "agents/agent-100/agent.json", "{") },
			"agent 100", "", "agent-100",
		},
		{"an agent whose model is not there", clitest.Answering("x"), func(t *testing.T, e *clitest.Env) {
			e.Write(t, "agents/agent-100/agent.json", `{"name":"Geo","slug":"geo","model":"gone:7b"}`)
			e.Write(t, "agents/agent-100/skill.md", "Answer.")
		}, "agent 100", "gone:7b", "models pull gone:7b"},
		{
			"a bad setting", clitest.Answering("x"), func(t *testing.T, e *clitest.Env) { e.Write(t, "config.toml", "[session]\nmax_messages = 1\n") },
			"config", "config.toml:2: session.max_messages = 1", "Edit ",
		},
		{
			"a misspelled key", clitest.Answering("x"), func(t *testing.T, e *clitest.Env) { e.Write(t, "config.toml", "[session]\nmax_mesages = 9\n") },
			"config", "did you mean session.max_messages?", "Edit ",
		},
		{
			"settings that are no TOML", clitest.Answering("x"), func(t *testing.T, e *clitest.Env) { e.Write(t, "config.toml", "[session\n") },
			"config", "config.toml:1:", "Edit ",
		},
		{
			"a memory that can't be read", clitest.Answering("x"), func(t *testing.T, e *clitest.Env) { e.Write(t, "agents/memory.md/x", "") },
			"memory", "memory.md can't be read: ", "Open it in an editor",
		},
		{
			"a transcript that can't be read", clitest.Answering("x"), func(t *testing.T, e *clitest.Env) {
				e.Write(t, "session/session-memory-cli-dir-20260105-080000-dir.md/x", "")
				if err := os.Chmod(filepath.Join(e.Home, "session"), 0o700); err != nil {
					t.Fatal(err)
				}
			}, "transcripts", "can't be read: ", "Open it in an editor",
		},
		{
			"no agent that can be used", clitest.Answering("x"), func(t *testing.T, e *clitest.Env) {
				e.Must(t, "agents", "list")
				for _, id := range []string{"000", "001", "002", "003"} {
					e.Write(t, "agents/agent-"+id+"/agent.json", "{")
				}
			}, "agent 000", "", "agents reset",
		},
		{"a memory server that can't be reached", clitest.Answering("x"), func(t *testing.T, e *clitest.Env) {
			e.Write(t, "config.toml", "[recall]\nbackend = \"postgres\"\npostgres_url = \"postgres://me:secret@127.0.0.1:1/memory?connect_timeout=2\"\n")
		}, "memory server", "127.0.0.1", "this machine searches its own files"},
		{
			"no default agent", clitest.Answering("x"), func(t *testing.T, e *clitest.Env) { e.Write(t, "config.toml", "[agents]\ndefault = \"nobody\"\n") },
			"agents", "nobody", "config.toml",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := clitest.New(t, tt.script)
			if tt.prepare != nil {
				tt.prepare(t, e)
			}
			o := e.Run(t, "doctor", "--json")
			if o.Code != clitest.Failed || o.Stderr != "" {
				t.Errorf("exit %d, stderr %q", o.Code, o.Stderr)
			}
			var bad []map[string]any
			for _, line := range clitest.Objects(t, o.Stdout) {
				if line["ok"] == false {
					bad = append(bad, line)
				}
			}
			if len(bad) == 0 {
				t.Fatalf("nothing was found:\n%s", o.Stdout)
			}
			if b := bad[0]; b["name"] != tt.check || !strings.Contains(b["found"].(string), tt.found) || !strings.Contains(b["fix"].(string), tt.fix) || b["fix"] == "" {
				t.Errorf("found %v", b)
			}
			if text := e.Run(t, "doctor"); text.Code != clitest.Failed || !strings.Contains(text.Stdout, "✗ "+tt.check) || !strings.Contains(text.Stdout, "fix: ") {
				t.Errorf("text: %+v", text)
			}
		})
	}
}

func TestDoctorWithoutADataFolder(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("x"))
	if err := os.WriteFile(e.Home, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o := e.Run(t, "doctor", "--json")
	if lines := clitest.Objects(t, o.Stdout); o.Code != clitest.Failed || lines[0]["name"] != "folder" || lines[0]["ok"] != false {
		t.Errorf("got %+v", o)
	}
}

func TestDoctorWithoutAHome(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("x"))
	e.Environ = []string{"OLLAMA_HOST=" + e.Server.Addr()}
	o := e.Run(t, "doctor", "--json")
	lines := clitest.Objects(t, o.Stdout)
	if o.Code != clitest.Failed || lines[0]["name"] != "folder" || lines[0]["fix"] != "Set HOME, or MAC_STATS_HOME to the folder to use." || lines[1]["name"] != "start" {
		t.Errorf("got %+v", o)
	}
}

func TestDoctorOfTheDemo(t *testing.T) {
	t.Parallel()
	e := clitest.At(t, "127.0.0.1:1")
	if o := e.Run(t, "--demo", "doctor"); o.Code != clitest.Done || strings.Contains(o.Stdout, " folder ") || !strings.HasSuffix(o.Stdout, "Nothing is wrong.\n") {
		t.Errorf("got %+v", o)
	}
	if _, err := os.Stat(e.Home); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data folder: %v", err)
	}
}
