package agents

import (
	"time"

	"mac-stats/sessionmem/transcript"
)

// Reasons why an answer is incomplete.
const (
	CutFull    = "full"     // the model's context is full
	CutLength  = "length"   // it reached its maximum length
	CutLoop    = endLoop    // it repeated itself
	CutTime    = endTime    // ollama.answer_time has passed
	CutThought = endThought // the model thought too long
	CutServer  = "server"   // the server ended it for a reason of its own
)

// fullPercent is the part of a context from which it counts as full. The maximum length of
// an answer is the estimated rest of the context, so a few percent may be left.
const fullPercent = 90

// CutShort describes why an answer is incomplete, so that the window can translate it.
type CutShort struct {
	Why    string        `json:"why"` // one of the Cut constants
	Model  string        `json:"model"`
	After  time.Duration `json:"after_ns,omitempty"` // CutTime: the time limit of an answer
	Reason string        `json:"reason,omitempty"`   // CutServer: the server's word for it
}

// cutShort returns why the reply is incomplete, or nil if it is complete. used is the
// usage of its call, or nil if unknown.
func (t *turn) cutShort(r response, used *Usage) *CutShort {
	cut := &CutShort{Why: r.ended, Model: t.model.Name}
	switch r.ended {
	case "length":
		cut.Why = CutLength
		if used != nil && used.ContextPercent >= fullPercent {
			cut.Why = CutFull
		}
	case endTime:
		cut.After = t.settings.AnswerTime
	case endLoop, endThought:
	case "stop":
		return nil
	default:
		cut.Why, cut.Reason = CutServer, r.ended
	}
	return cut
}

// words returns the reason in English, for the transcript.
func (c CutShort) words() string {
	switch c.Why {
	case CutFull:
		return "The answer ends here because the context of " + c.Model + " is full."
	case CutLength:
		return "The answer ends here because it reached its maximum length (num_predict)."
	case CutLoop:
		return "The answer began to repeat itself and was stopped."
	case CutTime:
		return "The answer was stopped after " + c.After.String() + " (ollama.answer_time)."
	case CutServer:
		return "The answer may be incomplete. The server's reason for its end: " + c.Reason + "."
	}
	return c.Model + " thought too long and was stopped."
}

// attrGoOn marks the Note about an answer that was cut short; its value is the reason, or
// "yes" in Notes of older versions.
const attrGoOn = "go-on"

// attrReason is the server's word for why it ended an answer.
const attrReason = "reason"

// note returns the Note about the answer to a message.
func (c CutShort) note(message string) transcript.Block {
	attrs := map[string]string{attrGoOn: c.Why}
	if c.After > 0 {
		attrs[attrTook] = tookAttr(c.After)
	}
	if c.Reason != "" {
		attrs[attrReason] = c.Reason
	}
	return transcript.Block{Note: noteLimit, Model: c.Model, Parent: message, Text: c.words(), Attrs: attrs}
}

// CanGoOn reports whether a Note is about an answer that another message could continue.
func CanGoOn(note transcript.Block) bool { return note.Attrs[attrGoOn] != "" }

// CutShortOf returns why the answer that a Note is about is incomplete, or nil if only the
// Note's text tells it.
func CutShortOf(note transcript.Block) *CutShort {
	why := note.Attrs[attrGoOn]
	if why == "" || why == "yes" {
		return nil
	}
	return &CutShort{Why: why, Model: note.Model, After: TookOf(note), Reason: note.Attrs[attrReason]}
}
