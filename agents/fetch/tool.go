package fetch

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"mac-stats/agents/tools"
	"mac-stats/sessionmem/transcript"
)

// Tool is FETCH_URL, which reads a page of the public internet as text.
type Tool struct{ Fetcher *Fetcher }

// Doc returns the tool's description for a model.
func (Tool) Doc() tools.Doc {
	return tools.Doc{
		Name:        tools.FetchURL,
		Usage:       "FETCH_URL: <url>",
		Description: "Reads a web page or a PDF as text (http or https, public addresses).",
		Effects:     tools.Effects{Reads: "a public web page", Sends: "the address, to its host"},
		Params:      []tools.Param{{Name: "url", Description: "the address, https://…", Required: true}},
	}
}

// Fits returns an error if a call names no address.
func (f Tool) Fits(call *tools.Call) error {
	_, err := ParseURL(f.address(call))
	return err
}

// address returns the address in a call.
func (Tool) address(call *tools.Call) string {
	return strings.Trim(call.Only("url"), "<>\"'`")
}

// Run reads the page, if the turn may send the address to its server.
func (f Tool) Run(ctx context.Context, call *tools.Call) (tools.Result, error) {
	address, _, _ := strings.Cut(f.address(call), " ")
	u, err := ParseURL(address)
	if err != nil {
		return tools.Result{}, err
	}
	decision, address := call.May.Fetch(u.String(), call.Held)
	if decision != tools.Allowed {
		if u, err = url.Parse(address); err != nil {
			return tools.Result{}, fmt.Errorf("%q is not an address", address)
		}
		err = call.Ask(ctx, tools.Action{Tool: tools.FetchURL, Covers: u.Host, What: address, Where: u.Host, Effects: f.Doc().Effects, Single: true})
		if err != nil {
			return tools.Result{}, err
		}
	}
	p, err := f.Fetcher.Fetch(ctx, address, DefaultBytes, DefaultTimeout)
	if err != nil {
		return tools.Result{}, err
	}
	call.May.PageRead(p.Text + "\n" + p.Share)
	return tools.Result{Text: p.Text, Quote: "a web page", About: strings.TrimSpace("Address: " + p.URL + "\n" + p.Share), Cut: p.Cut, Sources: transcript.FromPage}, nil
}
