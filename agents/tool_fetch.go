package agents

import (
	"context"
	"strings"
	"time"
)

// fetchTool is FETCH_URL: a page of the public internet as text.
type fetchTool struct {
	fetch    *fetcher
	maxBytes int64
	timeout  time.Duration
	taint    func() // from now on the turn holds a stranger's text
}

func (t *turn) fetchTool() fetchTool {
	f := fetchTool{
		fetch: t.engine.fetch, maxBytes: t.settings.MaxFetchBytes, timeout: t.settings.FetchTimeout,
		taint: func() { t.tainted = true },
	}
	if f.maxBytes <= 0 {
		f.maxBytes = defaultFetchBytes
	}
	if f.timeout <= 0 {
		f.timeout = defaultFetchTimeout
	}
	return f
}

func (fetchTool) Name() string { return toolFetchURL }

func (fetchTool) Doc() ToolDoc {
	return ToolDoc{
		Name:        toolFetchURL,
		Usage:       "FETCH_URL: <url>",
		Description: "Reads a web page as text (http or https, public addresses).",
	}
}

func (fetchTool) Params() []ToolParam {
	return []ToolParam{{Name: "url", Description: "the address, https://…", Required: true}}
}

// Run reads the page.
func (t fetchTool) Run(ctx context.Context, call ToolCall) (ToolResult, error) {
	address := call.Arg
	if call.native() {
		address = call.arg("url")
	}
	address, _, _ = strings.Cut(strings.TrimSpace(address), " ")
	p, err := t.fetch.fetch(ctx, address, t.maxBytes, t.timeout)
	if err != nil {
		return ToolResult{}, err
	}
	t.taint()
	return ToolResult{Text: p.Text, Quote: "the web page " + p.URL, Cut: p.Cut}, nil
}
