// Package tools decides what a turn may do.
//
// The decision follows from where the text that the turn holds came from, never from
// what it says: a model may obey any of it. A turn that holds nothing but what the user
// typed may save a memory and read a page. Beside a page, a file, a channel, another
// agent's answer or recalled text of these, a memory is proposed, and an address is read
// only where nobody can have put anything into it: the user typed it, or it stands on a
// page that was read in this turn and is no more than a path. All else needs a yes.
//
// A Permissions belongs to one turn and is used by its goroutine alone.
package tools

import (
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
	followed int             // of them that were read without a question
	denied   map[string]bool // addresses that the user said no to
}

// Hold notes that from now on the turn holds text of these sources.
func (p *Permissions) Hold(s transcript.Sources) { p.sources |= s }

// Sources gives the sources of all that the turn holds, and so of what it says.
func (p *Permissions) Sources() transcript.Sources { return p.sources }

// Remember decides about a lesson that the model wants to save while it held text of
// these sources.
func (p *Permissions) Remember(held transcript.Sources) Decision {
	if held.Typed() {
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

// Denied notes that the user said no to an address.
func (p *Permissions) Denied(address string) {
	if p.denied == nil {
		p.denied = map[string]bool{}
	}
	p.denied[Address(address)] = true
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
	if held.Typed() {
		return Allowed, address
	}
	address = Address(address)
	switch {
	case p.denied[address]:
		return Refused, address
	case p.typed[address]:
		return Allowed, address
	case p.listed[address] && p.followed < maxFollowed:
		p.followed++
		return Allowed, address
	}
	return Ask, address
}
