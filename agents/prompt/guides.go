package prompt

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"mac-stats/agents/registry"
)

// Guides are the texts that tell a model how to work in this app (assets: prompts/).
type Guides struct {
	Directives  ToolGuide // how to use tools by text directives
	NativeTools ToolGuide // the same for native tool calls
	Limit       string    // sent once when a limit of the turn is reached
	NearMiss    string    // the one corrective round after calls that couldn't run: {{line}}, {{why}}, {{form}}
	Nudge       string    // sent once if a reply only announces its next step
	Compact     string    // the compactor's request
	Title       string    // the request for a conversation's title
	Judge       string    // how passages are graded
	Untrusted   string    // how quoted text of others is framed
	Attached    string    // how the text of the user's files is framed
}

// LoadGuides reads prompts/*.md from the assets. A missing or empty file is an error,
// because the binary was built without its prompts.
func LoadGuides(assets fs.FS) (Guides, error) {
	var g Guides
	var directives, native string
	for name, to := range map[string]*string{
		"directives": &directives, "native-tools": &native, "limit": &g.Limit,
		"near-miss": &g.NearMiss, "nudge": &g.Nudge, "compact": &g.Compact, "title": &g.Title, "judge": &g.Judge, "untrusted": &g.Untrusted, "attached": &g.Attached,
	} {
		file := path.Join("prompts", name+".md")
		data, err := fs.ReadFile(assets, file)
		if err != nil {
			return Guides{}, fmt.Errorf("read the built-in prompt: %w", err)
		}
		if *to = registry.NormalizeText(data); *to == "" {
			return Guides{}, fmt.Errorf("the built-in prompt %s is empty", file)
		}
	}
	g.Directives, g.NativeTools = newToolGuide(directives), newToolGuide(native)
	return g, nil
}

// ToolGuide tells how to use tools.
type ToolGuide struct {
	Rules      string // for everyone who has tools
	Delegation string // for agents that may delegate
	Examples   string // for models of the middle tier
}

// newToolGuide splits a guide, whose sections end it in this order.
func newToolGuide(text string) ToolGuide {
	text, examples, _ := strings.Cut(text, "\n## Examples\n")
	rules, delegation, _ := strings.Cut(text, "\n## Delegation\n")
	return ToolGuide{strings.TrimSpace(rules), strings.TrimSpace(delegation), strings.TrimSpace(examples)}
}

// Quote frames text that neither the user nor this app wrote (a page, a channel, a
// sub-call's answer), so that a model can distinguish it from instructions. source names
// its origin in the app's own words. Equal inputs produce equal frames.
func (g Guides) Quote(source, text string) string { return Quote(g.Untrusted, source, text) }

// QuoteFile frames the text of a file that the user attached.
func (g Guides) QuoteFile(name, text string) string {
	return Quote(g.Attached, "a file that the user attached", "File: "+name+"\n\n"+strings.TrimRight(text, "\n"))
}
