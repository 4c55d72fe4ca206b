package forgotten

import (
	"fmt"
	"os"
	"time"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// What is done with something that a forgetting finds.
const (
	Emptied  = "forgotten" // its text becomes [forgotten]
	Rebuilt  = "rebuilt"   // a Summary: made anew of what is left, without a model
	Removed  = "removed"   // it goes altogether
	Proposed = "proposed"  // its removal is proposed in the inbox
	Renamed  = "renamed"   // a file whose name quotes it
	Kept     = "kept"      // it stays; Why says for what reason
	Pending  = "pending"   // somebody else is at it now: it goes by itself as soon as that is over; Why says what is waited for
	Refused  = "refused"   // it can't be taken out; Why says the next step, or with Final that there is none
)

// Touched is one place that a forgetting finds, and what it does there.
type Touched struct {
	Place   string    `json:"place"`  // user, assistant, agent, tool, summary, note, title, attachment, checkpoint, memory, lesson, proposal, undo, …
	Action  string    `json:"action"` // one of the Forget constants
	Path    string    `json:"path"`   // of the file, absolute; commands and the local API give it below the data folder
	Session string    `json:"session,omitempty"`
	Block   string    `json:"block,omitempty"`
	Line    int       `json:"line,omitempty"` // of a memory file, from 1
	Time    time.Time `json:"time,omitzero"`
	Text    string    `json:"text,omitempty"` // the beginning of it, in a dry run alone
	Why     string    `json:"why,omitempty"`
	Offer   string    `json:"offer,omitempty"` // of what stays: the id by which it can be chosen to go too
	Final   bool      `json:"final,omitempty"` // refused for good: it is no memory, and not tried again

	Latest []string `json:"-"` // of a journal: its blocks of the very second of the forgetting
}

// maxPreview is how much of a text a dry run shows, in characters.
const maxPreview = 160

// Preview is the beginning of a text on one line, at most 160 characters.
func Preview(text string) string {
	text = transcript.OneLine(text)
	if r := []rune(text); len(r) > maxPreview {
		text = string(r[:maxPreview-1]) + "…"
	}
	return text
}

// OtherNames tells of a file that is rewritten and has other names, which keep what it
// said; where they are nobody knows.
func OtherNames(path, session string, fi os.FileInfo) []Touched {
	if fi == nil || wholefile.LinkCount(fi) < 2 {
		return nil
	}
	return []Touched{{
		Place: "hard link", Action: Kept, Path: path, Session: session,
		Why: fmt.Sprintf("the file has another name elsewhere, which keeps the old text; find it with `find ~ -inum %d`, and remove it", wholefile.Inode(fi)),
	}}
}
