package transcript

import (
	"slices"
	"strings"
	"time"
)

// Kind says what a block of a transcript holds.
type Kind string

// The kinds of the format mac-stats-session/1. A message (what counts and caps
// count) is a User block or an Assistant block; the others are shown, uncounted.
const (
	KindUser      Kind = "user"
	KindAssistant Kind = "assistant"
	KindAgent     Kind = "agent"
	KindTool      Kind = "tool"
	KindSummary   Kind = "summary"
	KindNote      Kind = "note"
	KindText      Kind = "text" // what could not be read as a block, shown as it is
)

// The values of Block.Note that this version gives a meaning to. Others are kept
// and shown.
const (
	NoteInterrupted = "interrupted" // the answer before it was cut off; Parent is its User block
	NoteEnded       = "ended"       // a reset: no context crosses it
	NoteTitle       = "title"       // Text is the session's new title
	NoteRewind      = "rewind"      // Text is a block's id: from it on, blocks leave the context
	NoteVersion     = "version"     // Text is a message's id that a rewind took out: from here on its branch is the one again, as it was when it was left
	NoteThinking    = "thinking"    // Text is what a model thought before its answer: shown, never sent
	NoteError       = "error"       // Text says what failed
	NoteRemoved     = "removed"     // stands in a journal alone: Text names the blocks that were found missing then
	NoteRestored    = "restored"    // blocks that an editor's late save had dropped stand again above it
	NoteSettings    = "settings"    // Text says what was chosen for the session, see Settings
	NoteEdited      = "edited"      // the block Parent says Text from here on: its author edited it
	NoteDeleted     = "deleted"     // the block Parent leaves the context: its author deleted it
)

// Block is one entry of a transcript:
//
//	## Kind · 2026-11-21T10:15:05+01:00 · agent · model
//	<!-- id=7f3b parent=7f3a task="…" -->
//
//	text
type Block struct {
	ID      string // unique in the session; Append gives one where empty
	Kind    Kind
	Time    time.Time // Append sets it where zero; RFC 3339, seconds, local offset
	Agent   string    // agent slug (or the tool's name for KindTool)
	Model   string
	Parent  string            // id of the User block this belongs to
	Task    string            // Agent blocks: what the specialist was asked
	Context string            // User blocks: what was attached below the message when it was sent (time, vitals, notes)
	Through string            // Summary blocks: id of the last block it covers
	By      string            // Summary blocks, Notes "title": the model that wrote it
	Note    string            // Note blocks: interrupted | ended | title | rewind | version | thinking | error | restored | settings | edited | deleted; the argument is Text
	Attrs   map[string]string // attributes this version does not know, kept
	Text    string            // normalized: valid UTF-8, LF, outer blank lines trimmed
}

// IsMessage reports whether b is a User or a final Assistant block: what "a
// message" means everywhere in this project.
func (b Block) IsMessage() bool { return b.Kind == KindUser || b.Kind == KindAssistant }

// IsBranching says whether the block is a Note that begins a branch or goes back to one.
func (b Block) IsBranching() bool {
	return b.Kind == KindNote && (b.Note == NoteRewind || b.Note == NoteVersion)
}

// Steers says whether the block changes what of the others is context.
func (b Block) Steers() bool {
	return b.Kind == KindSummary || b.Kind == KindNote && (b.Note == NoteEnded || b.Note == NoteRewind || b.Note == NoteVersion)
}

// Info is a line of the session list.
type Info struct {
	Name     string // "<source>-<id>", e.g. cpu-k3x9qa
	Source   string // cpu, cli, discord, …
	ID       string
	Title    string
	Path     string   // absolute path of the transcript, of several parts the last; "" for an in-memory session
	Parts    []string // absolute paths of all its parts, the first in front; nil where there is one file
	Messages int      // in the file, those of left branches too
	Agent    string   // who answered last, "" where nobody did
	Started  time.Time
	Active   time.Time // time of the last block
	Archived bool      // in the archive folder
	Ended    bool      // the last block is a reset
	ReadOnly bool      // a newer format, a copy, or an older file of a session that has a newer one
	Copy     bool      // a copy of the session's transcript that the app didn't make
	Machine  string    // the other machine that it is of; "": this one, where its file is
	Err      error     // why the file could not be read; the others are listed all the same
}

// Transcript is a whole session as read from disk.
type Transcript struct {
	Info   Info
	Blocks []Block

	// FrontMatter is what stands between the two --- lines, as it is in the file;
	// "" where there is none.
	FrontMatter string
}

// Context is what a model is told of a session: the last Summary (if any) and
// the messages after it, oldest first. A text of more than 4 MB is cut, and says so.
type Context struct {
	Summary  *Block
	Messages []Block // only messages (see Block.IsMessage), branch and reset rules applied
	Omitted  int     // older ones behind the Summary that are left out: Messages holds at most 2,000 of them, and 16 MB
	Total    int     // messages in the whole session, on this branch

	Settings Settings // what was chosen for the session
	Titled   bool     // somebody gave it a title
}

// KindNames are the words of the headings.
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

// kindOf gives the kind a heading's word names; ok is false for a word this
// version does not know.
func kindOf(word string) (k Kind, ok bool) {
	for _, n := range KindNames {
		if strings.EqualFold(n.word, word) {
			return n.Kind, true
		}
	}
	return KindText, false
}

// word is the heading's word for the kind; unknown kinds are Text.
func (k Kind) word() string {
	for _, n := range KindNames {
		if n.Kind == k {
			return n.word
		}
	}
	return "Text"
}

// Normalized is the block as a transcript keeps it: reading back what was written
// gives exactly this, and normalizing twice changes nothing. Text becomes valid
// UTF-8 with LF line ends and without outer blank lines, the time loses what RFC
// 3339 with seconds can't say, a missing ID is derived from the content.
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

// splitNote finds the note's word in a text such as "title Why is my fan loud":
// how a person writes a note by hand.
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

// TrimBlankLines takes away whole blank lines at both ends; the spaces of the
// first and last line with text stay.
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

// normalizeTime cuts t to what RFC 3339 in seconds can say.
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

// normalizeAttrs makes every key one that the comment line can hold and that is
// none of ours. Of two keys that become the same the first in order wins.
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

// IsCorrection says whether b is a Note that a message was edited or deleted.
func (b Block) IsCorrection() bool {
	return b.Kind == KindNote && (b.Note == NoteEdited || b.Note == NoteDeleted)
}

// corrected gives blocks as they read after the corrections among all, without those that
// were deleted and without the notes.
func corrected(blocks, all []Block) []Block {
	last := map[string]Block{}
	for _, b := range all {
		if b.IsCorrection() {
			last[b.Parent] = b
		}
	}
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

// Writers are the ids of who wrote a message on Discord: where the bot has fun, it
// holds what several people said.
func (b Block) Writers() []string {
	if b.Attrs["author"] == "" && b.Attrs["authors"] == "" {
		return nil
	}
	return strings.Fields(b.Attrs["author"] + " " + b.Attrs["authors"])
}

// WrittenBy reports whether somebody on Discord wrote the message, or a part of it.
func (b Block) WrittenBy(author string) bool { return slices.Contains(b.Writers(), author) }

// Files gives the absolute paths of the transcript's files, the oldest part first;
// none for an in-memory session.
func (i Info) Files() []string {
	switch {
	case len(i.Parts) > 0:
		return i.Parts
	case i.Path != "":
		return []string{i.Path}
	}
	return nil
}
