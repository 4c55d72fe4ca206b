package backend

// Found is the answer to a search as the commands and the local API return it.
type Found struct {
	Query string     `json:"query"`
	State string     `json:"state"` // state of the index in words: "fresh", "behind by 3 files"
	Hits  []FoundHit `json:"hits"`  // best first; never null
}

// FoundHit is a message that matched, with its best passage.
type FoundHit struct {
	Chunk   string  `json:"chunk"` // its ID, which survives a rebuild of the index
	Path    string  `json:"path"`  // the file's path below the data folder, with slashes
	Session string  `json:"session"`
	Turn    int     `json:"turn"` // 0-based position among the session's User and Assistant blocks; -1 for other kinds
	Kind    string  `json:"kind"`
	Score   float64 `json:"score"` // 0 to 1, comparable within one answer
	Text    string  `json:"text"`
	Time    string  `json:"time"` // RFC 3339
	// The first lines of the neighbouring messages, if recall.Query.Beside asks for them.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`

	Machine string `json:"machine,omitempty"` // the other machine that it came from
}
