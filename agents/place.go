package agents

import (
	"strings"

	"mac-stats/agents/prompt"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// Place is the origin of other people's messages: a Discord channel. It alone defines
// what a turn there knows, says and may do; nothing comes from the owner's own
// conversations.
type Place struct {
	// Prompt comes first in every system prompt of the turn.
	Prompt string
	// Tools are the names of the tools that may be used; empty means none.
	// MEMORY_APPEND only ever proposes there.
	Tools []string
	// Memory are the files that the prompts contain instead of the global memory.
	Memory []SharedTarget
	// Global adds the memory of all agents, if only the owner reads the answer.
	Global bool
	// OwnMemory adds the agent's own memory, if the agent was assigned to the place.
	OwnMemory bool
	// Lessons is the memory for which lessons are proposed; required.
	Lessons memory.Target

	Author string            // the writer's name, as the model sees it
	Attrs  map[string]string // of the User block: author=, msg=

	Turns        int // at most so many turns of the history are sent, two messages each; below 0 is no limit
	MessageChars int // characters of a message to send; the transcript keeps all
	// Around returns what others said, which is sent before the message, below the history. history holds
	// the messages that are sent anyway, the newest last. Optional.
	Around func(history []transcript.Block) string
}

// SharedTarget is a memory file for a prompt, with a heading and a budget in characters.
type SharedTarget struct {
	Target  memory.Target
	Heading string
	Budget  int
}

const (
	attrAuthor = "author"
	attrName   = "name"  // of the author, as shown
	attrFiles  = "files" // the attachments of a stranger's message; links in its text open nothing else
	maxName    = 40
	// aroundShare limits the words of others to a share of the model's context, in
	// percent.
	aroundShare = 25
)

// attrs returns the attributes of the User block to which files are attached.
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

// asSent returns a message as the model sees it. In a place, it is cut to the maximum
// length and begins with its author's name; further lines are indented, so that none
// looks like the beginning of another person's message.
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
