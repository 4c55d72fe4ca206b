package agents

import (
	"context"
	"strings"
	"time"

	"mac-stats/agents/fetch"
	"mac-stats/sessionmem"
)

// fetchTool is FETCH_URL: a page of the public internet as text.
type fetchTool struct {
	t        *turn
	maxBytes int64
	timeout  time.Duration
}

func (t *turn) fetchTool() fetchTool {
	f := fetchTool{t: t, maxBytes: t.settings.MaxFetchBytes, timeout: t.settings.FetchTimeout}
	if f.maxBytes <= 0 {
		f.maxBytes = fetch.DefaultBytes
	}
	if f.timeout <= 0 {
		f.timeout = fetch.DefaultTimeout
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

// Run reads the page, where the turn may send its address to whoever runs it.
func (f fetchTool) Run(ctx context.Context, call ToolCall) (ToolResult, error) {
	address := call.Arg
	if call.native() {
		address = call.arg("url")
	}
	address, _, _ = strings.Cut(strings.TrimSpace(address), " ")
	u, err := fetch.ParseURL(address)
	if err != nil {
		return ToolResult{}, err
	}
	if address, err = f.t.mayFetch(ctx, call, u.String()); err != nil {
		return ToolResult{}, err
	}
	p, err := f.t.engine.fetch.Fetch(ctx, address, f.maxBytes, f.timeout)
	if err != nil {
		return ToolResult{}, err
	}
	f.t.may.PageRead(p.Text)
	return ToolResult{Text: p.Text, Quote: "a web page", About: "Address: " + p.URL, Cut: p.Cut, Sources: sessionmem.FromPage}, nil
}
