package agents

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// searchTool is MEMORY_SEARCH: what was said before, quoted and with where it is from.
type searchTool struct{ t *turn }

func (searchTool) Name() string { return tools.MemorySearch }

func (s searchTool) Doc() tools.Doc {
	where := "earlier conversations and the memory"
	if s.t.recallScope().Session != "" {
		where = "the earlier parts of this conversation"
	}
	return tools.Doc{
		Name: tools.MemorySearch, Usage: "MEMORY_SEARCH: <query>",
		Description: "Finds what was said in " + where + ": names, dates, decisions.",
		Effects:     tools.Effects{Reads: "your earlier conversations and your memory"},
	}
}

func (searchTool) Params() []tools.Param {
	return []tools.Param{{Name: "query", Description: "what to look for, in a few words", Required: true}}
}

// Run searches. What is found is quoted with who said it and when, the newest last: it is
// no message of the user, whoever said it.
func (s searchTool) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	query := strings.TrimSpace(call.Arg)
	if call.Native() {
		query = call.Value("query")
	}
	if query == "" {
		return tools.Result{}, errors.New("there is no query: write what to look for after the colon")
	}
	ctx, stop := context.WithTimeout(background.ForTurn(ctx), searchTime)
	defer stop()
	answer, err := s.t.search(ctx, recall.Query{Text: query, Scope: s.t.searchScope(ctx), Rerank: true})
	if err != nil {
		return tools.Result{}, fmt.Errorf("searching: %w", err)
	}
	var list []transcript.Quotation
	for _, h := range answer.Hits {
		list = append(list, quotationOf(h))
	}
	var parts []string
	for _, q := range newestLast(list) {
		parts = append(parts, q.Line())
	}
	s.t.use(list)
	if len(list) == 0 {
		return tools.Result{Text: "Nothing was found. The index is " + answer.State.String() + "."}, nil
	}
	parts = append(parts, "The index is "+answer.State.String()+".")
	return tools.Result{Text: strings.Join(parts, "\n"), Quote: recalledFrom, Recalled: list}, nil
}

// searchScope is what the session may see, but for the message that is being
// answered and what was reset or taken back.
func (t *turn) searchScope(ctx context.Context) recall.Scope {
	scope, allowed := t.recallScope(), t.quotable(ctx)
	scope.Allow = func(c corpus.Chunk) bool {
		return allowed(c) && (c.Session != t.req.Session || c.Block != t.user.ID)
	}
	return scope
}

// quotationOf is a hit as the model is given it.
func quotationOf(h recall.Hit) transcript.Quotation {
	text, _ := prompt.CutResult(h.Text, searchChars/4)
	return transcript.Quotation{
		Chunk: h.ID, Time: h.Time, Who: string(h.Kind), Text: text, Sources: sourcesOf(h),
	}
}

// use notes which passages the answer is made with.
func (t *turn) use(list []transcript.Quotation) {
	for _, q := range list {
		if !slices.ContainsFunc(t.used, func(u transcript.Quotation) bool { return u.Chunk == q.Chunk }) {
			t.used = append(t.used, q)
		}
		t.may.Hold(q.Sources)
	}
}
