package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/agents/ollamatest"
	"mac-stats/sessionmem/transcript"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"0 messages":     count(0, "message"),
		"1 message":      count(1, "message"),
		"2,000 messages": count(2000, "message"),
		"1 summary":      count(1, "summary", "summaries"),
		"2 summaries":    countBlocks(2, transcript.KindSummary),
		"2 notes":        countBlocks(2, transcript.KindNote),
		"1 user message": countBlocks(1, transcript.KindUser),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestCutQuotes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 9000)
	for text, want := range map[string]string{
		`no "short" one`:       `no "short" one`,
		`no "` + long + `".`:   `no "` + long[:59] + `…".`,
		`there is ` + long:     `there is ` + long[:59] + `…`,
		`a \"` + long + `\" b`: ``,
	} {
		got := cutQuotes(text)
		if want != "" && got != want || len(got) > 200 {
			t.Errorf("%q", got)
		}
	}
}

func TestIsLocal(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"127.0.0.1:11434": true, "localhost:1": true, "[::1]:11434": true, "0.0.0.0:1": true, "::1": true,
		"box:11434": false, "10.0.0.2:11434": false, "": false,
	} {
		if got := isLocal(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}

func TestAnOllamaThatIsNotInstalled(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("x"))
	e.environ = append(e.environ, "OLLAMA_HOST=127.0.0.1:1")
	if o := e.run(t, "ask", "hello"); o.code != exitFailed || !strings.HasSuffix(o.stderr, "Start it with `ollama serve`, then try again.\n") {
		t.Errorf("installed: %+v", o)
	}
	e.probes.program = func(string) bool { return false }
	for _, args := range [][]string{{"ask", "hello"}, {"doctor"}, {"models", "list"}} {
		o := e.run(t, args...)
		said := o.stdout + o.stderr
		if o.code != exitFailed || !strings.Contains(said, "Start the server that listens there") || strings.Contains(said, "Install it") || strings.Contains(said, "Retry") {
			t.Errorf("%q: %+v", args, o)
		}
	}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		if text := installOllama(goos); !strings.Contains(text, "https://ollama.com/") {
			t.Errorf("%s: %s", goos, text)
		}
	}
}

func TestMistakesInAgents(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("ok"))
	e.write(t, "agents/plain.md", "Just do it.\n")
	e.write(t, "agents/agent-100/agent.json", "{\"name\": \"Release Notes\",\n\"slug\": \"release-notes\",,}")
	e.write(t, "agents/agent-100/skill.md", "Write.")
	e.write(t, "agents/agent-101/agent.json", `{"name": "Geo", "tools": ["NOPE"]}`)
	e.write(t, "agents/agent-101/skill.md", "Answer.")
	e.write(t, "agents/agent-102/agent.json", `{"name": "Coder", "slug": "coder", "colour": "red"}`)
	e.write(t, "agents/agent-102/skill.md", "Code.")
	list := e.run(t, "agents", "list")
	if !strings.Contains(list.stderr, "plain.md is not an agent: it has no front matter with a name") || !strings.Contains(list.stdout, "release-notes") || strings.Contains(list.stderr, "memory.md") {
		t.Errorf("list: %+v", list)
	}
	if o := e.run(t, "ask", "--agent", "release-notes", "hi"); o.code != exitFailed || !strings.Contains(o.stderr, "elease-notes can't be used: agent.json line 2") {
		t.Errorf("a broken one: %+v", o)
	}
	if o := e.run(t, "ask", "hi"); o.stdout != "ok\n" || o.stderr != "" {
		t.Errorf("another agent's mistakes are told: %+v", o)
	}
	doctor := e.run(t, "doctor")
	for _, want := range []string{
		"✗ agent 101    tools: NOPE: unknown tool\n", "· agents       plain.md is not an agent", "fix: Edit " + filepath.Join(e.home, "agents", "agent-101") + ".\n",
		"✗ agent 100    agent.json line 2", "· agent 102    colour",
	} {
		if !strings.Contains(doctor.stdout, want) {
			t.Errorf("doctor lacks %q:\n%s", want, doctor.stdout)
		}
	}
	if strings.Contains(doctor.stdout, "came with the app") || strings.Contains(doctor.stdout, "reset 10") {
		t.Errorf("doctor would reset what is not shipped:\n%s", doctor.stdout)
	}
}

func TestDoctorWhereNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("x"))
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e.environ = append(e.environ, "MAC_STATS_HOME="+filepath.Join(file, "data"))
	e.probes.free = func(string) (uint64, error) { return 0, errNoDisk }
	o := e.run(t, "doctor", "--json")
	for _, c := range objects(t, o.stdout) {
		found, fix := c["found"].(string), c["fix"].(string)
		if c["ok"] == false && (fix == "" || strings.Contains(fix, found)) || strings.Contains(found, "0 B") || strings.Contains(fix, "Free some space") {
			t.Errorf("%v", c)
		}
	}
}

func TestSessionsOfBeforeInMemoryOnlyAreListed(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("ok"))
	e.must(t, "ask", "--session", "old", "hello")
	e.write(t, "config.toml", "[session]\nin_memory_only = true\n")
	e.must(t, "ask", "--session", "new", "hello")
	o := e.run(t, "sessions", "list")
	if !strings.Contains(o.stdout, "cli-old") || strings.Contains(o.stdout, "cli-new") || !strings.Contains(o.stderr, "nothing new is written") {
		t.Errorf("got %+v", o)
	}
}

func TestTheLogTellsStartStopAndFailuresWithoutText(t *testing.T) {
	t.Parallel()
	script := answering("The secret answer.")
	e := newEnv(t, script)
	e.write(t, "config.toml", "[session]\nmax_messages = 1\n")
	e.must(t, "ask", "A secret question")
	e.must(t, "memory", "add", "The secret disk is called Backup")
	if o := e.run(t, "ask", "--model", "gone:7b", "Another secret question"); o.code != exitFailed {
		t.Fatalf("got %+v", o)
	}
	data, err := os.ReadFile(filepath.Join(e.home, "logs", "mac-stats.log"))
	if err != nil {
		t.Fatal(err)
	}
	log := string(data)
	for _, want := range []string{
		"msg=start pid=", " mode=command version=1.2.3 data=", "ollama=" + e.server.Addr(), "msg=stop",
		`msg="turn failed"`, "kind=model_missing", `msg="setting not usable"`, "key=session.max_messages",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q:\n%s", want, log)
		}
	}
	if strings.Contains(strings.ToLower(log), "secret") {
		t.Errorf("text is in the log:\n%s", log)
	}
}

func TestCompletionKnowsNames(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("ok"))
	if o := e.run(t, "__complete", "agents", "show", ""); strings.Contains(o.stdout, "coder") {
		t.Errorf("before the first start: %+v", o)
	}
	if _, err := os.Stat(e.home); err == nil {
		t.Error("completing made the data folder")
	}
	e.must(t, "ask", "--session", "notes", "hello")
	for want, args := range map[string][]string{
		"coder":     {"agents", "show", "co"},
		"doctor":    {"ask", "--agent", "d"},
		"cli-notes": {"sessions", "show", ""},
		"qwen3:8b":  {"ask", "--model", "qw"},
	} {
		if o := e.run(t, append([]string{"__complete"}, args...)...); !strings.Contains(o.stdout, want+"\n") {
			t.Errorf("%q: %+v", args, o)
		}
	}
	slow := ollamatest.Start(t, ollamatest.Script{Fault: &ollamatest.Fault{Kind: ollamatest.FaultHangFirst}})
	e.environ = append(e.environ, "OLLAMA_HOST="+slow.Addr())
	e.completing = completeTimeout
	began := time.Now()
	e.run(t, "__complete", "ask", "--model", "")
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("a server that hangs is waited for %v", took)
	}
}

func TestHelpShowsDemoWhereItWorks(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("ok"))
	if got := e.must(t, "ask", "--help"); !strings.Contains(got, "--demo") || !strings.Contains(got, "--model string") {
		t.Errorf("ask: %s", got)
	}
	if got := e.must(t, "memory", "add", "--help"); strings.Contains(got, "--demo") {
		t.Errorf("memory add: %s", got)
	}
}
