package agents

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mac-stats/sessionmem/transcript"
)

// What the rows and the badge of a turn say beside its text stands with its blocks, so
// that a conversation that is read again looks as it did. What these attributes hold is
// numbers; words stand in the text, where forgetting finds them.
const (
	attrFailed = "failed" // of a tool's block: its text says why
	attrTook   = "took"   // how long a call or a thought took
	attrSpeed  = "speed"  // of an answer, in tokens a second
	attrTokens = "tokens" // tokens of the prompt, of the answer and of the whole context
)

// tookAttr is how long something took, in milliseconds.
func tookAttr(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) + "ms" }

// TookOf is how long a block's call or thought took; 0 where that is not known.
func TookOf(b transcript.Block) time.Duration {
	d, err := time.ParseDuration(b.Attrs[attrTook])
	if err != nil || d < 0 {
		return 0
	}
	return d
}

// FailedOf says why a tool's call failed or was refused; "" where it gave a result.
func FailedOf(b transcript.Block) string {
	why, failed := strings.CutPrefix(b.Text, failedPrefix)
	_, timed := b.Attrs[attrTook] // by it one knows that attrFailed would be there
	if b.Kind != transcript.KindTool || b.Attrs[attrFailed] == "" && (timed || !failed) {
		return ""
	}
	return why
}

// failedPrefix stands before the reason in the block of a tool that failed.
const failedPrefix = "failed: "

// usageAttrs adds what an answer cost to its attributes.
func usageAttrs(attrs map[string]string, u *Usage) map[string]string {
	if u == nil {
		return attrs
	}
	if attrs == nil {
		attrs = map[string]string{}
	}
	if u.TokensPerSecond > 0 {
		attrs[attrSpeed] = strconv.FormatFloat(u.TokensPerSecond, 'f', 1, 64)
	}
	attrs[attrTokens] = fmt.Sprintf("%d+%d/%d", u.PromptTokens, u.AnswerTokens, u.ContextSize)
	return attrs
}

// UsageOf is what an answer cost; nil where its block doesn't say.
func UsageOf(b transcript.Block) *Usage {
	var u Usage
	if n, err := fmt.Sscanf(b.Attrs[attrTokens], "%d+%d/%d", &u.PromptTokens, &u.AnswerTokens, &u.ContextSize); err != nil || n < 3 || min(u.PromptTokens, u.AnswerTokens, u.ContextSize) < 0 {
		return nil
	}
	if v, err := strconv.ParseFloat(b.Attrs[attrSpeed], 64); err == nil && v > 0 && !math.IsInf(v, 0) {
		u.TokensPerSecond = v
	}
	if u.ContextSize > 0 {
		u.ContextPercent = 100 * float64(u.PromptTokens+u.AnswerTokens) / float64(u.ContextSize)
	}
	return &u
}

// memoryAttr is the attribute of an answer's block that says what its prompt held
// of the memory: memory="memory.md:12 agent-001/memory.md:3".
const memoryAttr = "memory"

func memoryAttrs(read []MemoryRead) map[string]string {
	if len(read) == 0 {
		return nil
	}
	var parts []string
	for _, r := range read {
		parts = append(parts, fmt.Sprintf("%s:%d", r.Name, r.Lines))
	}
	return map[string]string{memoryAttr: strings.Join(parts, " ")}
}

// ReadOf gives what an answer's block says its prompt held of the memory. The names
// come from a file people edit: a name that leads out of its folder is left out.
func ReadOf(b transcript.Block) []MemoryRead {
	var out []MemoryRead
	for _, part := range strings.Fields(b.Attrs[memoryAttr]) {
		at := strings.LastIndexByte(part, ':')
		if at < 0 {
			continue
		}
		n, err := strconv.Atoi(part[at+1:])
		if err == nil && n >= 0 && filepath.IsLocal(filepath.FromSlash(part[:at])) {
			out = append(out, MemoryRead{Name: part[:at], Lines: n})
		}
	}
	return out
}

// RecalledOf gives the passages that an answer was made with, as its block names
// them.
func RecalledOf(b transcript.Block) []RecalledNote {
	var out []RecalledNote
	for _, id := range b.Recalled() {
		session, rest, _ := strings.Cut(id, "/")
		block, _, ok := strings.Cut(rest, "/")
		if ok && session != "memory" {
			out = append(out, RecalledNote{Chunk: id, Session: session, Block: block})
		}
	}
	return out
}

// notesOf names passages for events.
func notesOf(list []transcript.Quotation) []RecalledNote {
	notes := RecalledOf(transcript.Block{}.WithRecalled(list))
	for i := range notes {
		at := slices.IndexFunc(list, func(q transcript.Quotation) bool { return q.Chunk == notes[i].Chunk })
		notes[i].Time, notes[i].Text = list[at].Time, list[at].Text
	}
	return notes
}

// usedOf are the passages that a message was sent with before.
func usedOf(b transcript.Block) []transcript.Quotation {
	var list []transcript.Quotation
	for _, id := range b.Recalled() {
		list = append(list, transcript.Quotation{Chunk: id})
	}
	return list
}

// A message can be for an agent or a skill of its own, in whatever conversation it is:
// then the conversation's agent is not asked. Its block says so, so that it is answered
// again by the same one.

const (
	attrTo    = "to"    // the agent a message is for
	attrSkill = "skill" // the skill by whose rules it is answered
)

// AddressOf is the agent or the skill that a message is for; "" where it is for the
// conversation's own agent.
func AddressOf(b transcript.Block) string {
	return cmp.Or(b.Attrs[attrTo], b.Attrs[attrSkill])
}
