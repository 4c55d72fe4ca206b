package cmdline_test

import (
	"strings"
	"testing"

	"mac-stats/app/cli/clitest"
)

func TestAnInvalidSettingIsReported(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("ok"))
	e.Write(t, "config.toml", "[session]\nmax_messages = 1\n")
	o := e.Run(t, "ask", "hello")
	if o.Code != clitest.Done || o.Stdout != "ok\n" || !clitest.OneLineOn(o.Stderr, "mac-stats: config.toml:2: session.max_messages = 1: ") {
		t.Errorf("got %+v", o)
	}
}

func TestAnOllamaThatIsNotInstalled(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("x"))
	e.Environ = append(e.Environ, "OLLAMA_HOST=127.0.0.1:1")
	if o := e.Run(t, "ask", "hello"); o.Code != clitest.Failed || !strings.HasSuffix(o.Stderr, "Start it with `ollama serve`, then try again.\n") {
		t.Errorf("installed: %+v", o)
	}
	e.NoOllama = true
	for _, args := range [][]string{{"ask", "hello"}, {"doctor"}, {"models", "list"}} {
		o := e.Run(t, args...)
		said := o.Stdout + o.Stderr
		if o.Code != clitest.Failed || !strings.Contains(said, "Start the server that listens there") || strings.Contains(said, "Install it") || strings.Contains(said, "Retry") {
			t.Errorf("%q: %+v", args, o)
		}
	}
}
