package toolpage

import (
	"os"
	"path/filepath"
	"testing"

	"mac-stats/agents/mcpclient"
	"mac-stats/agents/tools"
	"mac-stats/app/i18n"
)

// Every text that the page shows about servers and files is known here, so that it can be
// translated.
func TestEveryErrorIsKnown(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "mcp.json")
	c := mcpclient.New(mcpclient.Params{File: file, State: filepath.Join(dir, "state"), Logs: dir})
	defer func() { _ = c.Close() }()
	var errs []error
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{"", "{", `{"a": {}}`, `{"command": "x"}`, `"a b": {"command": "x"}`, `"tools": {"command": "x"}`, `"a": {"type": "sse"}`, `"a": {"type": "x"}`, `"a": {"url": "ftp://x"}`, `{"mcpServers": {}}`} {
		_, err := c.Add(text)
		errs = append(errs, err)
	}
	write("mcp.json", `{"mcpServers": {"gone": {"command": "no-such-program"}, "off": {"command": "x", "disabled": true}, "go-ne": {"command": "x"}, "G0NE": {"command": "x"}}}`)
	_, err := c.Add(`"gone": {"command": "x"}`)
	errs = append(errs, err, c.Test(t.Context(), "gone"), c.Test(t.Context(), "off"), c.Test(t.Context(), "none"), c.SignIn(t.Context(), "gone"), mcpclient.ErrEnded)
	list, err := c.Servers()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if s.Err != nil {
			errs = append(errs, s.Err)
		}
	}
	write("mcp.json", "{")
	_, err = c.Servers()
	_, added := c.Add(`"a": {"command": "x"}`)
	write("permissions.toml", "[[permission]]\nagent = \"coder\"\n")
	kept := tools.OpenAnswers(filepath.Join(dir, "permissions.toml"))
	_, unread := kept.List()
	errs = append(errs, err, added, unread, kept.Revoke("x"), tools.ErrNoPermission)
	for _, err := range errs {
		if err == nil {
			t.Error("an error is missing")
			continue
		}
		text := err.Error()
		if got := i18n.Translated(text, errorTexts()); got != text {
			t.Errorf("in English %q is said as %q", text, got)
		}
		for text != "" {
			known, places := i18n.Match(text, errorTexts())
			if known == "" && text != "line 1, column 2: parsing value: unexpected EOF" {
				t.Errorf("%q of %q isn't known", text, err)
			}
			why, _ := places["Why"].(string)
			if text = why; len(known) > 9 && known[:10] == "it isn't J" { // the JSON library's words
				text = ""
			}
		}
	}
}
