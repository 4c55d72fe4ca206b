package ollama

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Role is what a model is wanted for; agents name a role, not a model.
type Role string

// The roles.
const (
	RoleGeneral  Role = "general"
	RoleCode     Role = "code"
	RoleSmall    Role = "small"
	RoleThinking Role = "thinking"
	RoleVision   Role = "vision"
	RoleEmbed    Role = "embed"
)

const (
	// comfortable is the number of parameters up to which more is better: beyond
	// it most machines answer slower than people read.
	comfortable = 15_500_000_000
	// besideChat is the same for an embedding model, which stays loaded beside the
	// chat's.
	besideChat = 1_000_000_000
	// enoughForWork is from how many parameters on a model can do small work, "about
	// 3B": below it summaries and titles are nonsense more often than not.
	enoughForWork = 2_500_000_000
	// tinyBelow is under how many parameters ("about 1B"; what is sold as 1B says 999M) a
	// model can't work on a conversation at all: of 41 Summaries by SmolLM2-135M, two
	// attempts each, two were accepted, and those told nothing of it.
	tinyBelow = 900_000_000
)

// The parts of a name or family that tell what a model was made for.
var (
	codeHints    = []string{"coder", "code", "devstral", "starcoder", "codestral"}
	specialHints = []string{"guard", "shield", "ocr", "rerank", "translate", "math", "sql", "embed"}
	visionHints  = []string{"llava", "moondream", "minicpm-v", "-vl", "vision"}
	// embedHints are for servers that don't know that a model makes vectors alone.
	embedHints = []string{"embed", "minilm", "bge-", "e5-", "gte-"}
)

// choose gives the best installed model for a role, and whether there is one.
// Without one that is made for code or thinking, the general one plays that role.
// chat is the model that answers chats; "" is the best one for it.
func choose(models []ModelInfo, role Role, limit int64, chat string) (ModelInfo, bool) {
	switch role {
	case RoleEmbed:
		return best(only(models, func(m ModelInfo) bool { return m.Can("embedding") }), besideChat, limit)
	case RoleVision:
		return best(only(models, func(m ModelInfo) bool { return talks(m) && m.Can("vision") }), comfortable, limit)
	case RoleSmall:
		main, ok := findInfo(models, chat)
		if chat == "" || !ok || !talks(main) {
			main, _ = choose(models, RoleGeneral, limit, "")
		}
		return forSmallWork(prefer(only(models, talks), plain), main, limit)
	case RoleCode:
		if m, ok := best(only(models, func(m ModelInfo) bool { return talks(m) && hinted(m, codeHints) }), comfortable, limit); ok {
			return m, true
		}
	case RoleThinking:
		if m, ok := best(only(models, func(m ModelInfo) bool { return talks(m) && m.Can("thinking") }), comfortable, limit); ok {
			return m, true
		}
	}
	return best(prefer(only(models, talks), plain), comfortable, limit)
}

// forSmallWork is the smallest model that can do small work, else the largest there is.
// Where it doesn't fit into memory beside the chat's model, that one does it: loading
// another one before each summary costs more than it saves.
func forSmallWork(models []ModelInfo, chat ModelInfo, limit int64) (ModelInfo, bool) {
	enough := only(models, func(m ModelInfo) bool { return weight(m) >= enoughForWork })
	if len(enough) == 0 {
		return best(models, enoughForWork, 0)
	}
	small, ok := smallest(enough)
	if limit > 0 && small.Size+chat.Size > limit && weight(chat) >= enoughForWork {
		return chat, true
	}
	return small, ok
}

// talks tells a local model that answers chats.
func talks(m ModelInfo) bool {
	return !m.Remote && m.Can("completion") && !m.Can("embedding")
}

// plain tells a model that was made for no special purpose.
func plain(m ModelInfo) bool {
	return !hinted(m, codeHints) && !hinted(m, specialHints) && !hinted(m, visionHints)
}

func hinted(m ModelInfo, hints []string) bool {
	name := strings.ToLower(m.Name + " " + m.Family)
	return slices.ContainsFunc(hints, func(hint string) bool { return strings.Contains(name, hint) })
}

// only keeps the local models that fit.
func only(models []ModelInfo, fits func(ModelInfo) bool) []ModelInfo {
	var kept []ModelInfo
	for _, m := range models {
		if !m.Remote && fits(m) {
			kept = append(kept, m)
		}
	}
	return kept
}

// prefer keeps the models that fit, or all where none does.
func prefer(models []ModelInfo, fits func(ModelInfo) bool) []ModelInfo {
	if kept := only(models, fits); len(kept) > 0 {
		return kept
	}
	return models
}

// best is the largest model up to the given parameters and bytes, else the
// smallest beyond; among equals one with tools, then the first by name.
func best(models []ModelInfo, parameters, bytes int64) (ModelInfo, bool) {
	small := only(models, func(m ModelInfo) bool {
		return weight(m) <= parameters && (bytes == 0 || m.Size <= bytes)
	})
	if len(small) == 0 {
		return smallest(models)
	}
	return slices.MinFunc(small, func(a, b ModelInfo) int {
		return cmp.Or(cmp.Compare(weight(b), weight(a)), preferTools(a, b), strings.Compare(a.Name, b.Name))
	}), true
}

func smallest(models []ModelInfo) (ModelInfo, bool) {
	if len(models) == 0 {
		return ModelInfo{}, false
	}
	return slices.MinFunc(models, func(a, b ModelInfo) int {
		return cmp.Or(cmp.Compare(weight(a), weight(b)), preferTools(a, b), strings.Compare(a.Name, b.Name))
	}), true
}

// weight is the number of parameters; where the server doesn't say, what the name
// says, else a guess from the file at the 4-bit form most models come in.
func weight(m ModelInfo) int64 {
	return cmp.Or(m.Parameters, namedParameters(m.Name), m.Size*10/6)
}

// KnownSize is the number of parameters as the server or the name says it; 0 where
// neither does.
func (m ModelInfo) KnownSize() int64 { return cmp.Or(m.Parameters, namedParameters(m.Name)) }

// Small reports whether a model is too small for answers one can rely on, or for work
// such as summaries. One whose size nobody knows isn't.
func (m ModelInfo) Small() bool {
	n := m.KnownSize()
	return n > 0 && n < enoughForWork
}

// Tiny reports whether a model can answer a question, but can't work on a conversation:
// neither sum it up nor keep to its topic. One whose size nobody knows isn't.
func (m ModelInfo) Tiny() bool {
	n := m.KnownSize()
	return n > 0 && n < tinyBelow
}

// sizeInName is the size in a model's name: "qwen3:8b", "smollm2:135m-instruct",
// "mixtral:8x7b". A letter before it makes it another number: the "a3b" of
// "qwen3:30b-a3b" is what of it is at work.
var sizeInName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[:_-])(?:(\d{1,2})x)?(\d+(?:\.\d+)?[bm])(?:$|[._-])`)
})

// namedParameters reads it, of the tag before the rest of the name; 0 where there
// is none.
func namedParameters(name string) int64 {
	name = name[strings.LastIndex(name, "/")+1:]
	model, tag, _ := strings.Cut(name, ":")
	for _, part := range []string{tag, model} {
		if found := sizeInName().FindStringSubmatch(part); found != nil {
			experts, err := strconv.ParseInt(cmp.Or(found[1], "1"), 10, 64)
			if err != nil {
				return 0
			}
			return experts * parseParameters(found[2])
		}
	}
	return 0
}

func preferTools(a, b ModelInfo) int {
	switch {
	case a.Can("tools") == b.Can("tools"):
		return 0
	case a.Can("tools"):
		return -1
	}
	return 1
}
