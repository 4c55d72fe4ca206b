package backend

// Found is the answer to a search, as commands and the local API give it.
type Found struct {
	Query string     `json:"query"`
	State string     `json:"state"` // of the index, in words: "fresh", "behind by 3 files"
	Hits  []FoundHit `json:"hits"`  // best first; never null
}

// FoundHit is one message that was found, with its best passage.
type FoundHit struct {
	Chunk   string  `json:"chunk"` // its id, which stays the same when the index is built anew
	Path    string  `json:"path"`  // of the file, below the data folder, with slashes
	Session string  `json:"session"`
	Turn    int     `json:"turn"` // 0-based place among the User and Assistant blocks of the session; -1 for other kinds
	Kind    string  `json:"kind"`
	Score   float64 `json:"score"` // 0 … 1, within this answer
	Text    string  `json:"text"`
	Time    string  `json:"time"` // RFC 3339
	// First lines of the messages beside it, where recall.Query.Beside asks for them.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`

	Machine string `json:"machine,omitempty"` // the other one that it was said at
}
