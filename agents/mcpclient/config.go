package mcpclient

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"mac-stats/agents/registry"
	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/wholefile"
)

// config is one server in mcp.json, in the format of Claude Desktop and others.
type config struct {
	Command  string            `json:"command"`
	Args     []string          `json:"args"`
	Env      map[string]string `json:"env"`
	Dir      string            `json:"cwd"`
	Type     string            `json:"type"` // stdio, http or streamable-http; if missing, it follows from command or url
	URL      string            `json:"url"`
	Headers  map[string]string `json:"headers"`
	Disabled bool              `json:"disabled"`
}

// hash changes with the configuration.
func (c config) hash() string {
	data, _ := json.Marshal(c) // never fails for strings and maps of them
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// where describes the server to people: its command or its address. It omits values of the
// environment, headers and addresses, which may be secrets.
func (c config) where() string {
	if c.URL != "" {
		return excerpt.Address(c.URL)
	}
	return excerpt.Addresses(strings.Join(append([]string{c.Command}, c.Args...), " "))
}

// hide takes the secrets of the configuration out of a text of the server, which may repeat
// its own address or what was sent to it.
func (c config) hide(text string) string {
	hide := func(secret string) {
		if len(secret) >= minSecret {
			text = strings.ReplaceAll(text, secret, "…")
		}
	}
	if u, err := url.Parse(c.URL); err == nil && c.URL != "" {
		text = strings.ReplaceAll(text, c.URL, excerpt.Address(c.URL))
		hide(u.RawQuery)
		for _, values := range u.Query() {
			for _, value := range values {
				hide(value)
				hide(url.QueryEscape(value))
			}
		}
		password, _ := u.User.Password()
		hide(password)
	}
	for _, value := range c.Headers {
		for word := range strings.FieldsSeq(value) { // "Bearer …"
			hide(word)
		}
	}
	return text
}

// minSecret is the length from which a value of an address or a header is hidden, in bytes:
// a shorter one, as in ?v=1, occurs in any text.
const minSecret = 8

func (c config) check() error {
	switch kind := strings.ToLower(c.Type); {
	case kind == "sse":
		return errors.New("type sse is the old transport, which isn't supported; use the server's streamable HTTP address")
	case kind != "" && kind != "stdio" && kind != "http" && kind != "streamable-http" && kind != "streamablehttp":
		return fmt.Errorf("type is %q; it must be stdio or http", c.Type)
	case (c.Command == "") == (c.URL == ""):
		return errors.New("it needs either a command or a url, not both")
	case c.URL != "":
		if u, err := url.Parse(c.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("url %q is not an http or https address", excerpt.Address(c.URL))
		}
	}
	return nil
}

// serverName matches valid names of servers, which prefix the names of their tools.
var serverName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$`)

// reserved are prefixes that models put before the names of any tools. No server may have
// them, so that none gets calls meant for others.
var reserved = []string{"function", "functions", "tool", "tools", "default_api", "api", "mac_stats", "mac-stats", "mcp"}

// folded returns the same text for names that people or models confuse.
func folded(name string) string {
	return strings.NewReplacer("-", "_", ".", "_", "0", "o", "1", "l", "i", "l").Replace(strings.ToLower(name))
}

func checkName(name string) error {
	switch {
	case !serverName.MatchString(name):
		return fmt.Errorf("a server's name can have up to 32 characters: letters (a to z), digits, - and _; %q has others", name)
	case slices.Contains(reserved, strings.ToLower(name)), slices.Contains(registry.KnownTools, strings.ToUpper(name)):
		return fmt.Errorf("%q can't be a server's name: models put it before other tools; call it something else", name)
	}
	return nil
}

// readFile reads mcp.json; a missing file has no servers. bad has the reasons why servers
// can't be used.
func readFile(path string) (servers map[string]config, bad map[string]error, err error) {
	data, err := wholefile.Read(path, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	var file struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	if err := json.Unmarshal(textOf(data), &file); err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	servers, bad = map[string]config{}, map[string]error{}
	seen := map[string]string{}
	for _, name := range sorted(file.Servers) {
		var c config
		err := json.Unmarshal(file.Servers[name], &c)
		if other := seen[folded(name)]; other != "" && err == nil {
			err = fmt.Errorf("its name looks like that of %s; call it something else", other)
		}
		if err = cmp.Or(err, checkName(name), c.check()); err != nil {
			bad[name] = err
			continue
		}
		seen[folded(name)] = name
		servers[name] = c
	}
	return servers, bad, nil
}

// textOf returns the text of an mcp.json in any encoding that an editor may use.
func textOf(data []byte) []byte {
	_, text := wholefile.CutBOM(wholefile.DecodeText(data))
	return text
}

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
