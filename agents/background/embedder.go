package background

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"mac-stats/agents/ollama"
	"mac-stats/sessionmem/recall"
)

const (
	embedTexts  = 32       // texts in one request
	embedRunes  = 24 << 10 // bytes in one request, for which a chat may have to wait
	minText     = 64       // bytes; a text that doesn't fit even at this length isn't embedded
	modelAge    = time.Minute
	noModelAge  = 5 * time.Second // after a failure, so that a server that is down delays one question in that time
	pollTurns   = 250 * time.Millisecond
	guessTokens = 2 // minimum bytes per token, for texts that are hard to estimate
)

var errBadVector = errors.New("the server gave a vector that can't be used")

// EmbedClient makes vectors; ollama.Client is one.
type EmbedClient interface {
	// Digest returns the digest of the model of this name that is on the server now.
	Digest(ctx context.Context, model string) (string, error)
	Embed(ctx context.Context, model string, texts []string) ([][]float32, error)
	EmbedNow(ctx context.Context, model string, texts []string) ([][]float32, error)
}

// EmbedderConfig configures an Embedder. Prefixes and Busy are optional.
type EmbedderConfig struct {
	Client EmbedClient
	Models ModelResolver
	Model  func() string // the settings' model; "" is the best one installed
	// Prefixes returns the settings for the prefixes of questions and passages; nil is
	// autoPrefix for both.
	Prefixes func() (question, passage string)
	// Busy reports whether a turn runs beside which no other model may be loaded.
	Busy func() bool
}

// Embedder makes vectors with an Ollama model. It is the app's recall.Embedder. It yields
// to turns: a batch waits for them, and is sent again if a chat cancelled it. A turn's own
// question doesn't wait (see ForTurn). Safe for concurrent use.
type Embedder struct {
	c EmbedderConfig

	mu    sync.Mutex // guards the fields below; never held during a request
	named string     // the settings for which model was found
	model recall.EmbedModel
	info  ollama.ModelInfo // of the same model
	form  embedForm        // of the same model
	err   error
	at    time.Time
	dims  map[string]int // actual dimensions, by digest
}

// NewEmbedder returns an Embedder. It panics if a required field of c is missing.
func NewEmbedder(c EmbedderConfig) *Embedder {
	if c.Client == nil || c.Models == nil || c.Model == nil {
		panic("background: NewEmbedder needs Client, Models and Model")
	}
	if c.Busy == nil {
		c.Busy = func() bool { return false }
	}
	if c.Prefixes == nil {
		c.Prefixes = func() (question, passage string) { return autoPrefix, autoPrefix }
	}
	return &Embedder{c: c, dims: map[string]int{}}
}

// Model returns the current embedding model: the settings' model, else an installed one
// that makes embeddings. The error is recall.ErrNoModel if there is none. The result is
// cached for a minute, or until a request shows that it is outdated.
func (e *Embedder) Model(ctx context.Context) (recall.EmbedModel, error) {
	question, passage := e.c.Prefixes()
	model := e.c.Model()
	named := strings.Join([]string{model, question, passage}, "\x00")
	e.mu.Lock()
	age := modelAge
	if e.err != nil {
		age = noModelAge
	}
	if e.named == named && !e.at.IsZero() && time.Since(e.at) < age {
		defer e.mu.Unlock()
		return e.known()
	}
	e.mu.Unlock()

	asked, stop := halfTheTime(ctx)
	defer stop()
	info, err := e.c.Models.Resolve(asked, model, ollama.RoleEmbed)
	if err != nil && ctx.Err() != nil {
		return recall.EmbedModel{}, err // says nothing about the model
	}
	if errors.Is(err, ollama.ErrNoModel) || errors.Is(err, ollama.ErrModelMissing) {
		err = fmt.Errorf("%w: %w", recall.ErrNoModel, err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.named, e.err, e.at = named, err, time.Now()
	e.info, e.form = info, formOf(info.Name, question, passage)
	e.model = recall.EmbedModel{Name: info.Name, Digest: identityOf(info, e.form), Dims: info.Dimensions}
	return e.known()
}

// known returns the cached result with the actual dimensions. The caller holds e.mu.
func (e *Embedder) known() (recall.EmbedModel, error) {
	if e.err != nil {
		return recall.EmbedModel{}, e.err
	}
	m := e.model
	if n := e.dims[m.Digest]; n > 0 {
		m.Dims = n
	}
	return m, nil
}

// Embed returns a vector of length one for each text, with the prefix on which the model
// was trained. If a text is longer than the model's context, only its beginning counts.
// It is an error if the vectors don't have the model's dimensions, or if another model has
// taken its name meanwhile; Model then returns the right one.
func (e *Embedder) Embed(ctx context.Context, m recall.EmbedModel, as recall.EmbedAs, texts []string) ([][]float32, error) {
	prefix, digest, err := e.ready(m, as)
	if err != nil {
		return nil, err
	}
	if as == recall.AsQuestion { // somebody waits, so check in parallel
		check := make(chan error, 1)
		go func() { check <- e.stillThere(ctx, m, digest) }()
		vectors, err := e.all(ctx, m, prefix, texts)
		if err != nil {
			return nil, err
		}
		return vectors, <-check
	}
	vectors, err := e.all(ctx, m, prefix, texts)
	if err != nil {
		return nil, err
	}
	return vectors, e.stillThere(ctx, m, digest)
}

// all makes the vectors of any number of texts.
func (e *Embedder) all(ctx context.Context, m recall.EmbedModel, prefix string, texts []string) ([][]float32, error) {
	vectors := make([][]float32, 0, len(texts))
	for _, batch := range batches(texts) {
		got, err := e.batch(ctx, m, prefix, batch)
		if err != nil {
			if errors.Is(err, ollama.ErrModelMissing) {
				e.invalidate()
			}
			return nil, fmt.Errorf("making embeddings with %s: %w", m.Name, err)
		}
		vectors = append(vectors, got...)
	}
	return vectors, nil
}

var errOtherModel = errors.New("another model has its name by now")

// ready returns the prefix of the texts, and the digest that the server must report for
// the model after they are embedded.
func (e *Embedder) ready(m recall.EmbedModel, as recall.EmbedAs) (prefix, digest string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return "", "", fmt.Errorf("making embeddings with %s: %w", m.Name, e.err)
	}
	if e.model.Name != m.Name || e.model.Digest != m.Digest {
		return "", "", fmt.Errorf("making embeddings with %s: %w", m.Name, errOtherModel)
	}
	if as == recall.AsQuestion {
		return e.form.Question, e.info.Digest, nil
	}
	return e.form.Passage, e.info.Digest, nil
}

// stillThere checks that the model is still the same. A pull or a copy may have replaced
// it with another one, whose vectors look the same but mean something else.
func (e *Embedder) stillThere(ctx context.Context, m recall.EmbedModel, digest string) error {
	now, err := e.c.Client.Digest(ctx, m.Name)
	if err == nil && now != digest {
		err = errOtherModel
	}
	if errors.Is(err, errOtherModel) || errors.Is(err, ollama.ErrModelMissing) {
		e.invalidate()
	}
	if err != nil {
		return fmt.Errorf("making embeddings with %s: %w", m.Name, err)
	}
	return nil
}

// invalidate makes Model look again.
func (e *Embedder) invalidate() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.at = time.Time{}
	}
}

// batches splits a list of texts into requests.
func batches(texts []string) [][]string {
	var out [][]string
	for start := 0; start < len(texts); {
		end, size := start, 0
		for end < len(texts) && end-start < embedTexts && (end == start || size+len(texts[end]) <= embedRunes) {
			size += len(texts[end])
			end++
		}
		out = append(out, texts[start:end])
		start = end
	}
	return out
}

// batch makes one request, or one per text if one of them is too long.
func (e *Embedder) batch(ctx context.Context, m recall.EmbedModel, prefix string, texts []string) ([][]float32, error) {
	vectors, err := e.send(ctx, m, prefix, texts)
	if !errors.Is(err, ollama.ErrContextOverflow) {
		return vectors, err
	}
	vectors = nil
	for _, text := range texts {
		vector, err := e.one(ctx, m, prefix, text)
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, vector)
	}
	return vectors, nil
}

// one makes the vector of a text, or of the part of its beginning that fits.
func (e *Embedder) one(ctx context.Context, m recall.EmbedModel, prefix, text string) ([]float32, error) {
	for tried := false; ; tried = true {
		got, err := e.send(ctx, m, prefix, []string{text})
		if err == nil {
			return got[0], nil
		}
		if !errors.Is(err, ollama.ErrContextOverflow) || len(text) < minText {
			return nil, err
		}
		size := len(text) / 2
		if limit := e.contextBytes() - len(prefix); !tried && limit > 0 {
			size = min(limit, size*2-1)
		}
		text = strings.ToValidUTF8(text[:size], "")
	}
}

// contextBytes returns the number of bytes that certainly fit the model's context, or 0 if
// it is unknown.
func (e *Embedder) contextBytes() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.info.MaxContext * guessTokens
}

// send makes one request and checks the response.
func (e *Embedder) send(ctx context.Context, m recall.EmbedModel, prefix string, texts []string) ([][]float32, error) {
	vectors, err := e.call(ctx, m.Name, withPrefix(prefix, texts))
	if err != nil {
		return nil, err
	}
	dims := len(vectors[0])
	for _, v := range vectors {
		if len(v) != dims || dims == 0 {
			return nil, fmt.Errorf("%w: its vectors differ in length", errBadVector)
		}
		if !normalize(v) {
			return nil, fmt.Errorf("%w: it holds no direction", errBadVector)
		}
	}
	if m.Dims > 0 && m.Dims != dims {
		e.mu.Lock()
		e.dims[m.Digest] = dims
		e.mu.Unlock()
		return nil, fmt.Errorf("%w: it has %d numbers, not %d", errBadVector, dims, m.Dims)
	}
	return vectors, nil
}

func withPrefix(prefix string, texts []string) []string {
	if prefix == "" {
		return texts
	}
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = prefix + text
	}
	return out
}

// call calls the server: at once for a turn, otherwise when no turn is running.
func (e *Embedder) call(ctx context.Context, model string, texts []string) ([][]float32, error) {
	if inTurn(ctx) {
		ctx, stop := halfTheTime(ctx)
		defer stop()
		return e.c.Client.EmbedNow(ctx, model, texts)
	}
	for {
		if err := e.waitForTurns(ctx); err != nil {
			return nil, err
		}
		vectors, err := e.c.Client.Embed(ctx, model, texts)
		if !errors.Is(err, ollama.ErrAside) {
			return vectors, err
		}
	}
}

// halfTheTime returns a context with half the remaining time. The other half is for a
// search without vectors.
func halfTheTime(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, limited := ctx.Deadline()
	if !inTurn(ctx) || !limited {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(deadline)/2)
}

// waitForTurns waits until no turn is running.
func (e *Embedder) waitForTurns(ctx context.Context) error {
	for e.c.Busy() {
		timer := time.NewTimer(pollTurns)
		select {
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		case <-timer.C:
		}
	}
	return nil
}

// normalize scales a vector to length one. It returns false if that is impossible.
func normalize(v []float32) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return false
	}
	length := float32(math.Sqrt(sum))
	for i := range v {
		v[i] /= length
	}
	return true
}

type turnKey struct{}

// ForTurn marks a question for which a turn waits: it neither loads a model nor waits for
// a permit.
func ForTurn(ctx context.Context) context.Context {
	return context.WithValue(ctx, turnKey{}, true)
}

func inTurn(ctx context.Context) bool {
	marked, _ := ctx.Value(turnKey{}).(bool)
	return marked
}
