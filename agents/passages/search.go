package passages

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mac-stats/agents/background"
	"mac-stats/agents/prompt"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/transcript"
)

const (
	searchTime  = 5 * time.Second
	searchChars = 800 // of a passage
)

// searchTool is MEMORY_SEARCH. It quotes earlier messages with their origin.
type searchTool struct{ p *Passages }

// Tool returns MEMORY_SEARCH.
func (p *Passages) Tool() tools.Tool { return searchTool{p} }

func (s searchTool) Doc() tools.Doc {
	where := "earlier conversations and the memory"
	if s.p.scope().Session != "" {
		where = "the earlier parts of this conversation"
	}
	return tools.Doc{
		Name: tools.MemorySearch, Usage: "MEMORY_SEARCH: <query>",
		Description: "Finds what was said in " + where + ": names, dates, decisions.",
		Effects:     tools.Effects{Reads: "your earlier conversations and your memory"},
		Params:      []tools.Param{{Name: "query", Description: "what to look for, in a few words", Required: true}},
	}
}

// Run searches. It quotes the results with their author and time, the newest last, so that
// they never pass for a message of the user.
func (s searchTool) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	query := call.Only("query")
	if query == "" {
		return tools.Result{}, errors.New("there is no query: write what to look for after the colon")
	}
	ctx, stop := context.WithTimeout(background.ForTurn(ctx), searchTime)
	defer stop()
	scope, allowed := s.p.scope(), s.p.quotable(ctx)
	scope.Allow = func(c corpus.Chunk) bool { // everything except the message being answered
		return allowed(c) && (c.Session != s.p.c.Session || c.Block != s.p.c.Asked())
	}
	answer, err := s.p.search(ctx, recall.Query{Text: query, Scope: scope, Rerank: true})
	if err != nil {
		return tools.Result{}, fmt.Errorf("searching: %w", err)
	}
	list := Quotations(answer.Hits, func(recall.Hit) bool { return true })
	var parts []string
	for _, q := range list {
		parts = append(parts, q.Line())
	}
	s.p.Use(list)
	if len(list) == 0 {
		return tools.Result{Text: "Nothing was found. The index is " + answer.State.String() + "."}, nil
	}
	parts = append(parts, "The index is "+answer.State.String()+".")
	return tools.Result{Text: strings.Join(parts, "\n"), Quote: quoteName, Recalled: list}, nil
}

// quotationOf returns a hit in the form that the model sees.
func quotationOf(h recall.Hit) transcript.Quotation {
	text, _ := prompt.CutResult(h.Text, searchChars/4)
	return transcript.Quotation{
		Chunk: h.ID, Time: h.Time, Who: string(h.Kind), Text: text, Sources: sourcesOf(h),
	}
}
