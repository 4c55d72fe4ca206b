package recall

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/engine/tables"
	"mac-stats/sessionmem/recall/engine/vectors"
	"mac-stats/sessionmem/recall/indexfile"
)

// Strategy says what a search goes by.
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
	Cold     bool      // the cold tier too
	Strategy Strategy  // "": Settings.Strategy
	Now      time.Time // zero: time.Now(); dates in the question are told from it
	Rerank   bool
	Beside   bool // Hit.Before and Hit.After are wanted
	HitsOnly bool // Answer.State may be empty: the files need not be compared with the index

	all bool // hits that say the same are all wanted
}

// Scope says what may be found. The zero value allows everything.
type Scope struct {
	Session    string                    // only this one
	Sources    []string                  // only sessions of these sources
	NotSession string                    // all but this one
	Allow      func(c corpus.Chunk) bool // the last word, without the text; it must be cheap; nil: all
	NoMemory   bool                      // no memory files
}

// Hit is a message that was found, with its best chunk.
type Hit struct {
	corpus.Chunk
	// Before and After are the first lines of the messages beside it, where Query.Beside
	// asks for them; "" where there is none.
	Before, After     string
	Machine           string  // the name of the other machine that it was said at; "": this one
	Score             float64 // 0 … 1, comparable within one answer
	Lexical, Semantic float64 // what it is made of
	Relevance         float64 // 0 … 1, comparable between answers
}

// Answer is what a search gives.
type Answer struct {
	Hits  []Hit // best first; of the same score the newer first, then by id
	State State
	Took  time.Duration
}

// Status is what there is.
type Status struct {
	State
	Chunks           int
	Bytes, TextBytes int64 // of the index; of the text that it covers
	VectorCount      int
	VectorsHeld      Held          // why none are made just now
	VectorsLeft      time.Duration // how long making the others takes, as far as that is known
	Model            string        // whose vectors they are
	LastSync         time.Time
	Path             string // of the index
	Unfinished       bool   // an indexing anew was stopped: the next one goes on with it
}

// ErrNoModel: no embedding model is installed.
var ErrNoModel = errors.New("no embedding model is installed")

// ErrDamaged: the index file can't be used as it is. Whoever keeps the index up, or the
// next Sync or Rebuild, builds it anew.
var ErrDamaged = format.ErrDamaged

// ErrBusy: another process writes the search index, for longer than is waited.
var ErrBusy = tables.ErrBusy

// ErrNoChunk: no chunk has this id.
var ErrNoChunk = errors.New("no such chunk")

// EmbedModel names an embedding model. Vectors of different ones don't compare.
type EmbedModel = vectors.Model

// EmbedAs says what vectors are made for: models tell a question from what answers it.
type EmbedAs int

// What vectors are made for.
const (
	AsPassage EmbedAs = iota
	AsQuestion
)

// Embedder makes vectors of texts.
type Embedder interface {
	// Model tells which model would be used now; ErrNoModel where there is none. It is
	// asked often.
	Model(ctx context.Context) (EmbedModel, error)
	// Embed gives one vector a text, of this model and no other.
	Embed(ctx context.Context, m EmbedModel, as EmbedAs, texts []string) ([][]float32, error)
}

// Reranker judges texts by a query.
type Reranker interface {
	// Rerank gives one score from 0 to 1 a text.
	Rerank(ctx context.Context, query string, texts []string) ([]float64, error)
}

// Settings are what people set.
type Settings struct {
	TopK      int
	Strategy  Strategy
	ColdAfter time.Duration // sessions without a word for longer are cold; 0: none is
	Rerank    bool
}

// Config is what an Index needs. Root, CacheDir and Store are required.
type Config struct {
	Root, CacheDir string
	Store          *sessionmem.Store
	Memory         *memory.Memory           // nil: no memory files
	Settings       func() Settings          // nil: 8 hits, hybrid, cold after 90 days
	Embedder       Embedder                 // nil: none
	Reranker       Reranker                 // nil: none
	Forgotten      func() corpus.Tombstones // nil: none. Asked before anything is taken up or embedded
	Server         func() Server            // the index of several machines, or nil: this one's alone; nil: never
	// BeforePush learns what other machines forgot before anything is put on the server; an
	// error, and nothing is put. nil: nothing is learnt.
	BeforePush     func(ctx context.Context, to Server) error
	ServerPatience time.Duration            // how long a search waits for it; 300 ms where 0
	Progress       func(indexfile.Progress) // may be nil; called on the indexing goroutine
	ErasePatience  time.Duration            // how long Erase waits for another process that writes; 10 s where 0
	InTurn         func() bool              // whether a turn runs, in any process: no vectors are made then; nil: never
	EmbedShare     func() float64           // the share of the time that making vectors may take, 0 for none (on battery); nil: a fifth
	EmbedPatience  time.Duration            // how long a search waits for the vector of its question; 800 ms where 0
	Logger         *slog.Logger
}
