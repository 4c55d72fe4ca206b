package cli

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"mac-stats/agents"
	"mac-stats/agents/ollama"
	"mac-stats/app/config"
)

// ollamaPort is where Ollama listens unless it is told otherwise.
const ollamaPort = "11434"

// explanation is an error in words for a terminal: where Ollama is not even
// installed on this machine, it says how to install it.
func (c *commands) explanation(err error) agents.Explanation {
	e := agents.Explain(err).Terminal()
	if paths, pathsErr := config.FindPaths(c.getenv); pathsErr == nil && c.getenv("MAC_STATS_HOME") != "" {
		e.Next = strings.ReplaceAll(e.Next, "~/.mac-stats/", paths.Home+string(filepath.Separator))
	}
	var server *ollama.Error
	if e.Kind != agents.KindDown || !errors.As(err, &server) {
		return e
	}
	switch local := isLocal(server.Host); {
	case !local:
		e.Next = "Start it there, or put ollama.host in config.toml (or OLLAMA_HOST) right, then try again."
	case c.hasProgram("ollama"):
	case !strings.HasSuffix(server.Host, ":"+ollamaPort): // an address somebody chose: a server was meant to be there
		e.Next = "Start the server that listens there, or put ollama.host in config.toml (or OLLAMA_HOST) right, then try again."
	default:
		e.Sentence = strings.TrimSuffix(e.Sentence, ".") + ": it is not installed on this machine."
		e.Next = installOllama(runtime.GOOS)
	}
	return e
}

// installOllama says how Ollama is installed on a system.
func installOllama(goos string) string {
	switch goos {
	case "darwin":
		return "Install it from https://ollama.com/download (or with `brew install ollama`), open it, then try again."
	case "windows":
		return "Install it from https://ollama.com/download, then try again."
	}
	return "Install it with `curl -fsSL https://ollama.com/install.sh | sh`, then try again; without a model, `mac-stats --demo` shows what there is."
}

func (c *commands) hasProgram(name string) bool {
	if c.p.probes != nil && c.p.probes.program != nil {
		return c.p.probes.program(name)
	}
	return findProgram(name)
}

// findProgram looks on the PATH, and on macOS among the applications too.
func findProgram(name string) bool {
	if _, err := exec.LookPath(name); err == nil {
		return true
	}
	if runtime.GOOS != "darwin" || name != "ollama" {
		return false
	}
	_, err := os.Stat("/Applications/Ollama.app")
	return err == nil
}

// isLocal reports whether a host (or host:port) is this machine.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}
