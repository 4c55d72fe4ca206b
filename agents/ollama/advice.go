package ollama

// Suggestion is a model to begin with.
type Suggestion struct {
	Model    string
	Download int64  // bytes, roughly
	Why      string // in a few words, for people
}

// Advice is what to pull on a machine with so many bytes of memory, the best
// first; 0 is a machine of which nothing is known. The model and its context leave
// room for what else runs. Sizes are those of the registry's default
// quantisations.
func Advice(memory uint64) []Suggestion {
	const gib = 1 << 30
	small := Suggestion{"qwen3:1.7b", 1.4e9, "quick and simple"}
	middle := Suggestion{"qwen3:4b", 2.5e9, "good on most laptops"}
	large := Suggestion{"qwen3:8b", 5.2e9, "better answers"}
	huge := Suggestion{"qwen3:14b", 9.3e9, "the best that fits well"}
	switch gb := float64(memory) / gib; {
	case memory == 0:
		return []Suggestion{middle, small}
	case gb < 7.5:
		return []Suggestion{small}
	case gb < 15:
		return []Suggestion{middle, small}
	case gb < 30:
		return []Suggestion{large, middle}
	}
	return []Suggestion{huge, large}
}

// MemoryShare is how much of the machine's memory a model may take and leave room for
// its context and what else runs.
const MemoryShare = 0.6

// Fits reports whether a model of so many bytes runs well with so much memory; it does
// where nothing is known of the memory.
func Fits(size int64, memory uint64) bool {
	return memory == 0 || float64(size) <= MemoryShare*float64(memory)
}

// KnowMemory tells how much memory the machine has, in bytes, for Advice.
func (c *Catalog) KnowMemory(bytes uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.memory = bytes
}

// Advice is the package's Advice for the machine's memory.
func (c *Catalog) Advice() []Suggestion {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Advice(c.memory)
}
