package ollama

import (
	"context"
	"math"
	"time"
)

const (
	minRatio    = 0.25 // counted tokens for each estimated one
	maxRatio    = 5.0
	newShare    = 0.3 // of a new observation in the ratio; the first counts whole
	enoughToGo  = 50  // estimated tokens, below which nothing is learnt
	cutFrom     = 500 // estimated tokens, from which a cut is noticed
	cutBelow    = 0.6 // counted ÷ estimated, below which the prompt was cut
	cutBeyond   = 0.8 // the same for a calibrated estimate beyond num_ctx
	psEvery     = 10 * time.Second
	psPatience  = 500 * time.Millisecond
	cacheMargin = 150 // tokens
	ratioSteps  = 8   // of the ratio that estimates are made with, to 1
)

// learned is what answers taught about a model.
type learned struct {
	ratio  float64   // 0: nothing learnt
	steady float64   // ratio in steps, rounded up: what estimates are made with
	last   int       // estimated tokens of the last prompt
	loaded int       // context the server gave, where less than asked for
	own    int       // context that a conversation of its own asked for last
	looked time.Time // at /api/ps
}

func (c *Catalog) of(model string) *learned {
	key := canonical(model)
	if c.learned[key] == nil {
		c.learned[key] = &learned{}
	}
	return c.learned[key]
}

// NumCtx is the one context size used for the model by all agents, in tokens: the
// configured one, else the model's maximum, at most 16,384; less where the server
// was seen to load less. It doesn't grow again, so the model isn't reloaded back
// and forth. ErrModelMissing where the model is not installed.
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

// Estimate corrects a raw token estimate by what the model counted before. It moves
// in steps, and goes down only by a whole one: prompts are cut by it, and one that
// is cut elsewhere in each turn would have to be read anew in each.
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

// Observe learns from an answer: what the server really loaded (/api/ps) lowers
// NumCtx; estimated (raw, before Estimate) and counted prompt tokens calibrate
// Estimate. It reports whether the server must have cut the prompt in silence, as
// servers before truncate:false do: far fewer tokens were counted than estimated, or
// as many as the context holds. Servers since 0.4 count the whole prompt, what came
// from the prefix cache too; a count that a still older one may give, of the new
// tokens alone, is not taken for a cut. A count of 0 tells nothing.
//
// asked is the context that was asked for; 0 for NumCtx. A conversation may ask for
// another one: that tells nothing about what the server gives the others.
func (c *Catalog) Observe(ctx context.Context, model string, asked, estimated, counted int) (cut bool) {
	numCtx, _ := c.NumCtx(ctx, model) // 0 where it is not known
	own := asked > 0 && asked != numCtx
	if !own {
		c.lookAtLoaded(ctx, model)
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
		return true // it filled the context: a server that refuses had refused it
	}
	if estimate > cutFrom && float64(counted) < l.least(estimate, numCtx) {
		grown := l.estimate(raw - before)
		cached := before > 0 && estimate < numCtx && near(counted, grown)
		return !cached
	}
	if raw >= enoughToGo {
		l.calibrate(float64(counted) / float64(raw))
	}
	return false
}

// least is the count below which a prompt was cut.
func (l *learned) least(estimate, numCtx int) float64 {
	if l.ratio > 0 && numCtx > 0 && estimate > numCtx {
		return cutBeyond * float64(estimate)
	}
	return cutBelow * float64(estimate)
}

// near tells whether a count is what a server reports that counts only the tokens
// that were new since the prompt before: very old ones do, with their cache.
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

// lookAtLoaded learns the context the server gave the model, now and then.
func (c *Catalog) lookAtLoaded(ctx context.Context, model string) {
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
