package ollama

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Role is the purpose of a model; agents name a role, not a model.
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
	// comfortable is the number of parameters up to which more is better. Beyond it, most
	// machines write slower than people read.
	comfortable = 15_500_000_000
	// besideChat is the same for an embedding model, which stays loaded beside the chat
	// model.
	besideChat = 1_000_000_000
	// enoughForWork is the minimum number of parameters for small work, "about 3B". Below
	// it, summaries and titles are usually nonsense.
	enoughForWork = 2_500_000_000
	// tinyBelow is the number of parameters, "about 1B" (models called 1B may have 999M),
	// below which a model can't work on a conversation at all: of 41 Summaries by
	// SmolLM2-135M, with two attempts each, two were accepted, and those had no content.
	tinyBelow = 900_000_000
)

// The parts of a name or family that reveal what a model was made for.
var (
	codeHints    = []string{"coder", "code", "devstral", "starcoder", "codestral"}
	specialHints = []string{"guard", "shield", "ocr", "rerank", "translate", "math", "sql", "embed"}
	visionHints  = []string{"llava", "moondream", "minicpm-v", "-vl", "vision"}
	// embedHints are for servers that don't report embedding models as such.
	embedHints = []string{"embed", "minilm", "bge-", "e5-", "gte-"}
)

// choose returns the best installed model for a role, and whether there is one. Without a
// model made for code or thinking, the general one takes that role. chat is the model for
// chats; "" is the best one.
func choose(models []ModelInfo, role Role, limit int64, chat string) (ModelInfo, bool) {
	switch role {
	case RoleEmbed:
		return best(only(models, func(m ModelInfo) bool { return m.Can("embedding") }), besideChat, limit)
	case RoleVision:
		return best(only(models, func(m ModelInfo) bool { return canChat(m) && m.Can("vision") }), comfortable, limit)
	case RoleSmall:
		main, ok := findInfo(models, chat)
		if chat == "" || !ok || !canChat(main) {
			main, _ = choose(models, RoleGeneral, limit, "")
		}
		return forSmallWork(prefer(only(models, canChat), plain), main, limit)
	case RoleCode:
		if m, ok := best(only(models, func(m ModelInfo) bool { return canChat(m) && hinted(m, codeHints) }), comfortable, limit); ok {
			return m, true
		}
	case RoleThinking:
		if m, ok := best(only(models, func(m ModelInfo) bool { return canChat(m) && m.Can("thinking") }), comfortable, limit); ok {
			return m, true
		}
	}
	return best(prefer(only(models, canChat), plain), comfortable, limit)
}

// forSmallWork returns the smallest model that can do small work, else the largest one. If
// it doesn't fit into memory beside the chat model, it returns the chat model: loading
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

// canChat reports whether a model is local and can chat.
func canChat(m ModelInfo) bool {
	return !m.Remote && m.Can("completion") && !m.Can("embedding")
}

// plain reports whether a model has no special purpose.
func plain(m ModelInfo) bool {
	return !hinted(m, codeHints) && !hinted(m, specialHints) && !hinted(m, visionHints)
}

func hinted(m ModelInfo, hints []string) bool {
	name := strings.ToLower(m.Name + " " + m.Family)
	return slices.ContainsFunc(hints, func(hint string) bool { return strings.Contains(name, hint) })
}

// only returns the models for which fits is true.
func only(models []ModelInfo, fits func(ModelInfo) bool) []ModelInfo {
	var kept []ModelInfo
	for _, m := range models {
		if !m.Remote && fits(m) {
			kept = append(kept, m)
		}
	}
	return kept
}

// prefer returns the models for which fits is true, or all if there are none.
func prefer(models []ModelInfo, fits func(ModelInfo) bool) []ModelInfo {
	if kept := only(models, fits); len(kept) > 0 {
		return kept
	}
	return models
}

// best returns the largest model up to the given parameters and bytes, else the smallest
// one beyond; among equals, one with tools, then the first by name.
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

// weight returns the number of parameters: from the server, else from the name, else
// estimated from the file size for the usual 4-bit quantisation.
func weight(m ModelInfo) int64 {
	return cmp.Or(m.KnownSize(), m.Size*10/6)
}

// KnownSize returns the number of parameters from the server or the name, or 0.
func (m ModelInfo) KnownSize() int64 {
	if m.Parameters > 0 {
		return m.Parameters
	}
	return namedParameters(m.Name)
}

// Small reports whether a model is too small for reliable answers and for work such as
// summaries. A model of unknown size isn't.
func (m ModelInfo) Small() bool {
	n := m.KnownSize()
	return n > 0 && n < enoughForWork
}

// Tiny reports whether a model can answer a question but can't work on a conversation: it
// can neither summarise it nor stay on topic. A model of unknown size isn't tiny.
func (m ModelInfo) Tiny() bool {
	n := m.KnownSize()
	return n > 0 && n < tinyBelow
}

// sizeInName matches the size in a model's name: "qwen3:8b", "smollm2:135m-instruct",
// "mixtral:8x7b". With a letter before it, it is another number: the "a3b" in
// "qwen3:30b-a3b" counts the active parameters.
var sizeInName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[:_-])(?:(\d{1,2})x)?(\d+(?:\.\d+)?[bm])(?:$|[._-])`)
})

// namedParameters returns the size in a name, in the tag before the rest, or 0 if there is
// none.
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
