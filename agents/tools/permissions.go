// Package tools decides what a turn may do.
//
// The decision depends on the sources of the text that the turn holds, never on what it
// says, because a model may obey any of it. A turn that holds only what the user typed
// may save a memory and read a page. If it also holds a page, a file, a channel, another
// agent's answer, or recalled text of these, a memory is only proposed, and an address is
// read only if nobody can have put anything into it: the user typed it, or it is on a page
// read in this turn and has no query. Everything else needs a yes.
//
// A tool that acts outside this program is Guarded. It runs if the person allowed this
// call, or all its calls (Answers) in turns that hold only text the person typed.
//
// A Permissions belongs to one turn and is used only by its goroutine.
package tools

import (
	"strings"

	"mac-stats/sessionmem/transcript"
)

// maxFollowed is how many addresses found on pages a turn reads without a question. A page
// may list ten thousand and learn something from which one is read.
const maxFollowed = 3

// Permissions tracks what a turn may do. The zero value is for a turn that holds nothing
// yet.
type Permissions struct {
	sources  transcript.Sources
	typed    map[string]bool // addresses in the user's own words
	listed   map[string]bool // addresses on pages that were read
	foreign  bool            // the prompt has descriptions of other programs' tools
	followed int             // number of listed addresses read without a question
	denied   map[string]bool // actions that the user refused
}

// Hold records that the turn now holds text from these sources.
func (p *Permissions) Hold(s transcript.Sources) { p.sources |= s }

// Sources returns the sources of all text that the turn holds, and so of its answer.
func (p *Permissions) Sources() transcript.Sources { return p.sources }

// Describe records that the prompt describes another program's tools in that program's
// words. A lasting yes still applies, because the person chose the program with these
// words; but nothing is remembered, and no address is read, on account of them.
func (p *Permissions) Describe() { p.foreign = true }

// Remember decides about a lesson that the model wants to save while it holds text from
// these sources.
func (p *Permissions) Remember(held transcript.Sources) Decision {
	if held.Typed() && !p.foreign {
		return Allowed
	}
	return Ask
}

// UserTyped records the addresses in text that the user typed.
func (p *Permissions) UserTyped(text string) {
	if p.typed == nil {
		p.typed = map[string]bool{}
	}
	for _, a := range typedAddresses(text) {
		p.typed[a] = true
	}
}

// PageRead records that a page was read, with the addresses on it.
func (p *Permissions) PageRead(text string) {
	p.Hold(transcript.FromPage)
	if p.listed == nil {
		p.listed = map[string]bool{}
	}
	for _, a := range listedAddresses(text) {
		p.listed[a] = true
	}
}

// Action is what a call of a Guarded tool would do, as a person sees it in the question.
type Action struct {
	Tool   string // RUN_CMD, files.read_file
	Covers string // what a lasting answer is limited to: the program, the host; "" is the tool with any arguments
	What   string // exactly what would run or be sent
	Where  string // the server, host or folder
	Effects
	// Stamp changes with the tool's description. After a change, a yes must be given again.
	Stamp string
	// Single reports that a yes applies only to this call, because nobody can know what
	// else it would cover.
	Single bool

	Agent    string // slug of the calling agent
	Session  string
	Schedule string // the schedule that started the turn; "" for a person's turn
	Given    string // the schedule's permissions setting
}

// key is equal for actions that the same lasting answer would cover.
func (a Action) key() string {
	return strings.Join([]string{a.Session, a.Agent, a.Tool, a.Covers}, "\x00")
}

// Effects describes what a tool touches, for people; "" is nothing.
type Effects struct {
	Reads  string `json:"reads,omitempty"`
	Writes string `json:"writes,omitempty"`
	Sends  string `json:"sends,omitempty"` // what it sends to whom
}

// Act decides about a call of a Guarded tool that the model made while it held text from
// these sources. changed reports that the tool's description has changed since it was
// allowed.
func (p *Permissions) Act(a Action, held transcript.Sources, kept *Answers) (d Decision, changed bool) {
	answer, changed := kept.find(a)
	switch {
	case answer == AnswerNever, p.denied[a.key()+a.What]:
		return Refused, false
	case held.Typed() && !a.Single && (answer == AnswerChat || answer == AnswerAlways):
		return Allowed, false
	}
	return Ask, changed
}

// Denied records that the user refused an action.
func (p *Permissions) Denied(a Action) {
	if p.denied == nil {
		p.denied = map[string]bool{}
	}
	p.denied[a.key()+a.What] = true
}

// Decision is the answer to whether something may run.
type Decision int

// The decisions.
const (
	Allowed Decision = iota
	Ask              // only if the user says yes
	Refused          // the user has already said no
)

// Fetch decides about an address that the model wants to read while it holds text from
// these sources. It returns the address to read or to ask about in canonical form, so
// that nothing depends on letter case or encoding that a model chose.
func (p *Permissions) Fetch(address string, held transcript.Sources) (Decision, string) {
	if held.Typed() && !p.foreign {
		return Allowed, address
	}
	address = Address(address)
	switch {
	case p.typed[address]:
		return Allowed, address
	case p.listed[address] && p.followed < maxFollowed:
		p.followed++
		return Allowed, address
	}
	return Ask, address
}
