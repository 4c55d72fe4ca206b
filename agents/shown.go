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

	"mac-stats/agents/tools"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/transcript"
)

// The attributes of a turn's blocks hold what the window shows beside their text, so that
// a conversation looks the same when it is loaded again. Most hold only numbers; words
// are in the text, where a search finds them.
const (
	attrFailed = "failed" // of a tool's block: its text is the reason
	attrTook   = "took"   // how long a call or a thought took
	attrSpeed  = "speed"  // of an answer, in tokens per second
	attrRead   = "read"   // of an answer: tokens that its first prompt made the server read, of how many, how long, and why it was more than what was new
	attrTokens = "tokens" // tokens of the prompt, of the answer and of the whole context

	// How the request of an answer began, so that the next one, of whatever process, begins
	// with the same bytes; see beginning.
	attrBegan = "began" // a hash of it, and a mark of each memory file in the system prompt
	attrSince = "since" // the IDs of the lines of memory that were sent beside the message
	attrTools = "tools" // the tools of other programs that were offered, if not all fitted

	// The block of a call also holds the words of the reply that aren't in its task, so that
	// nothing that a model wrote is in no file.
	attrCall   = "call"   // the call as the model wrote it
	attrBehind = "behind" // the text that it wrote behind the call, before it knew the result
)

// callAttrs adds what a model wrote in and behind a call. A directive in its exact form is
// the tool's name and the task.
func callAttrs(attrs map[string]string, c *tools.Call) map[string]string {
	if raw := strings.TrimSpace(c.Raw); raw != "" && raw != c.Name+": "+c.Arg {
		attrs[attrCall] = raw
	}
	if behind := strings.TrimSpace(c.Behind); behind != "" {
		attrs[attrBehind] = behind
	}
	return attrs
}

// WrittenOf returns what a model wrote in and behind the call of a block, or "" if that is
// only the tool's name and the task.
func WrittenOf(b transcript.Block) string {
	return strings.TrimSpace(b.Attrs[attrCall] + "\n\n" + b.Attrs[attrBehind])
}

// tookAttr returns a duration as an attribute, in milliseconds.
func tookAttr(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) + "ms" }

// TookOf returns how long a block's call or thinking took, or 0 if it is unknown.
func TookOf(b transcript.Block) time.Duration {
	d, err := time.ParseDuration(b.Attrs[attrTook])
	if err != nil || d < 0 {
		return 0
	}
	return d
}

// FailedOf returns why a tool's call failed or was refused, or "" if it succeeded.
func FailedOf(b transcript.Block) string {
	why, failed := strings.CutPrefix(b.Text, failedPrefix)
	_, timed := b.Attrs[attrTook] // versions that write attrTook also write attrFailed
	if b.Kind != transcript.KindTool || b.Attrs[attrFailed] == "" && (timed || !failed) {
		return ""
	}
	return why
}

// failedPrefix comes before the reason in the block of a failed call.
const failedPrefix = "failed: "

// usageAttrs adds the cost of an answer to its attributes.
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

// readAttr returns what the first prompt of an answer made the server read: "212/6480 900ms",
// and the reason if it had to read the beginning again.
func readAttr(u *Usage, why string) string {
	text := fmt.Sprintf("%d/%d %s", u.NewTokens, u.PromptTokens, tookAttr(u.ReadTime))
	if u.Lost {
		why = ReadLost
	}
	return strings.TrimSpace(text + " " + why)
}

// Why a server had to read more than what is new in a request.
const (
	ReadBegan  = "began"  // the conversation's first request of this process's server
	ReadBreak  = "break"  // a Summary or a cut, another model, changed instructions or tools
	ReadMemory = "memory" // a line of memory was removed or changed
	ReadLost   = "lost"   // another conversation used the server's only place in between
)

// ReadingOf returns what the first prompt of an answer made the server read: its tokens, of
// how many, and why (see ReadBegan). ok is false if the block doesn't tell.
func ReadingOf(b transcript.Block) (u Usage, why string, ok bool) {
	fields := strings.Fields(b.Attrs[attrRead])
	if len(fields) < 2 {
		return u, "", false
	}
	n, err := fmt.Sscanf(fields[0], "%d/%d", &u.NewTokens, &u.PromptTokens)
	took, err2 := time.ParseDuration(fields[1])
	if err != nil || n < 2 || err2 != nil || min(u.NewTokens, u.PromptTokens) < 0 || took < 0 {
		return Usage{}, "", false
	}
	u.ReadTime = took
	return u, strings.Join(fields[2:], " "), true
}

// UsageOf returns the cost of an answer, or nil if its block doesn't have it.
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

// memoryAttr is the attribute of an answer's block that lists the memory files in its
// prompt, each with its number of lines: memory="memory.md:12 agent-001/memory.md:3".
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

// ReadOf returns the memory files that the prompt of an answer contained, by its block.
// The names come from a file that people edit, so a name that leads out of its folder is
// left out.
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

// RecalledOf returns the passages that an answer's block names.
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

// notesOf returns passages in the form of events.
func notesOf(list []transcript.Quotation) []RecalledNote {
	notes := RecalledOf(transcript.Block{}.WithRecalled(list))
	for i := range notes {
		at := slices.IndexFunc(list, func(q transcript.Quotation) bool { return q.Chunk == notes[i].Chunk })
		notes[i].Time, notes[i].Text = list[at].Time, list[at].Text
	}
	return notes
}

// usedOf returns the passages that were sent with a message.
func usedOf(b transcript.Block) []transcript.Quotation {
	var list []transcript.Quotation
	for _, id := range b.Recalled() {
		list = append(list, transcript.Quotation{Chunk: id})
	}
	return list
}

// A message can be addressed to an agent or a skill instead of the conversation's agent.
// Its block records that, so that a retry is answered by the same one.
const (
	attrTo    = "to"    // the agent
	attrSkill = "skill" // the skill whose rules apply
)

// AddressOf returns the agent or the skill to which a message is addressed, or "" for the
// conversation's agent.
func AddressOf(b transcript.Block) string {
	return cmp.Or(b.Attrs[attrTo], b.Attrs[attrSkill])
}

// MessageText returns a message of the user as it was typed: with its addressee, without the
// links to its files.
func MessageText(b transcript.Block) string {
	text := b.Text
	if len(b.Attachments()) > 0 {
		text = transcript.WithoutAttachments(text)
	}
	if to := AddressOf(b); to != "" && text != forgotten.Text {
		return strings.TrimSpace("/" + to + " " + text)
	}
	return text
}

// AuthorOf returns the name of the person who wrote a message, "" if it is the user of this
// computer. somebody stands for a person whose name isn't known, only the number.
func AuthorOf(b transcript.Block, somebody string) string {
	author := b.Attrs[attrAuthor]
	if author != "" && strings.Trim(author, "0123456789") == "" {
		author = somebody
	}
	return cmp.Or(b.Attrs[attrName], author)
}
