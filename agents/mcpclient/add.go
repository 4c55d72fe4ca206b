package mcpclient

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"mac-stats/sessionmem/wholefile"
)

// errNoSnippet reports that the pasted text isn't part of an mcp.json.
var errNoSnippet = errors.New(`it contains no server; paste all of it, such as {"mcpServers": {"files": {"command": "npx", "args": ["…"]}}}`)

// Add adds the servers in a snippet of an mcp.json, as their makers publish it, to the file
// and returns their names. The rest of the file stays unchanged, byte for byte. If
// anything is unusable, Add adds nothing.
func (c *Client) Add(text string) (names []string, err error) {
	fresh, err := snippet(text)
	if err != nil {
		return nil, err
	}
	data, err := wholefile.Read(c.p.File, 1<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, wholefile.Explain("read mcp.json", err)
	}
	file := textOf(data)
	if len(bytes.TrimSpace(file)) == 0 {
		file = []byte("{}\n")
	}
	whole, err := parse(file)
	if err != nil {
		return nil, fmt.Errorf("read mcp.json: %w; correct the file first", err)
	}
	seen := map[string]string{}
	for _, m := range whole.servers {
		seen[folded(nameOf(m))] = nameOf(m)
	}
	slices.SortFunc(fresh.servers, func(a, b hujson.ObjectMember) int { return strings.Compare(nameOf(a), nameOf(b)) })
	var lines []string
	for _, m := range fresh.servers {
		name := nameOf(m)
		one, err := fresh.config(m.Value)
		if err = cmp.Or(err, checkName(name), one.check()); err != nil {
			return nil, fmt.Errorf("%s can't be used: %w", name, err)
		}
		if other := seen[folded(name)]; other != "" {
			return nil, fmt.Errorf("mcp.json has a server %s already; call this one something else, or edit the file", other)
		}
		seen[folded(name)] = name
		names = append(names, name)
		var body bytes.Buffer
		_ = json.Indent(&body, fresh.raw(m.Value), "    ", "  ") // valid JSON
		key, _ := json.Marshal(name)                             // never fails for a string
		lines = append(lines, "    "+string(key)+": "+body.String())
	}
	file = whole.inserted(file, strings.Join(lines, ",\n"))
	mode := os.FileMode(0o600) // env and headers may contain secrets
	if info, err := os.Stat(c.p.File); err == nil {
		mode = info.Mode().Perm()
	}
	return names, wholefile.Wrap("save mcp.json", wholefile.Write(c.p.File, file, mode))
}

// snippet returns the servers in a snippet of an mcp.json: the whole file, the object of
// its servers, or a server with its name but without braces around it.
func snippet(text string) (*document, error) {
	text = strings.TrimSuffix(strings.TrimSpace(text), ",")
	if strings.HasPrefix(text, `"`) {
		text = "{" + text + "}"
	}
	d, err := parse([]byte(text))
	switch {
	case err != nil:
		return nil, fmt.Errorf("it isn't JSON (%w); paste all of it, from { to }", err)
	case len(d.servers) > 0:
		return d, nil
	}
	root, _ := hujson.Parse([]byte(text)) // as parse has done
	if o := root.Value.(*hujson.Object); areServers(&hujson.Object{Members: []hujson.ObjectMember{{Name: hujson.Value{Value: hujson.String("it")}, Value: root}}}) {
		return nil, errors.New(`the server has no name; write one before it: {"files": {"command": …}}`)
	} else if len(o.Members) == 1 { // a server with neither a command nor an address
		d.servers = o.Members
		if _, ok := o.Members[0].Value.Value.(*hujson.Object); ok && nameOf(o.Members[0]) != "mcpServers" {
			return d, nil
		}
	}
	return nil, errNoSnippet
}

// inserted returns the file with lines inserted at the beginning of its servers.
func (d *document) inserted(file []byte, lines string) []byte {
	at, end := d.at, "\n  "
	if at < 0 {
		at, end = 1+bytes.IndexByte(d.text, '{'), "\n"
		lines = "  \"mcpServers\": {\n" + lines + "\n  }"
	}
	rest := file[at:]
	if empty := bytes.TrimLeft(d.text[at:], " \t\r\n"); !bytes.HasPrefix(empty, []byte("}")) {
		end = ","
	} else if !bytes.Contains(rest[:len(rest)-len(empty)], []byte("/")) {
		rest = rest[len(rest)-len(empty):]
	}
	return slices.Concat(file[:at], []byte("\n"+lines+end), rest)
}
