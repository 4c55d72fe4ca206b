package ollama

import (
	"context"
	"math"
	"time"
)

const (
	minRatio    = 0.25 // counted tokens per estimated token
	maxRatio    = 5.0
	newShare    = 0.3 // weight of a new observation in the ratio; the first counts fully
	minObserved = 50  // estimated tokens, minimum for an observation
	cutFrom     = 500 // estimated tokens, minimum for noticing a truncation
	cutBelow    = 0.6 // counted ÷ estimated below which the prompt was truncated
	cutBeyond   = 0.8 // the same for a calibrated estimate beyond num_ctx
	psEvery     = 10 * time.Second
	psPatience  = 500 * time.Millisecond
	cacheMargin = 150 // tokens
	ratioSteps  = 8   // steps per 1 of the ratio used for estimates
)

// learned holds what the client has learned about a model from responses.
type learned struct {
	ratio  float64   // 0: nothing learned
	steady float64   // ratio in steps, rounded up; used for estimates
	last   int       // estimated tokens of the last prompt
	loaded int       // context the server loaded, if less than requested
	own    int       // context that a conversation last requested for itself
	looked time.Time // last check of /api/ps
}

func (c *Catalog) of(model string) *learned {
	key := canonical(model)
	if c.learned[key] == nil {
		c.learned[key] = &learned{}
	}
	return c.learned[key]
}

// NumCtx returns the context size that all agents use for the model, in tokens: the
// configured size, else the model's maximum, but at most 16,384; less if the server was
// seen to load less. It doesn't grow again, so that the model isn't reloaded back and
// forth. The error is ErrModelMissing if the model isn't installed.
func (c *Catalog) NumCtx(ctx context.Context, model string) (int, error) {
	models, err := c.list(ctx, time.Hour)
	if err != nil {
		return 0, err
	}
	info, ok := findInfo(models, model)
	if !ok {
		if info, err = c.Resolve(ctx, model, RoleGeneral); err != nil {
			return 0, err
		}
	}
	n := c.wanted(info)
	c.mu.Lock()
	defer c.mu.Unlock()
	if loaded := c.of(model).loaded; loaded > 0 {
		n = min(n, loaded)
	}
	return n, nil
}

func (c *Catalog) wanted(info ModelInfo) int {
	switch {
	case c.numCtx > 0 && info.MaxContext > 0:
		return min(c.numCtx, info.MaxContext)
	case c.numCtx > 0:
		return c.numCtx
	case info.MaxContext > 0:
		return min(info.MaxContext, maxAutoNumCtx)
	}
	return minNumCtx
}

// Estimate corrects a raw token estimate by the model's earlier counts. It changes in
// steps and decreases only by a whole one, because prompts are cut by it: if the cut
// moved with each turn, the server would have to reread the prompt each time.
func (c *Catalog) Estimate(model string, raw int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.of(model)
	if l.steady == 0 {
		return raw
	}
	return int(math.Ceil(float64(raw) * l.steady))
}

func (l *learned) estimate(raw int) int {
	if l.ratio == 0 {
		return raw
	}
	return int(math.Ceil(float64(raw) * l.ratio))
}

// Observe learns from a response. The context that the server really loaded (/api/ps)
// lowers NumCtx; estimated (raw, before Estimate) and counted prompt tokens calibrate
// Estimate. It reports whether the server must have silently truncated the prompt, as
// servers before truncate:false do: it counted far fewer tokens than estimated, or as many
// as the context holds. Servers since 0.4 count the whole prompt, including the part from
// the prefix cache. An older server may count only the new tokens, which isn't mistaken
// for a truncation. A count of 0 means nothing.
//
// asked is the requested context; 0 is NumCtx. A conversation may request another size,
// which says nothing about what the server gives to the others.
func (c *Catalog) Observe(ctx context.Context, model string, asked, estimated, counted int) (cut bool) {
	numCtx, _ := c.NumCtx(ctx, model) // 0 if unknown
	own := asked > 0 && asked != numCtx
	if !own {
		c.checkLoaded(ctx, model)
		numCtx, _ = c.NumCtx(ctx, model)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if own {
		c.of(model).own, numCtx = asked, asked
	}
	return c.of(model).observe(estimated, counted, numCtx)
}

func (l *learned) observe(raw, counted, numCtx int) (cut bool) {
	if raw <= 0 || counted <= 0 {
		return false
	}
	estimate, before := l.estimate(raw), l.last
	l.last = raw
	if numCtx > 0 && counted >= numCtx {
		return true // it filled the context; a server with truncate:false would have refused it
	}
	if estimate > cutFrom && float64(counted) < l.least(estimate, numCtx) {
		grown := l.estimate(raw - before)
		cached := before > 0 && estimate < numCtx && near(counted, grown)
		return !cached
	}
	if raw >= minObserved {
		l.calibrate(float64(counted) / float64(raw))
	}
	return false
}

// least returns the count below which a prompt was truncated.
func (l *learned) least(estimate, numCtx int) float64 {
	if l.ratio > 0 && numCtx > 0 && estimate > numCtx {
		return cutBeyond * float64(estimate)
	}
	return cutBelow * float64(estimate)
}

// near reports whether a count is that of a server which counts only the tokens added
// since the previous prompt, as very old ones with a cache do.
func near(counted, grown int) bool {
	return counted > grown/2-cacheMargin && counted < grown*8/5+cacheMargin
}

func (l *learned) calibrate(ratio float64) {
	ratio = min(max(ratio, minRatio), maxRatio)
	if l.ratio == 0 {
		l.ratio = ratio
	} else {
		l.ratio += newShare * (ratio - l.ratio)
	}
	const step = 1.0 / ratioSteps
	if up := math.Ceil(l.ratio/step) * step; up > l.steady || l.ratio < l.steady-2*step {
		l.steady = up
	}
}

// checkLoaded checks from time to time which context the server gave the model.
func (c *Catalog) checkLoaded(ctx context.Context, model string) {
	c.mu.Lock()
	l := c.of(model)
	fresh := !l.looked.IsZero() && time.Since(l.looked) < psEvery
	if !fresh {
		l.looked = time.Now()
	}
	c.mu.Unlock()
	if fresh {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, psPatience)
	defer cancel()
	running, err := c.c.Running(ctx)
	if err != nil {
		c.c.log.Debug("the loaded models can't be listed", "err", err)
		return
	}
	given, loaded := findRunning(running, model)
	if !loaded || given <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if given != l.own && (l.loaded == 0 || given < l.loaded) {
		l.loaded = given
	}
}
