package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/session"
)

const (
	mostHits     = 100
	mostQuery    = 4 << 10 // bytes
	defaultPage  = 100
	mostPage     = 500
	maxSessionID = 200 // bytes
)

// memoryChunk is one chunk of a session's memory.
type memoryChunk struct {
	Chunk     string `json:"chunk"`
	Path      string `json:"path"` // relative to the data folder
	Block     string `json:"block"`
	Part      int    `json:"part"`
	Turn      int    `json:"turn"`
	Kind      string `json:"kind"`
	Agent     string `json:"agent"`
	Time      string `json:"time"`
	Untrusted bool   `json:"untrusted"`
	Text      string `json:"text"`
}

// memoryPage is a part of a session's chunks, in order.
type memoryPage struct {
	Session string        `json:"session"`
	State   string        `json:"state"`
	Total   int           `json:"total"`
	Chunks  []memoryChunk `json:"chunks"`
	Next    string        `json:"next"` // the value for after=; "" at the end
}

// session returns the session named in the path. A private one counts as missing.
func (a *API) session(ctx context.Context, r *http.Request) (string, error) {
	name := r.PathValue("id")
	if name == "" || len(name) > maxSessionID || a.backend.Store.IsPrivate(name) {
		return "", session.ErrNotFound
	}
	there, err := a.backend.Store.Exists(ctx, name)
	if err != nil {
		return "", err
	}
	if !there {
		return "", session.ErrNotFound
	}
	return name, nil
}

// listMemory is GET /v1/chat/sessions/{id}/memory.
func (a *API) listMemory(ctx context.Context, r *http.Request) (any, error) {
	q, err := onlyParams(r, "limit", "after")
	if err != nil {
		return nil, err
	}
	limit, err := number(q.Get("limit"), "limit", defaultPage, mostPage)
	if err != nil {
		return nil, err
	}
	session, err := a.session(ctx, r)
	if err != nil {
		return nil, err
	}
	index, err := a.backend.Index.Recall()
	if err != nil {
		return nil, err
	}
	chunks, err := index.Chunks(ctx, session)
	if err != nil {
		return nil, err
	}
	status, err := index.Status(ctx)
	if err != nil {
		return nil, err
	}
	page := memoryPage{Session: session, State: status.String(), Total: len(chunks), Chunks: []memoryChunk{}}
	start := 0
	if after := q.Get("after"); after != "" {
		if start = 1 + slices.IndexFunc(chunks, func(c corpus.Chunk) bool { return c.ID == after }); start == 0 {
			return nil, badRequest("after names no chunk of this session.", "Begin again without it.")
		}
	}
	for _, c := range chunks[start:min(start+limit, len(chunks))] {
		page.Chunks = append(page.Chunks, memoryChunk{
			Chunk: c.ID, Path: c.Path, Block: c.Block, Part: c.Part, Turn: c.Turn, Kind: string(c.Kind), Agent: c.Agent,
			Time: c.Time.Format(time.RFC3339), Untrusted: c.Untrusted, Text: c.Text,
		})
	}
	if start+limit < len(chunks) {
		page.Next = chunks[start+limit-1].ID
	}
	return page, nil
}

// search is GET /v1/memory/search.
func (a *API) search(ctx context.Context, r *http.Request) (any, error) {
	q, err := onlyParams(r, "q", "limit", "session", "include_cold", "strategy")
	if err != nil {
		return nil, err
	}
	query := recall.Query{Text: strings.TrimSpace(q.Get("q")), Strategy: recall.Strategy(q.Get("strategy"))}
	switch {
	case query.Text == "":
		return nil, badRequest("The query is empty.", "Send it as q=.")
	case len(query.Text) > mostQuery:
		return nil, badRequest(fmt.Sprintf("The query is longer than %d bytes.", mostQuery), "Ask for less at once.")
	case !utf8.ValidString(query.Text):
		return nil, badRequest("The query is not UTF-8.", "Encode it as UTF-8, then percent-encode it.")
	case !slices.Contains([]recall.Strategy{"", recall.Lexical, recall.Semantic, recall.Hybrid}, query.Strategy):
		return nil, badRequest("There is no such strategy.", "Use lexical, semantic or hybrid.")
	}
	if query.Limit, err = number(q.Get("limit"), "limit", 0, mostHits); err != nil {
		return nil, err
	}
	if query.Cold, err = flag(q, "include_cold"); err != nil {
		return nil, err
	}
	if name := q.Get("session"); name != "" {
		r.SetPathValue("id", name)
		if query.Scope.Session, err = a.session(ctx, r); err != nil {
			return nil, err
		}
	}
	found, _, err := a.backend.Index.Find(ctx, query)
	if err != nil {
		return nil, err
	}
	return found, nil
}

// summary is the answer to POST …/memory/summarize.
type summary struct {
	Session  string `json:"session"`
	Summary  string `json:"summary"`  // the Summary's block ID; "" if there was nothing to do
	Messages int    `json:"messages"` // number it covers
	Recent   int    `json:"recent"`   // number that stay in full
	By       string `json:"by"`       // the model
	Lessons  int    `json:"lessons"`  // remembered
	Proposed int    `json:"proposed"` // waiting in the inbox
	Text     string `json:"text"`     // the same in words
}

// summarize is POST /v1/chat/sessions/{id}/memory/summarize.
func (a *API) summarize(ctx context.Context, r *http.Request) (any, error) {
	if _, err := onlyParams(r); err != nil {
		return nil, err
	}
	session, err := a.session(ctx, r)
	if err != nil {
		return nil, err
	}
	done, err := a.backend.Compaction.Summarize(ctx, session, nil)
	if err != nil {
		return nil, err
	}
	out := summary{Session: session, Recent: done.Recent, Text: "nothing to summarise"}
	if done.Summary.ID != "" {
		out.Summary, out.Messages, out.By, out.Text = done.Summary.ID, done.Messages, done.Summary.By, done.Words()
		out.Lessons, out.Proposed = done.Lessons.Remembered(), len(done.Lessons.Proposed)
		a.backend.SessionsChanged(session)
	}
	return out, nil
}
