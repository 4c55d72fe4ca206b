package cmdline

import (
	"os"
	"strings"
	"testing"

	"mac-stats/agents/ollama"
)

func TestACustomAddressIsNotAMissingInstall(t *testing.T) {
	t.Parallel()
	c := New(Params{Environ: []string{"HOME=/home/x", "MAC_STATS_HOME=/data"}, HasOllama: func() bool { return false }}, nil)
	down := func(host string) string {
		e := c.Explain(&ollama.Error{Kind: ollama.ErrOllamaDown, Host: host})
		return e.Sentence + " " + e.Next
	}
	if got := down("127.0.0.1:11434"); !strings.Contains(got, "not installed on this machine") {
		t.Error(got)
	}
	if got := down("127.0.0.1:11501"); strings.Contains(got, "nstall") || !strings.Contains(got, "OLLAMA_HOST") {
		t.Error(got)
	}
	if got := c.Explain(os.ErrInvalid).Next; !strings.Contains(got, "the log in /data/logs says more") {
		t.Error(got)
	}
}

func TestInstallAdviceForEverySystem(t *testing.T) {
	t.Parallel()
	for _, goos := range []string{"linux", "darwin", "windows"} {
		if text := installOllama(goos); !strings.Contains(text, "https://ollama.com/") {
			t.Errorf("%s: %s", goos, text)
		}
	}
}
