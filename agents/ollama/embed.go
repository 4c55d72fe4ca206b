package ollama

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/ollama/ollama/api"
)

// maxEmbedAnswer limits the only line of a response: 1,000 vectors of 4,096 numbers are
// about 50 MB.
const maxEmbedAnswer = 64 << 20

type embedLine struct {
	Embeddings list[vector] `json:"embeddings"`
	Failure    errorText    `json:"error"`
}

func (l embedLine) failure() string { return string(l.Failure) }
func (l embedLine) blank() bool     { return false }
func (l embedLine) last() bool      { return true }

// Embed returns a vector per text, with truncate:false: a text longer than the model's
// context is ErrContextOverflow. It waits for a permit, and releases it unfinished
// (ErrAside) as soon as a chat needs it; call Embed again then. The idle timeout is paused
// while the model loads.
func (c *Client) Embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	ctx, leave := c.aside.enter(ctx)
	defer leave()
	if err := c.permits.acquire(ctx); err != nil {
		return nil, c.target("embed", model).ended(ctx)
	}
	defer c.permits.release()
	return c.embed(ctx, model, texts)
}

// EmbedNow is Embed for a caller who waits. If no permit is free, it returns ErrBusy. If
// only one call at a time is allowed, it doesn't load a model beside another one and
// returns ErrNotLoaded; a model that made vectors here a moment ago counts as loaded.
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

// Digest returns the digest of the loaded model of this name, or else of the one that the
// server lists; ErrModelMissing if it lists none. The server reports loaded models without
// reading the disk.
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
	if len(loaded) == 1 && loaded[0] != "" { // two would be an old model and its successor
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
	call := streamCall{target: t, path: "/api/embed", body: body, most: maxEmbedAnswer, watch: true, idle: c.idle}
	_, err = stream(ctx, c, call, func(Phase) {}, func(l embedLine) {
		for _, v := range l.Embeddings {
			vectors = append(vectors, v)
		}
	})
	if err != nil {
		return nil, err
	}
	c.embedded.note(model)
	if len(vectors) != len(texts) {
		return nil, t.fail(ErrServer, fmt.Sprintf("%d vectors came for %d texts", len(vectors), len(texts)), nil)
	}
	return vectors, nil
}

// embedded records when models last made vectors, since the server keeps them loaded for
// the requested time.
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

// lately reports whether a model made vectors within half the time that it stays loaded.
func (e *embedded) lately(model string, kept time.Duration) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	at, ok := e.at[canonical(model)]
	return ok && time.Since(at) < kept/2
}
