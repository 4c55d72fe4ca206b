package ollama

// Suggestion is a model to start with.
type Suggestion struct {
	Model    string
	Download int64  // approximate size in bytes
	Why      string // a short reason, for people
}

// Advice returns the models to pull on a machine with that many bytes of memory, best
// first; 0 means unknown. The model and its context leave room for other programs. Sizes
// are those of the registry's default quantisations.
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

// MemoryShare is the share of the machine's memory that a model may take. The rest is for
// its context and other programs.
const MemoryShare = 0.6

// Fits reports whether a model of that many bytes runs well with that much memory. It
// returns true if the memory is unknown.
func Fits(size int64, memory uint64) bool {
	return memory == 0 || float64(size) <= MemoryShare*float64(memory)
}

// SetMemory sets the machine's memory in bytes, for Advice.
func (c *Catalog) SetMemory(bytes uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.memory = bytes
}

// Advice returns the package's Advice for the machine's memory.
func (c *Catalog) Advice() []Suggestion {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Advice(c.memory)
}
