package agents

import (
	"context"
	"strings"
	"time"

	"mac-stats/agents/fetch"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/transcript"
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

func (fetchTool) Name() string { return tools.FetchURL }

func (fetchTool) Doc() tools.Doc {
	return tools.Doc{
		Name:        tools.FetchURL,
		Usage:       "FETCH_URL: <url>",
		Description: "Reads a web page as text (http or https, public addresses).",
		Effects:     tools.Effects{Reads: "a public web page", Sends: "the address, to its host"},
	}
}

func (fetchTool) Params() []tools.Param {
	return []tools.Param{{Name: "url", Description: "the address, https://…", Required: true}}
}

func (f fetchTool) fits(call tools.Call) bool {
	_, err := fetch.ParseURL(f.address(call))
	return err == nil
}

// address is the one that a call names.
func (fetchTool) address(call tools.Call) string {
	address := call.Arg
	if call.Native() {
		address = call.Value("url")
	}
	return strings.Trim(strings.TrimSpace(address), "<>\"'`")
}

// Run reads the page, where the turn may send its address to whoever runs it.
func (f fetchTool) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	address, _, _ := strings.Cut(f.address(call), " ")
	u, err := fetch.ParseURL(address)
	if err != nil {
		return tools.Result{}, err
	}
	if address, err = f.t.mayFetch(ctx, call, u.String()); err != nil {
		return tools.Result{}, err
	}
	p, err := f.t.engine.fetch.Fetch(ctx, address, f.maxBytes, f.timeout)
	if err != nil {
		return tools.Result{}, err
	}
	f.t.may.PageRead(p.Text)
	return tools.Result{Text: p.Text, Quote: "a web page", About: "Address: " + p.URL, Cut: p.Cut, Sources: transcript.FromPage}, nil
}
