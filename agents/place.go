package agents

import (
	"strings"

	"mac-stats/agents/prompt"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// Place is where a message of others comes from: a channel of Discord. What a turn
// there knows, says and may do is what stands here: not what the owner's own
// conversations have.
type Place struct {
	// Prompt comes first in every system prompt of the turn.
	Prompt string
	// Tools are the names of the tools that may be used; none where it is empty.
	// MEMORY_APPEND only ever proposes there.
	Tools []string
	// Memory are the files that the prompts hold in the place of everybody's memory.
	Memory []SharedTarget
	// Global adds the memory of all agents: where the owner alone reads the answer.
	Global bool
	// OwnMemory adds the agent's own memory: where the place was given that agent.
	OwnMemory bool
	// Lessons is where what is learnt is proposed for; required.
	Lessons memory.Target

	Author string            // who wrote, as the model is told
	Attrs  map[string]string // of the User block: author=, msg=

	Turns        int // turns of the history that are sent, two messages each
	MessageChars int // of a message that are sent; the transcript keeps all of it
	// Around gives what others said, to be sent before the history: history are the
	// messages that are sent anyway, the newest last. Optional.
	Around func(history []transcript.Block) string
}

// SharedTarget is a memory file for a prompt, under a heading and within a budget of
// characters.
type SharedTarget struct {
	Target  memory.Target
	Heading string
	Budget  int
}

const (
	attrAuthor = "author"
	attrName   = "name"  // of the author, as shown
	attrFiles  = "files" // what was attached to a stranger's message: links in its text open nothing else
	maxName    = 40
	// aroundShare is what the words of others may take of the model's context, in
	// percent.
	aroundShare = 25
)

// attrs are those of the User block; files are attached to it.
func (p *Place) attrs(files []transcript.Attachment) map[string]string {
	attrs := map[string]string{}
	for k, v := range p.Attrs {
		attrs[k] = v
	}
	if name := prompt.PlainName(p.Author, maxName); name != "" {
		attrs[attrName] = name
	}
	var names []string
	for _, f := range files {
		names = append(names, f.File)
	}
	if len(names) > 0 {
		attrs[attrFiles] = strings.Join(names, " ")
	}
	return attrs
}

// asSent is a message as the model is told it: as it is, of a place cut to its length and
// with the name of who wrote it. Its further lines are set in, so that none of them reads
// like the beginning of another person's message.
func (p *Place) asSent(b transcript.Block) transcript.Block {
	if p == nil {
		return b
	}
	if runes := []rune(b.Text); p.MessageChars > 0 && len(runes) > p.MessageChars {
		b.Text = string(runes[:p.MessageChars]) + "… [cut]"
	}
	if name := b.Attrs[attrName]; name != "" && b.Kind == transcript.KindUser {
		b.Text = name + ": " + strings.ReplaceAll(b.Text, "\n", "\n  ")
	}
	return b
}

// history is what is sent of it: the last turns before the message.
func (p *Place) history(messages []transcript.Block) (kept []transcript.Block, left int) {
	if p == nil || p.Turns < 0 {
		return messages, 0
	}
	left = max(len(messages)-1-2*p.Turns, 0)
	return messages[left:], left
}

// around is what others said beside the history.
func (p *Place) around(history []transcript.Block) string {
	if p == nil || p.Around == nil {
		return ""
	}
	return p.Around(history)
}
