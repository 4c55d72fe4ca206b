package fetch

import (
	"context"
	"strings"

	"mac-stats/agents/tools"
	"mac-stats/sessionmem/transcript"
)

// Host is the turn that a page is read in.
type Host interface {
	// MayFetch gives the address to read for a call, or the error that says why none is.
	MayFetch(ctx context.Context, call tools.Call, address string) (string, error)
	// PageRead notes the addresses that stand on a page.
	PageRead(text string)
}

// Tool is FETCH_URL: a page of the public internet as text.
type Tool struct {
	Fetcher *Fetcher
	Host    Host
}

// Name is FETCH_URL.
func (Tool) Name() string { return tools.FetchURL }

// Doc is what a model is told of it.
func (Tool) Doc() tools.Doc {
	return tools.Doc{
		Name:        tools.FetchURL,
		Usage:       "FETCH_URL: <url>",
		Description: "Reads a web page as text (http or https, public addresses).",
		Effects:     tools.Effects{Reads: "a public web page", Sends: "the address, to its host"},
	}
}

// Params is the address.
func (Tool) Params() []tools.Param {
	return []tools.Param{{Name: "url", Description: "the address, https://…", Required: true}}
}

// Fits reports whether a call names an address.
func (f Tool) Fits(call tools.Call) bool {
	_, err := ParseURL(f.address(call))
	return err == nil
}

// address is the one that a call names.
func (Tool) address(call tools.Call) string {
	return strings.Trim(call.Only("url"), "<>\"'`")
}

// Run reads the page, where the turn may send its address to whoever runs it.
func (f Tool) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	address, _, _ := strings.Cut(f.address(call), " ")
	u, err := ParseURL(address)
	if err != nil {
		return tools.Result{}, err
	}
	if address, err = f.Host.MayFetch(ctx, call, u.String()); err != nil {
		return tools.Result{}, err
	}
	p, err := f.Fetcher.Fetch(ctx, address, DefaultBytes, DefaultTimeout)
	if err != nil {
		return tools.Result{}, err
	}
	f.Host.PageRead(p.Text)
	return tools.Result{Text: p.Text, Quote: "a web page", About: "Address: " + p.URL, Cut: p.Cut, Sources: transcript.FromPage}, nil
}
