package agents

import (
	"context"
	"fmt"
	"math"
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

// keepThought keeps what the model thought before a reply, as a Note above it: shown, and
// never sent to a model.
func (t *turn) keepThought(ctx context.Context, r reply) error {
	if strings.TrimSpace(r.thought) == "" {
		return nil
	}
	return t.note(ctx, transcript.Block{
		Note: transcript.NoteThinking, Agent: t.agent.Slug, Model: t.model.Name, Parent: t.user.ID, Text: r.thought,
		Attrs: map[string]string{attrTook: tookAttr(r.thinking)},
	}.WithSources(r.held))
}

// Unsaved is what became of a line that a memory tool was given and has not written.
type Unsaved string

// What becomes of such a line.
const (
	UnsavedProposed Unsaved = "Not saved: proposed to the user"
	UnsavedWaiting  Unsaved = "Not saved yet: another program is saving the file."
	UnsavedKnown    Unsaved = "Nothing to save: the memory already says so."
	unsavedAgain    Unsaved = "Nothing to propose"
)

// UnsavedOf tells from the result of a memory tool what became of its line; "" where it
// was written, or where it is no such result.
func UnsavedOf(result string) Unsaved {
	for _, u := range []Unsaved{UnsavedProposed, UnsavedWaiting, UnsavedKnown} {
		if strings.HasPrefix(result, string(u)) {
			return u
		}
	}
	if strings.HasPrefix(result, string(unsavedAgain)) {
		return UnsavedKnown
	}
	return ""
}
