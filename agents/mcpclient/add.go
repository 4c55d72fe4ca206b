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
	there, bad, err := readFile(c.p.File)
	if err != nil {
		return nil, fmt.Errorf("%w; correct the file first", err)
	}
	seen := map[string]string{}
	for name := range there {
		seen[folded(name)] = name
	}
	for name := range bad {
		seen[folded(name)] = name
	}
	names = sorted(fresh)
	var lines []string
	for _, name := range names {
		var one config
		err := json.Unmarshal(fresh[name], &one)
		if err = cmp.Or(err, checkName(name), one.check()); err != nil {
			return nil, fmt.Errorf("%s can't be used: %w", name, err)
		}
		if other := seen[folded(name)]; other != "" {
			return nil, fmt.Errorf("mcp.json has a server %s already; call this one something else, or edit the file", other)
		}
		seen[folded(name)] = name
		var body bytes.Buffer
		_ = json.Indent(&body, fresh[name], "    ", "  ") // valid JSON
		key, _ := json.Marshal(name)                      // never fails for a string
		lines = append(lines, "    "+string(key)+": "+body.String())
	}
	whole, err := inserted(textOf(data), strings.Join(lines, ",\n"))
	if err != nil {
		return nil, err
	}
	mode := os.FileMode(0o600) // env and headers may contain secrets
	if info, err := os.Stat(c.p.File); err == nil {
		mode = info.Mode().Perm()
	}
	return names, wholefile.Wrap("save mcp.json", wholefile.Write(c.p.File, whole, mode))
}

// snippet returns the servers in a snippet of an mcp.json: the whole file, the object of
// its servers, or a server with its name but without braces around it.
func snippet(text string) (map[string]json.RawMessage, error) {
	text = strings.TrimSuffix(strings.TrimSpace(text), ",")
	if strings.HasPrefix(text, `"`) {
		text = "{" + text + "}"
	}
	var file map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		line := ""
		if wrong := (*json.SyntaxError)(nil); errors.As(err, &wrong) {
			line = fmt.Sprintf(" in line %d", 1+strings.Count(text[:min(int(wrong.Offset), len(text))], "\n"))
		}
		return nil, fmt.Errorf("it isn't JSON%s (%w); paste all of it, from { to }", line, err)
	}
	servers := file
	for _, key := range []string{"mcpServers", "servers"} { // other programs' names for it
		if inner, ok := file[key]; ok {
			servers = nil
			if err := json.Unmarshal(inner, &servers); err != nil {
				return nil, errNoSnippet
			}
			break
		}
	}
	if len(servers) == 0 {
		return nil, errNoSnippet
	}
	for name, one := range servers {
		if !bytes.HasPrefix(bytes.TrimSpace(one), []byte("{")) {
			if name == "command" || name == "args" || name == "url" {
				return nil, errors.New(`the server has no name; write one before it: {"files": {"command": …}}`)
			}
			return nil, errNoSnippet
		}
	}
	return servers, nil
}

// inserted returns an mcp.json, which is valid JSON, with lines inserted at the beginning
// of its servers.
func inserted(file []byte, lines string) ([]byte, error) {
	if len(bytes.TrimSpace(file)) == 0 {
		file = []byte("{}\n")
	}
	where := json.NewDecoder(bytes.NewReader(file))
	_, err := where.Token() // {
	at, isNew := where.InputOffset(), true
	for err == nil && isNew && where.More() {
		var key json.Token
		if key, err = where.Token(); key == "mcpServers" {
			var open json.Token
			if open, err = where.Token(); open != json.Delim('{') {
				return nil, errors.New("mcpServers in mcp.json is not an object; correct the file first")
			}
			at, isNew = where.InputOffset(), false
		} else if err == nil {
			err = where.Decode(new(json.RawMessage))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read mcp.json: %w", err)
	}
	end := "\n  "
	if isNew {
		lines, end = "  \"mcpServers\": {\n"+lines+"\n  }", "\n"
	}
	rest := file[at:]
	if empty := bytes.TrimLeft(rest, " \t\r\n"); bytes.HasPrefix(empty, []byte("}")) {
		rest = empty
	} else {
		end = ","
	}
	return slices.Concat(file[:at], []byte("\n"+lines+end), rest), nil
}
