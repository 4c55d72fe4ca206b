package ollama

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/ollama/ollama/api"
)

// maxEmbedAnswer bounds the one line of an answer: 1,000 vectors of 4,096 numbers
// are some 50 MB.
const maxEmbedAnswer = 64 << 20

type embedLine struct {
	Embeddings [][]float32 `json:"embeddings"`
	Failure    errorText   `json:"error"`
}

func (l embedLine) failure() string { return string(l.Failure) }
func (l embedLine) last() bool      { return true }

// Embed gives a vector per text, with truncate:false: a text longer than the
// model's context is ErrContextOverflow. It waits for a permit, and gives it back
// unfinished (ErrAside) as soon as a chat wants it: call again then. The idle
// time-out does not run while the model loads.
func (c *Client) Embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	ctx, leave := c.aside.enter(ctx)
	defer leave()
	if err := c.permits.acquire(ctx); err != nil {
		return nil, c.target("embed", model).ended(ctx)
	}
	defer c.permits.release()
	return c.embed(ctx, model, texts)
}

// EmbedNow is Embed for somebody who waits: it takes a permit that is free, else
// it is ErrBusy. Where one call at a time is allowed it loads no model beside the
// one that may be there: ErrNotLoaded. What made vectors here a moment ago is loaded.
func (c *Client) EmbedNow(ctx context.Context, model string, texts []string) ([][]float32, error) {
	t := c.target("embed", model)
	if !c.permits.tryAcquire() {
		return nil, t.fail(ErrBusy, "a chat is under way", nil)
	}
	defer c.permits.release()
	if cap(c.permits) == 1 && !c.embedded.lately(model, c.keep) {
		running, err := c.Running(ctx)
		if err != nil {
			return nil, err
		}
		if _, loaded := findRunning(running, model); !loaded {
			return nil, t.fail(ErrNotLoaded, "", nil)
		}
	}
	return c.embed(ctx, model, texts)
}

// Digest is that of the model of this name that is loaded, or else as the server lists
// it now; ErrModelMissing where it lists none. What is loaded is told without a look at
// the disk.
func (c *Client) Digest(ctx context.Context, model string) (string, error) {
	running, err := c.Running(ctx)
	if err != nil {
		return "", err
	}
	var loaded []string
	for _, m := range running {
		if canonical(m.Name) == canonical(model) || canonical(m.Model) == canonical(model) {
			loaded = append(loaded, m.Digest)
		}
	}
	if len(loaded) == 1 && loaded[0] != "" { // two are an old one and its successor
		return loaded[0], nil
	}
	list, err := c.Models(ctx)
	if err != nil {
		return "", err
	}
	entry, ok := findListed(list, model)
	if !ok {
		return "", c.target("tags", model).fail(ErrModelMissing, "", nil)
	}
	return entry.Digest, nil
}

func (c *Client) embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	t := c.target("embed", model)
	no := false
	body, err := json.Marshal(api.EmbedRequest{
		Model: model, Input: texts, Truncate: &no, KeepAlive: &api.Duration{Duration: c.keep},
	})
	if err != nil {
		return nil, t.fail(ErrServer, "the request can't be written as JSON", err)
	}
	var vectors [][]float32
	call := streamCall{target: t, path: "/api/embed", body: body, maxLine: maxEmbedAnswer, watch: true, idle: c.idle}
	_, err = stream(ctx, c, call, func(Phase) {}, func(l embedLine) { vectors = l.Embeddings })
	if err != nil {
		return nil, err
	}
	c.embedded.note(model)
	if len(vectors) != len(texts) {
		return nil, t.fail(ErrServer, fmt.Sprintf("%d vectors came for %d texts", len(vectors), len(texts)), nil)
	}
	return vectors, nil
}

// embedded is when models made vectors last: the server keeps them loaded for as long as it
// was asked to.
type embedded struct {
	mu sync.Mutex
	at map[string]time.Time
}

func (e *embedded) note(model string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.at == nil {
		e.at = map[string]time.Time{}
	}
	e.at[canonical(model)] = time.Now()
}

// lately reports whether a model made vectors within half the time that it is kept.
func (e *embedded) lately(model string, kept time.Duration) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	at, ok := e.at[canonical(model)]
	return ok && time.Since(at) < kept/2
}
