package mcpclient

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tailscale/hujson"

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
	Type     string            `json:"type"` // what it is follows from command or url
	URL      string            `json:"url"`
	Headers  map[string]string `json:"headers"`
	Disabled bool              `json:"disabled"`
	OAuth    registration      `json:"oauth,omitzero"`
}

// registration is what a publisher agreed on with a person beforehand: as what they sign in.
type registration struct {
	ID     string `json:"clientId,omitempty"` // may be the address of a page about the client
	Secret string `json:"clientSecret,omitempty"`
	Port   string `json:"callbackPort,omitempty"` // of the address to which the sign-in page leads back; "" is any
	Grant  string `json:"grantType,omitempty"`    // clientCredentials, or "": the person signs in
}

// clientCredentials is the grant for which the ID and the secret are enough.
const clientCredentials = "client_credentials"

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

// hiding returns a function that takes the secrets of the configuration out of a text of the
// server, which may repeat its own address, its environment or what was sent to it.
func (c config) hiding() func(text string) string {
	var secrets, pairs, addresses []string
	add := func(secret string, least int) {
		if len(secret) >= least {
			quoted := strconv.Quote(secret)
			secrets = append(secrets, secret, url.QueryEscape(secret), quoted[1:len(quoted)-1])
		}
	}
	address := func(value string) {
		addresses = append(addresses, value, excerpt.Address(value))
		u, err := url.Parse(value)
		if err != nil {
			return
		}
		add(u.RawQuery, minSecret)
		for _, values := range u.Query() {
			for _, value := range values {
				add(value, minSecret)
			}
		}
		password, _ := u.User.Password()
		add(password, minSecret)
	}
	if c.URL != "" {
		address(c.URL)
	}
	add(c.OAuth.Secret, minSecret)
	for _, value := range c.Headers {
		for word := range strings.FieldsSeq(value) { // "Bearer …"
			add(word, minSecret)
		}
	}
	for name, value := range c.Env {
		parts := strings.FieldsFunc(value, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'{}[],;", r) })
		if !json.Valid([]byte(value)) {
			parts = append(parts, value)
		}
		for _, word := range parts {
			switch least := minSecret; {
			case strings.Contains(word, "://"):
				address(word)
			case secretName.MatchString(name):
				add(word, least/2)
			case !plain(word):
				add(word, least)
			}
		}
	}
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) }) // one may be the beginning of another
	for _, secret := range secrets {
		pairs = append(pairs, secret, "…")
	}
	whole, parts := strings.NewReplacer(addresses...), strings.NewReplacer(pairs...)
	return func(text string) string { return parts.Replace(whole.Replace(text)) }
}

// minSecret is the length from which a value of an address, a header or the environment is
// hidden, in bytes: a shorter one, as in ?v=1, occurs in any text.
const minSecret = 8

// secretName matches names of variables whose value is secret even if it is a word or a number. A
// word of the name ends so: an AUTHOR and a KEYBOARD are none.
var secretName = regexp.MustCompile(`(?i)(keys?|tokens?|secrets?|pass|passw(or)?d|passphrase|pwd|auth|creds?|credentials?)([^a-z]|$)`)

// plain reports whether a value of the environment is no secret, as it can be guessed or is
// known here: a word, a number or a date, and a file or folder.
func plain(value string) bool {
	letters := strings.ContainsFunc(value, unicode.IsLetter)
	digits := strings.ContainsFunc(value, unicode.IsDigit)
	if letters != digits && len(value) < 4*minSecret {
		return true
	}
	_, err := os.Stat(value)
	return filepath.IsAbs(value) && err == nil
}

func (c config) check() error {
	all, _ := json.Marshal(c) // never fails for strings and maps of them
	switch {
	case strings.EqualFold(c.Type, "sse"):
		return errors.New("type sse is the old transport, which isn't supported; use the server's streamable HTTP address")
	case (c.Command == "") == (c.URL == ""):
		return errors.New("it needs either a command or a url, not both")
	case c.OAuth.Port != "" && !strings.Contains(c.OAuth.Port, "${") && !isPort(c.OAuth.Port):
		return fmt.Errorf("callbackPort %q is no port: write a number from 1 to 65535", c.OAuth.Port)
	case c.OAuth.Grant != "" && c.OAuth.Grant != clientCredentials:
		return fmt.Errorf("grantType %q is unknown: write client_credentials, or leave it out to sign in yourself", c.OAuth.Grant)
	case c.OAuth.Grant == clientCredentials && (c.OAuth.ID == "" || c.OAuth.Secret == ""):
		return errors.New("grantType client_credentials needs a clientId and a clientSecret")
	case bytes.Contains(all, []byte("${input:")):
		return errors.New("it has a ${input:…}, which VS Code asks for; write the value itself, or ${NAME} for a variable of the environment")
	case c.URL != "" && !strings.Contains(c.URL, "${"):
		if u, err := url.Parse(c.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("url %q is not an http or https address", excerpt.Address(c.URL))
		}
	}
	return nil
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
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

// document is a parsed mcp.json, or a part of one.
type document struct {
	text    []byte // with blanks for comments and trailing commas, so that offsets stay
	servers []hujson.ObjectMember
	at      int // where the first object of servers begins behind its brace; -1 if there is none
}

// parse parses an mcp.json, in which people have comments and trailing commas. Its servers
// are the members of each object that is called mcpServers or servers, and of each that
// holds only objects, one of which has a command or an address: other programs keep them
// under names of their own, deep in their settings.
func parse(text []byte) (*document, error) {
	root, err := hujson.Parse(text)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	root.Standardize()
	d := &document{text: root.Pack(), at: -1}
	return d, d.find("", root, 0)
}

// find adds the servers in a value.
func (d *document) find(name string, v hujson.Value, depth int) error {
	o, ok := v.Value.(*hujson.Object)
	hasServers := func(m hujson.ObjectMember) bool { return nameOf(m) == "mcpServers" || nameOf(m) == "servers" }
	named := depth == 1 && (name == "mcpServers" || name == "servers")
	switch {
	case !ok && (depth == 0 || named):
		return fmt.Errorf("%s in line %d must be an object, in braces", cmp.Or(name, "the text"), d.line(v))
	case !ok || depth > 3:
		return nil
	case !named && (depth == 0 && slices.ContainsFunc(o.Members, hasServers) || !areServers(o)):
		for _, m := range o.Members {
			if err := d.find(nameOf(m), m.Value, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	d.servers = append(d.servers, o.Members...)
	if d.at < 0 {
		d.at = v.StartOffset + 1
	}
	return nil
}

// areServers reports whether an object maps names to servers.
func areServers(o *hujson.Object) bool {
	found := false
	for _, m := range o.Members {
		one, ok := m.Value.Value.(*hujson.Object)
		if !ok {
			return false
		}
		found = found || slices.ContainsFunc(one.Members, func(m hujson.ObjectMember) bool {
			name := strings.ToLower(nameOf(m))
			return name == "command" || name == "url" || fields[name] == "url" && strings.HasSuffix(name, "url")
		})
	}
	return found
}

func nameOf(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// line returns the line in which a value begins.
func (d *document) line(v hujson.Value) int {
	return 1 + bytes.Count(d.text[:v.StartOffset], []byte("\n"))
}

// raw returns the JSON of a value.
func (d *document) raw(v hujson.Value) json.RawMessage { return d.text[v.StartOffset:v.EndOffset] }

// fields maps the names that programs give to the fields of a server, in lower case, to ours.
var fields = map[string]string{
	"command": "command", "cmd": "command", "path": "path", "args": "args", "arguments": "args", "env": "env", "environment": "env", "cwd": "cwd",
	"type": "type", "transport": "type", "transporttype": "type", "url": "url", "serverurl": "url", "httpurl": "url", "uri": "url", "endpoint": "url",
	"headers": "headers", "oauth": "oauth", "auth": "oauth", "disabled": "disabled", "enabled": "enabled", "isactive": "enabled",
}

// word is a text, or a number or a truth value in its place.
type word string

// UnmarshalJSON implements json.Unmarshaler.
func (w *word) UnmarshalJSON(data []byte) error {
	switch data[0] {
	case '{', '[':
		return errors.New("no text")
	case '"':
		return json.Unmarshal(data, (*string)(w))
	case 'n':
		return nil
	}
	*w = word(data)
	return nil
}

// config reads a server. Fields with other names belong to other programs.
func (d *document) config(v hujson.Value) (c config, err error) {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return c, fmt.Errorf("it must be an object, in braces, in line %d", d.line(v))
	}
	path := "" // what Zed calls the command inside its command
	for _, m := range o.Members {
		var text word
		var list []word
		var named map[string]word
		var mixed map[string]json.RawMessage
		into, want := any(&text), "text"
		field := fields[strings.ToLower(nameOf(m))]
		inner := m.Value.Value
		switch field {
		case "":
			continue
		case "command":
			if _, ok := inner.(*hujson.Object); ok { // Zed's: path, args and env
				within, err := d.config(m.Value)
				if err != nil {
					return c, err
				}
				c.Command, c.Args, c.Env = within.Command, append(within.Args, c.Args...), within.Env
				continue
			}
			if _, ok := inner.(*hujson.Array); ok {
				into, want = &list, "text, or a list of texts"
			}
		case "args":
			into, want = &list, "a list of texts"
		case "env", "headers":
			into, want = &named, "names and texts, in braces"
		case "oauth":
			if _, ok := inner.(*hujson.Object); !ok { // which of several ways to sign in, for other programs
				continue
			}
			into, want = &mixed, "an object, in braces"
		}
		err := json.Unmarshal(d.raw(m.Value), into)
		on := true
		if field == "disabled" || field == "enabled" {
			if want = "true or false"; err == nil && text != "" {
				on, err = strconv.ParseBool(string(text))
			}
		}
		if err != nil {
			return c, fmt.Errorf("%s in line %d must be %s", nameOf(m), d.line(m.Value), want)
		}
		switch field {
		case "command":
			if c.Command = string(text); len(list) > 0 {
				c.Command, c.Args = string(list[0]), append(texts(list[1:]), c.Args...)
			}
		case "args":
			c.Args = append(c.Args, texts(list)...)
		case "env", "headers":
			all := map[string]string{}
			for name, value := range named {
				all[name] = string(value)
			}
			if field == "env" {
				c.Env = all
			} else {
				c.Headers = all
			}
		case "oauth":
			for name, value := range mixed {
				if json.Unmarshal(value, &text) != nil {
					continue // such as a list of scopes, which the server names itself
				}
				switch strings.ReplaceAll(strings.ToLower(name), "_", "") {
				case "clientid":
					c.OAuth.ID = string(text)
				case "clientsecret":
					c.OAuth.Secret = string(text)
				case "callbackport":
					c.OAuth.Port = string(text)
				case "granttype":
					if c.OAuth.Grant = string(text); text == "authorization_code" {
						c.OAuth.Grant = ""
					}
				}
			}
		case "path":
			path = string(text)
		case "cwd":
			c.Dir = string(text)
		case "type":
			c.Type = string(text)
		case "url":
			c.URL = string(text)
		case "disabled":
			c.Disabled = c.Disabled || on && text != ""
		case "enabled":
			c.Disabled = c.Disabled || !on
		}
	}
	if c.Command == "" && c.URL == "" {
		c.Command = path
	}
	return c, nil
}

func texts(list []word) (out []string) {
	for _, w := range list {
		out = append(out, string(w))
	}
	return out
}

// variable matches a variable of the environment in a server's configuration: ${NAME},
// ${env:NAME}, or ${NAME:-otherwise}.
var variable = regexp.MustCompile(`\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}`)

// expanded returns the configuration with the values of the variables that it names. An
// unknown one stays as it is: it may be a shell's.
func (c config) expanded(environ []string) config {
	expand := func(text string) string {
		return variable.ReplaceAllStringFunc(text, func(found string) string {
			parts := variable.FindStringSubmatch(found)
			for _, v := range slices.Backward(environ) {
				if name, value, _ := strings.Cut(v, "="); name == parts[1] {
					return value
				}
			}
			if strings.Contains(found, ":-") {
				return parts[2]
			}
			return found
		})
	}
	c.Command, c.Dir, c.URL = expand(c.Command), expand(c.Dir), expand(c.URL)
	c.OAuth = registration{expand(c.OAuth.ID), expand(c.OAuth.Secret), expand(c.OAuth.Port), c.OAuth.Grant}
	c.Args, c.Env, c.Headers = slices.Clone(c.Args), maps.Clone(c.Env), maps.Clone(c.Headers)
	for i := range c.Args {
		c.Args[i] = expand(c.Args[i])
	}
	for _, values := range []map[string]string{c.Env, c.Headers} {
		for name := range values {
			values[name] = expand(values[name])
		}
	}
	return c
}

// readFile reads mcp.json; a missing file has no servers. bad has the reasons why servers
// can't be used.
func readFile(path string) (servers map[string]config, bad map[string]error, err error) {
	data, err := wholefile.Read(path, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	var d *document
	if err == nil && len(bytes.TrimSpace(textOf(data))) > 0 {
		d, err = parse(textOf(data))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	servers, bad = map[string]config{}, map[string]error{}
	if d == nil {
		return servers, bad, nil
	}
	seen := map[string]string{}
	slices.SortStableFunc(d.servers, func(a, b hujson.ObjectMember) int { return strings.Compare(nameOf(a), nameOf(b)) })
	for _, m := range d.servers {
		name := nameOf(m)
		c, err := d.config(m.Value)
		if other, twice := seen[folded(name)]; twice && err == nil {
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
