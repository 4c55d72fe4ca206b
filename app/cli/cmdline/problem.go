package cmdline

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/app/cli/words"
	"mac-stats/sessionmem/loopback"
)

// ErrFindings means that the command has reported its findings on stdout; the exit code
// reports them to scripts.
var ErrFindings = errors.New("findings")

// PlainError is an error whose text people can read as it is.
type PlainError struct{ text string }

func (e *PlainError) Error() string { return e.text }

// Problem returns an error with a sentence and the next step; next may be "".
func Problem(sentence, next string) error {
	return &PlainError{strings.TrimSpace(sentence + " " + next)}
}

// ProblemOf is Problem with an error's text as the sentence.
func ProblemOf(err error, next string) error { return Problem(words.Sentence(err.Error()), next) }

// IsStop reports whether an error means that the command was stopped.
func IsStop(err error) bool {
	return errors.Is(err, context.Canceled) || fault.Explain(err).Kind == fault.KindCancelled
}

// ollamaPort is Ollama's default port.
const ollamaPort = "11434"

// Explain words an error for a terminal. If Ollama isn't installed on this machine, it says
// how to install it.
func (c *Line) Explain(err error) fault.Explanation {
	e := fault.Explain(err).Terminal()
	if paths, pathsErr := c.Paths(); pathsErr == nil && c.getenv("MAC_STATS_HOME") != "" {
		e.Next = strings.ReplaceAll(e.Next, "~/.mac-stats/", paths.Home+string(filepath.Separator))
	}
	var server *ollama.Error
	if e.Kind != fault.KindDown || !errors.As(err, &server) {
		return e
	}
	host := strings.TrimPrefix(server.Host, "…@")
	switch {
	case !loopback.Is(host):
		e.Next = "Start it there, or put ollama.host in config.toml (or OLLAMA_HOST) right, then try again."
	case c.hasOllama():
	case !strings.HasSuffix(host, ":"+ollamaPort): // a custom address: somebody meant a server to be there
		e.Next = "Start the server that listens there, or put ollama.host in config.toml (or OLLAMA_HOST) right, then try again."
	default:
		e.Sentence = strings.TrimSuffix(e.Sentence, ".") + ": it is not installed on this machine."
		e.Next = installOllama(runtime.GOOS)
	}
	return e
}

// installOllama explains how to install Ollama on a system.
func installOllama(goos string) string {
	switch goos {
	case "darwin":
		return "Install it from https://ollama.com/download (or with `brew install ollama`), open it, then try again."
	case "windows":
		return "Install it from https://ollama.com/download, then try again."
	}
	return "Install it with `curl -fsSL https://ollama.com/install.sh | sh`, then try again; without a model, `mac-stats --demo` shows what there is."
}

// hasOllama looks on the PATH and, on macOS, among the applications.
func (c *Line) hasOllama() bool {
	if c.HasOllama != nil {
		return c.HasOllama()
	}
	if _, err := exec.LookPath("ollama"); err == nil {
		return true
	}
	if runtime.GOOS != "darwin" {
		return false
	}
	_, err := os.Stat("/Applications/Ollama.app")
	return err == nil
}
