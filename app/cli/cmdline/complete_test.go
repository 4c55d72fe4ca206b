package cmdline_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"mac-stats/agents/testkit"
	"mac-stats/app/cli/clitest"
)

func TestCompletionKnowsNames(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("ok"))
	if o := e.Run(t, "__complete", "agents", "show", ""); strings.Contains(o.Stdout, "coder") {
		t.Errorf("before the first start: %+v", o)
	}
	if _, err := os.Stat(e.Home); err == nil {
		t.Error("completing made the data folder")
	}
	e.Must(t, "ask", "--session", "notes", "hello")
	for want, args := range map[string][]string{
		"coder":     {"agents", "show", "co"},
		"doctor":    {"ask", "--agent", "d"},
		"cli-notes": {"sessions", "show", ""},
		"qwen3:8b":  {"ask", "--model", "qw"},
	} {
		if o := e.Run(t, append([]string{"__complete"}, args...)...); !strings.Contains(o.Stdout, want+"\n") {
			t.Errorf("%q: %+v", args, o)
		}
	}
	slow := testkit.Start(t, testkit.Script{Fault: &testkit.Fault{Kind: testkit.FaultHangFirst}})
	e.Environ = append(e.Environ, "OLLAMA_HOST="+slow.Addr())
	e.ShellWait = 0
	began := time.Now()
	e.Run(t, "__complete", "ask", "--model", "")
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("a server that hangs is waited for %v", took)
	}
}
