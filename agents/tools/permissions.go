// Package tools decides what a turn may do.
//
// The decision follows from where the text that the turn holds came from, never from
// what it says: a model may obey any of it. A turn that holds nothing but what the user
// typed may save a memory and read a page. Beside a page, a file, a channel, another
// agent's answer or recalled text of these, a memory is proposed, and an address is read
// only where nobody can have put anything into it: the user typed it, or it stands on a
// page that was read in this turn and is no more than a path. All else needs a yes.
//
// A tool that acts outside this program is Guarded: it runs where the person said so for
// this call, or for all of them (Answers) in a turn that holds their own typing alone.
//
// A Permissions belongs to one turn and is used by its goroutine alone.
package tools

import (
	"strings"

	"mac-stats/sessionmem/transcript"
)

// maxFollowed is how many addresses of pages a turn reads without a question. A page may
// list ten thousand and learn something from which one is read.
const maxFollowed = 3

// Permissions are what a turn may do. The zero value is that of a turn that holds
// nothing yet.
type Permissions struct {
	sources  transcript.Sources
	typed    map[string]bool // addresses in the user's own words
	listed   map[string]bool // addresses on the pages that were read
	foreign  bool            // descriptions of other programs' tools are among what the model is told
	followed int             // of them that were read without a question
	denied   map[string]bool // actions that the user said no to
}

// Hold notes that from now on the turn holds text of these sources.
func (p *Permissions) Hold(s transcript.Sources) { p.sources |= s }

// Sources gives the sources of all that the turn holds, and so of what it says.
func (p *Permissions) Sources() transcript.Sources { return p.sources }

// Describe notes that the model is told of another program's tools, in that program's
// words. They were there when the person chose the program, so a yes that lasts counts
// beside them; but nothing is remembered, and no address read, because they say so.
func (p *Permissions) Describe() { p.foreign = true }

// Remember decides about a lesson that the model wants to save while it held text of
// these sources.
func (p *Permissions) Remember(held transcript.Sources) Decision {
	if held.Typed() && !p.foreign {
		return Allowed
	}
	return Ask
}

// UserTyped notes the addresses in the user's own words.
func (p *Permissions) UserTyped(text string) {
	if p.typed == nil {
		p.typed = map[string]bool{}
	}
	for _, a := range typedAddresses(text) {
		p.typed[a] = true
	}
}

// PageRead notes that a page was read, with the addresses that stand on it.
func (p *Permissions) PageRead(text string) {
	p.Hold(transcript.FromPage)
	if p.listed == nil {
		p.listed = map[string]bool{}
	}
	for _, a := range listedAddresses(text) {
		p.listed[a] = true
	}
}

// Action is what a call of a Guarded tool would do, as a person is asked about it.
type Action struct {
	Tool   string // RUN_CMD, files.read_file
	Covers string // what an answer that lasts is limited to: the program, the host; "" the tool with any arguments
	What   string // exactly what would run or be sent
	Where  string // on which server, at which host, in which folder
	Effects
	// Stamp changes with the tool's description. After a change a yes is asked for anew.
	Stamp string
	// Single: a yes holds for this call alone, since nobody can say what it would cover.
	Single bool

	Agent    string // whose call it is: its slug
	Session  string
	Schedule string // whose turn it is; "" of a person's
	Given    string // what the schedule says under permissions
}

// key is equal for actions that an answer that lasts would cover.
func (a Action) key() string {
	return strings.Join([]string{a.Session, a.Agent, a.Tool, a.Covers}, "\x00")
}

// Effects are what a tool touches, in words for people; "" is nothing.
type Effects struct {
	Reads  string `json:"reads,omitempty"`
	Writes string `json:"writes,omitempty"`
	Sends  string `json:"sends,omitempty"` // what it gives to whom
}

// Act decides about a call of a Guarded tool that the model made while it held text of
// these sources. changed: it was allowed when the tool's description was another one.
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

// Denied notes that the user said no to it.
func (p *Permissions) Denied(a Action) {
	if p.denied == nil {
		p.denied = map[string]bool{}
	}
	p.denied[a.key()+a.What] = true
}

// Decision is whether something may run.
type Decision int

// The decisions.
const (
	Allowed Decision = iota
	Ask              // only where the user says yes
	Refused          // the user said no already
)

// Fetch decides about an address that the model wants to read while it held text of
// these sources. The address to read, or to ask about, is the one that was decided on:
// in its one form, without letters whose case or coding a model chose.
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
