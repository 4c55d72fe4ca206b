package transcript

import (
	"slices"
	"strings"
	"time"
)

// Kind is the kind of a transcript's block.
type Kind string

// The kinds of the format mac-stats-session/1. A message (what counts and limits refer to) is
// a User block or an Assistant block; the others are shown but not counted.
const (
	KindUser      Kind = "user"
	KindAssistant Kind = "assistant"
	KindAgent     Kind = "agent"
	KindTool      Kind = "tool"
	KindSummary   Kind = "summary"
	KindNote      Kind = "note"
	KindText      Kind = "text" // text that could not be read as a block, shown as it is
)

// The values of Block.Note that this version interprets. Others are kept and shown.
const (
	NoteInterrupted = "interrupted" // the answer before it was cut off; Parent is its User block
	NoteEnded       = "ended"       // a reset: the context never crosses it
	NoteTitle       = "title"       // Text is the session's new title
	NoteRewind      = "rewind"      // Text is a block's id: the blocks from there on leave the context
	NoteVersion     = "version"     // Text is the id of a message that a rewind removed: its branch becomes current again, as it was when it was left
	NoteThinking    = "thinking"    // Text is what a model thought before its answer: shown, never sent
	NoteError       = "error"       // Text says what went wrong
	NoteRemoved     = "removed"     // in journals only: Text names the blocks that were found missing then
	NoteRestored    = "restored"    // the blocks above it were dropped by an editor's late save and restored
	NoteSettings    = "settings"    // Text holds the session's settings, see Settings
	NoteEdited      = "edited"      // the text of the block Parent is Text from here on: its author edited it
	NoteDeleted     = "deleted"     // the block Parent leaves the context: its author deleted it
)

// Block is one entry of a transcript:
//
//	## Kind · 2026-11-21T10:15:05+01:00 · agent · model
//	<!-- id=7f3b parent=7f3a task="…" -->
//
//	text
type Block struct {
	ID      string // unique in the session; Append assigns one if empty
	Kind    Kind
	Time    time.Time // Append sets it if zero; RFC 3339, seconds, local offset
	Agent   string    // agent slug (or the tool's name for KindTool)
	Model   string
	Parent  string            // ID of the User block this belongs to
	Task    string            // Agent blocks: what the specialist was asked to do
	Context string            // User blocks: what was added below the message when it was sent (time, vitals, notes)
	Through string            // Summary blocks: ID of the last block it covers
	By      string            // Summary blocks, Notes "title": the model that wrote it
	Note    string            // Note blocks: interrupted | ended | title | rewind | version | thinking | error | restored | settings | edited | deleted; the argument is Text
	Attrs   map[string]string // attributes unknown to this version, kept
	Text    string            // normalised: valid UTF-8, LF, outer blank lines trimmed
}

// IsMessage reports whether b is a User or a final Assistant block, which is what "message"
// means everywhere in this project.
func (b Block) IsMessage() bool { return b.Kind == KindUser || b.Kind == KindAssistant }

// IsBranching reports whether the block is a Note that starts a branch or returns to one.
func (b Block) IsBranching() bool {
	return b.Kind == KindNote && (b.Note == NoteRewind || b.Note == NoteVersion)
}

// Steers reports whether the block changes which other blocks are in the context.
func (b Block) Steers() bool {
	return b.Kind == KindSummary || b.Kind == KindNote && (b.Note == NoteEnded || b.Note == NoteRewind || b.Note == NoteVersion)
}

// Info is an entry of the session list.
type Info struct {
	Name     string // "<source>-<id>", e.g. cpu-k3x9qa
	Source   string // cpu, cli, discord, …
	ID       string
	Title    string
	Path     string   // absolute path of the transcript, of its last part if there are several; "" for an in-memory session
	Parts    []string // absolute paths of all its parts in order; nil if there is one file
	Messages int      // in the file, including those of abandoned branches
	Agent    string   // the agent that answered last, "" if none did
	Started  time.Time
	Active   time.Time // time of the last block
	Archived bool      // in the archive folder
	Ended    bool      // the last block is a reset
	ReadOnly bool      // a newer format, a copy, or an older file of a session with a newer one
	Copy     bool      // a copy of the session's transcript that the app didn't make
	Machine  string    // the other machine it belongs to; "": this one
	Err      error     // why the file could not be read; the others are listed anyway
}

// Transcript is a whole session as read from disk.
type Transcript struct {
	Info   Info
	Blocks []Block

	// FrontMatter is the text between the two --- lines, as it is in the file; "" if there
	// is none.
	FrontMatter string
}

// Context is what a model sees of a session: the last Summary (if any) and the messages
// after it, oldest first. A text of more than 4 MB is cut and says so.
type Context struct {
	Summary  *Block
	Messages []Block // only messages (see Block.IsMessage), with branches and resets applied
	Omitted  int     // older messages after the Summary that are left out: Messages holds at most 2,000, and 16 MB
	Total    int     // messages in the whole session on this branch

	Settings Settings // the session's settings
	Titled   bool     // the session was given a title
}

// KindNames are the words used in headings.
var KindNames = []struct {
	Kind Kind
	word string
}{
	{KindUser, "User"},
	{KindAssistant, "Assistant"},
	{KindAgent, "Agent"},
	{KindTool, "Tool"},
	{KindSummary, "Summary"},
	{KindNote, "Note"},
	{KindText, "Text"},
}

// kindOf returns the kind for a heading's word; ok is false for a word this version doesn't
// know.
func kindOf(word string) (k Kind, ok bool) {
	for _, n := range KindNames {
		if strings.EqualFold(n.word, word) {
			return n.Kind, true
		}
	}
	return KindText, false
}

// word returns the heading's word for the kind; unknown kinds are Text.
func (k Kind) word() string {
	for _, n := range KindNames {
		if n.Kind == k {
			return n.word
		}
	}
	return "Text"
}

// Normalized returns the block as a transcript stores it: reading back what was written
// returns exactly this, and normalising twice changes nothing. Text becomes valid
// UTF-8 with LF line ends and without outer blank lines, the time is cut to RFC 3339 with
// seconds, and a missing ID is derived from the content.
func (b Block) Normalized() Block {
	if k, ok := kindOf(string(b.Kind)); ok {
		b.Kind = k
	} else {
		b.Kind = KindText
	}
	b.Time = normalizeTime(b.Time)
	for _, f := range []*string{&b.ID, &b.Agent, &b.Model, &b.Parent, &b.Task, &b.Context, &b.Through, &b.By, &b.Note} {
		*f = strings.ToValidUTF8(*f, "\uFFFD")
	}
	b.Attrs = normalizeAttrs(b.Attrs)
	b.Text = normalizeText(b.Text)
	if b.Kind == KindNote && b.Note == "" {
		b.Note, b.Text = splitNote(b.Text)
	}
	if b.ID == "" {
		b.ID = DeriveID(b.Kind, b.Text)
	}
	return b
}

// splitNote finds the note's word in a text such as "title Why is my fan loud", which is how
// people write a note by hand.
func splitNote(text string) (note, rest string) {
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case NoteTitle, NoteRewind, NoteVersion, NoteError:
		return word, normalizeText(rest)
	case NoteInterrupted, NoteEnded, NoteRestored, NoteDeleted:
		if rest == "" {
			return word, ""
		}
	}
	return "", text
}

// normalizeText makes text valid UTF-8 with LF line ends and trims outer blank lines.
func normalizeText(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.ContainsRune(text, '\r') {
		text = strings.ReplaceAll(text, "\r\n", "\n")
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	return TrimBlankLines(text)
}

// TrimBlankLines removes blank lines at both ends; the spaces of the first and last line with
// text stay.
func TrimBlankLines(text string) string {
	for {
		line, rest, found := strings.Cut(text, "\n")
		if strings.TrimSpace(line) != "" {
			break
		}
		if !found {
			return ""
		}
		text = rest
	}
	for {
		i := strings.LastIndexByte(text, '\n')
		if i < 0 || strings.TrimSpace(text[i+1:]) != "" {
			return text
		}
		text = text[:i]
	}
}

// normalizeTime cuts t to what RFC 3339 with seconds can represent.
func normalizeTime(t time.Time) time.Time {
	if t.IsZero() || t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}
	}
	t = t.Truncate(time.Second)
	if _, offset := t.Zone(); offset%60 != 0 || offset <= -24*3600 || offset >= 24*3600 {
		t = t.UTC()
	}
	if t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}

// normalizeAttrs changes keys so that the comment line can hold them and none is one of our
// own. If two keys become the same, the first in order wins.
func normalizeAttrs(attrs map[string]string) map[string]string {
	if len(attrs) == 0 {
		return nil
	}
	keys := make([]string, 0, len(attrs))
	for k := range attrs {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	out := make(map[string]string, len(attrs))
	for _, k := range keys {
		nk := attrKey(k)
		if _, taken := out[nk]; !taken {
			out[nk] = strings.ToValidUTF8(attrs[k], "\uFFFD")
		}
	}
	return out
}

// IsCorrection reports whether b is a Note that a message was edited or deleted.
func (b Block) IsCorrection() bool {
	return b.Kind == KindNote && (b.Note == NoteEdited || b.Note == NoteDeleted)
}

// corrections returns the last correction of each block, by the block's ID.
func corrections(all []Block) map[string]Block {
	last := map[string]Block{}
	for _, b := range all {
		if b.IsCorrection() {
			last[b.Parent] = b
		}
	}
	return last
}

// corrected applies the corrections among all to blocks: edited blocks get their new text,
// deleted blocks and the notes are removed.
func corrected(blocks, all []Block) []Block {
	last := corrections(all)
	if len(last) == 0 {
		return blocks
	}
	out := make([]Block, 0, len(blocks))
	for _, b := range blocks {
		note, changed := last[b.ID]
		switch {
		case b.IsCorrection(), changed && note.Note == NoteDeleted:
			continue
		case changed:
			b.Text = note.Text
		}
		out = append(out, b)
	}
	return out
}

// Writers returns the IDs of those who wrote a message on Discord. When the bot listens to
// everyone, a message holds what several people wrote.
func (b Block) Writers() []string {
	if b.Attrs["author"] == "" && b.Attrs["authors"] == "" {
		return nil
	}
	return strings.Fields(b.Attrs["author"] + " " + b.Attrs["authors"])
}

// WrittenBy reports whether this Discord user wrote the message or a part of it.
func (b Block) WrittenBy(author string) bool { return slices.Contains(b.Writers(), author) }

// Files returns the absolute paths of the transcript's files, the oldest part first; none for
// an in-memory session.
func (i Info) Files() []string {
	switch {
	case len(i.Parts) > 0:
		return i.Parts
	case i.Path != "":
		return []string{i.Path}
	}
	return nil
}
