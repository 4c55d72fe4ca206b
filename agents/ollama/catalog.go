package ollama

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ollama/ollama/api"
)

// ErrNoModel means that no installed model suits the role.
var ErrNoModel = errors.New("no model is installed for this role")

const (
	listAge       = 3 * time.Second // after this, the list of models is requested again
	maxAutoNumCtx = 16384           // tokens
	minNumCtx     = 4096            // tokens, if nothing is known about a model
	showAtOnce    = 4               // models described at the same time
)

// Catalog lists the installed models and resolves roles to them, by capability and size.
// It follows changes of the list. Safe for concurrent use.
type Catalog struct {
	c      *Client
	numCtx int

	refresh permits // one, held while the list is requested: a server that loads a model may answer late

	mu      sync.Mutex // guards the fields below; never held during a request
	models  []ModelInfo
	unknown error // of the first model that couldn't be described
	at      time.Time
	limit   int64
	chat    func() string
	memory  uint64              // of the machine, in bytes; 0 is unknown
	learned map[string]*learned // by canonical name
}

// NewCatalog returns a catalog of c's models. numCtx is the configured context size in
// tokens; 0 means auto: the model's maximum, but at most 16,384, and less if the server
// loaded less.
func NewCatalog(c *Client, numCtx int) *Catalog {
	if c == nil {
		panic("ollama.NewCatalog: a client is required")
	}
	return &Catalog{c: c, numCtx: numCtx, refresh: make(permits, 1), chat: func() string { return "" }, learned: map[string]*learned{}}
}

// LimitSize sets the largest size of a model's file that suits the machine, in bytes.
// Larger models are chosen by role only if no smaller one will do. 0 is no limit.
func (c *Catalog) LimitSize(bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limit = bytes
}

// ChatModel sets the function that returns the settings' model for chats, or "". The model
// for small work is chosen to fit beside it.
func (c *Catalog) ChatModel(name func() string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.chat = name
}

// Models returns the installed models with their capabilities. It refreshes the list if it
// is older than a few seconds. A model that can't be described has no capabilities, so no
// role chooses it.
func (c *Catalog) Models(ctx context.Context) ([]ModelInfo, error) {
	return c.list(ctx, listAge)
}

// ModelsNow is like Models, but always refreshes the list, as after a pull or a deletion.
func (c *Catalog) ModelsNow(ctx context.Context) ([]ModelInfo, error) {
	return c.list(ctx, 0)
}

func (c *Catalog) list(ctx context.Context, age time.Duration) ([]ModelInfo, error) {
	if err := c.refresh.acquire(ctx); err != nil {
		return nil, c.c.target("tags", "").ended(ctx)
	}
	defer c.refresh.release()
	c.mu.Lock()
	models, at := c.models, c.at
	c.mu.Unlock()
	if !at.IsZero() && time.Since(at) < age {
		return slices.Clone(models), nil
	}
	entries, err := c.c.Models(ctx)
	if err != nil {
		return nil, err
	}
	models, unknown, err := c.describeAll(ctx, entries)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.models, c.unknown, c.at = models, unknown, time.Now()
	c.mu.Unlock()
	return slices.Clone(models), nil
}

func (c *Catalog) describeAll(ctx context.Context, entries []api.ListModelResponse) (models []ModelInfo, unknown, err error) {
	models = make([]ModelInfo, len(entries))
	failed := make([]error, len(entries))
	turns := make(permits, showAtOnce)
	var all sync.WaitGroup
	for i, entry := range entries {
		if err := turns.acquire(ctx); err != nil {
			break
		}
		all.Go(func() {
			defer turns.release()
			info, err := c.c.show(ctx, entry)
			if err != nil {
				c.c.log.Warn("a model can't be described", "model", entry.Name, "err", err)
				failed[i] = err
				info = ModelInfo{
					Name: entry.Name, Family: entry.Details.Family, Size: entry.Size,
					Parameters: parseParameters(entry.Details.ParameterSize), Remote: isRemote(entry), Digest: entry.Digest,
				}
			}
			models[i] = info
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, nil, c.c.target("show", "").ended(ctx)
	}
	if i := slices.IndexFunc(failed, func(err error) bool { return err != nil }); i >= 0 {
		unknown = failed[i]
	}
	return models, unknown, nil
}

// Resolve returns the model to use: explicit if it isn't "" (ErrModelMissing if it isn't
// installed, never another model), else the best for the role. The error is ErrNoModel if
// none is suitable.
func (c *Catalog) Resolve(ctx context.Context, explicit string, role Role) (ModelInfo, error) {
	models, err := c.Models(ctx)
	if err != nil {
		return ModelInfo{}, err
	}
	if explicit != "" {
		info, err := c.explicit(ctx, models, explicit)
		return c.withSetting(info), err
	}
	c.mu.Lock()
	limit, chat, unknown := c.limit, c.chat, c.unknown
	c.mu.Unlock()
	info, ok := choose(models, role, limit, chat())
	if !ok {
		return ModelInfo{}, &NoModelError{Role: role, Installed: len(models), Advice: c.Advice()[0].Model, Err: unknown}
	}
	return c.withSetting(info), nil
}

func (c *Catalog) withSetting(info ModelInfo) ModelInfo {
	if c.numCtx > 0 && (info.MaxContext == 0 || c.numCtx < info.MaxContext) {
		info.SetContext = c.numCtx
	}
	return info
}

// explicit finds a model by name. The list may be a few seconds old, so it is refreshed if
// the model is missing.
func (c *Catalog) explicit(ctx context.Context, models []ModelInfo, name string) (ModelInfo, error) {
	if info, ok := findInfo(models, name); ok {
		return info, nil
	}
	models, err := c.list(ctx, 0)
	if err != nil {
		return ModelInfo{}, err
	}
	if info, ok := findInfo(models, name); ok {
		return info, nil
	}
	return ModelInfo{}, c.c.target("resolve", name).fail(ErrModelMissing, "", nil)
}

func findInfo(models []ModelInfo, name string) (ModelInfo, bool) {
	i := slices.IndexFunc(models, func(m ModelInfo) bool { return canonical(m.Name) == canonical(name) })
	if i < 0 {
		return ModelInfo{}, false
	}
	return models[i], true
}

// NoModelError is ErrNoModel with details.
type NoModelError struct {
	Role      Role
	Installed int    // models installed, of any kind
	Advice    string // the model to pull on this machine
	Err       error  // why the first model that wasn't described isn't known; nil if all are
}

// Error returns a text that names the role.
func (e *NoModelError) Error() string {
	if e.Installed == 0 {
		return "no model is installed"
	}
	return ErrNoModel.Error() + ": " + strings.ToLower(string(e.Role))
}

// Is reports whether target is ErrNoModel.
func (e *NoModelError) Is(target error) bool { return target == ErrNoModel }
