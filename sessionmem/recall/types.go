package recall

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/index"
)

// Strategy selects what a search matches: words, meaning or both.
type Strategy string

// The strategies.
const (
	Lexical  Strategy = "lexical"
	Semantic Strategy = "semantic"
	Hybrid   Strategy = "hybrid"
)

// Query is a search.
type Query struct {
	Text     string
	Limit    int // 0: Settings.TopK
	Scope    Scope
	Cold     bool      // include the cold tier
	Strategy Strategy  // "": Settings.Strategy
	Now      time.Time // zero: time.Now(); dates in the question are relative to it
	Rerank   bool
	Beside   bool // fill in Hit.Before and Hit.After
	HitsOnly bool // Answer.State may be empty: don't compare the files with the index
	Message  bool // Text is a message and no search: its "-word" and NOT leave nothing out

	all bool // keep hits that say the same
}

// Scope restricts what a search may find. The zero value allows everything.
type Scope struct {
	Session    string                    // only this one
	Sources    []string                  // only sessions from these sources
	NotSession string                    // all but this one
	Allow      func(c corpus.Chunk) bool // called last, without the text; must be cheap; nil allows all
	NoMemory   bool                      // no memory files
}

// Hit is a message that a search found, with its best chunk.
type Hit struct {
	corpus.Chunk
	// Before and After are the first lines of the neighbouring messages if Query.Beside is
	// set; "" if there is none.
	Before, After string
	Machine       string  // name of the other machine it was said on; "": this one
	Score         float64 // 0 … 1, comparable within one answer
	Semantic      float64 // the part of Score that comes from meaning
	Relevance     float64 // 0 … 1, comparable between answers
}

// Answer is the result of a search.
type Answer struct {
	Hits  []Hit // best first; equal scores by newest, then by ID
	State State
}

// Status describes the index and its vectors.
type Status struct {
	State
	Chunks           int
	Bytes, TextBytes int64 // of the index; of the text it covers
	VectorCount      int
	VectorsHeld      Held          // why no vectors are being made now
	VectorsLeft      time.Duration // estimated time to make the missing ones; 0 if unknown
	Model            string        // the model that made the vectors
	LastSync         time.Time
	Path             string // of the index
	Unfinished       bool   // a rebuild was interrupted; the next one resumes it
}

// ErrNoModel means that no embedding model is installed.
var ErrNoModel = errors.New("no embedding model is installed")

// ErrDamaged means that the index file can't be used. The next Run, Sync or Rebuild
// rebuilds it.
var ErrDamaged = index.ErrDamaged

// ErrBusy means that another process kept writing the search index for too long.
var ErrBusy = index.ErrBusy

// ErrNoChunk means that no chunk has the given ID.
var ErrNoChunk = errors.New("no such chunk")

// EmbedModel names an embedding model. Vectors of different models can't be compared.
type EmbedModel = index.Model

// EmbedAs is the purpose of a vector: models treat questions and passages differently.
type EmbedAs int

// The purposes of a vector.
const (
	AsPassage EmbedAs = iota
	AsQuestion
)

// Embedder makes vectors of texts.
type Embedder interface {
	// Model returns the model that would be used now, or ErrNoModel. It is called often.
	Model(ctx context.Context) (EmbedModel, error)
	// Embed returns one vector per text, made by exactly this model.
	Embed(ctx context.Context, m EmbedModel, as EmbedAs, texts []string) ([][]float32, error)
}

// Reranker rates how well texts answer a query.
type Reranker interface {
	// Rerank returns one score from 0 to 1 per text.
	Rerank(ctx context.Context, query string, texts []string) ([]float64, error)
}

// Settings are the user's search settings.
type Settings struct {
	TopK      int
	Strategy  Strategy
	ColdAfter time.Duration // sessions silent for this long are cold; 0: none
	Rerank    bool
}

// Config configures an Index. Root, CacheDir and Store are required.
type Config struct {
	Root, CacheDir string
	Store          *sessionmem.Store
	Memory         *memory.Memory           // nil: no memory files
	Settings       func() Settings          // nil: 8 hits, hybrid, cold after 90 days
	Embedder       Embedder                 // nil: none
	Reranker       Reranker                 // nil: none
	Forgotten      func() corpus.Tombstones // nil: none. Called before anything is indexed or embedded
	Server         func() (Server, error)   // the mirror of several machines; nil, or a nil result: there is none. The error is why it can't be used
	// BeforeCopy is called before anything is sent to the server. If it fails, nothing is sent.
	// ForgottenElsewhere is called with what another machine forgot of this one. Both may be nil.
	BeforeCopy         func(ctx context.Context, to Server) error
	ForgottenElsewhere func(ctx context.Context, all []corpus.Chunk) error
	ServerPatience     time.Duration  // how long a search waits for the server; 0: 300 ms
	Progress           func(Progress) // may be nil; called on the indexing goroutine
	ErasePatience      time.Duration  // how long Erase waits for another writing process; 0: 10 s
	InTurn             func() bool    // reports whether a turn runs in any process: no vectors are made then; nil: never
	EmbedShare         func() float64 // share of time that making vectors may take, 0 for none (on battery); nil: a fifth
	EmbedPatience      time.Duration  // how long a search waits for its question's vector; 0: 800 ms
	Logger             *slog.Logger
}
