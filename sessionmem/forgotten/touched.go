package forgotten

import (
	"fmt"
	"os"
	"time"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// The actions of a forgetting on what it finds.
const (
	Emptied  = "forgotten" // its text becomes [forgotten]
	Rebuilt  = "rebuilt"   // a Summary: made again from what is left, without a model
	Removed  = "removed"   // removed altogether
	Proposed = "proposed"  // its removal is proposed in the inbox
	Renamed  = "renamed"   // a file whose name quotes it
	Kept     = "kept"      // it stays; Why is the reason
	Pending  = "pending"   // in use now: it goes by itself as soon as that ends; Why says what it waits for
	Refused  = "refused"   // it can't be removed; Why says the next step, or with Final that there is none
)

// Touched is one place that a forgetting found, and what it did there.
type Touched struct {
	Place   string    `json:"place"`  // user, assistant, agent, tool, summary, note, title, attachment, checkpoint, memory, lesson, proposal, undo, …
	Action  string    `json:"action"` // one of the constants above
	Path    string    `json:"path"`   // of the file, absolute; commands and the local API return it relative to the data folder
	Session string    `json:"session,omitempty"`
	Block   string    `json:"block,omitempty"`
	Line    int       `json:"line,omitempty"` // of a memory file, from 1
	Time    time.Time `json:"time,omitzero"`
	Text    string    `json:"text,omitempty"` // the beginning of it, only in a dry run
	Why     string    `json:"why,omitempty"`
	Offer   string    `json:"offer,omitempty"` // for what stays: the ID with which the user can choose to remove it too
	Final   bool      `json:"final,omitempty"` // refused for good: it isn't a memory, and isn't tried again

	Latest []string `json:"-"` // of a journal: its blocks of the very second of the forgetting
}

// maxPreview is the maximum length of a text in a dry run, in characters.
const maxPreview = 160

// Preview returns the beginning of a text on one line, at most 160 characters.
func Preview(text string) string {
	text = transcript.OneLine(text)
	if r := []rune(text); len(r) > maxPreview {
		text = string(r[:maxPreview-1]) + "…"
	}
	return text
}

// OtherNames reports a rewritten file that has other names (hard links), which keep the old
// text. Nobody knows where they are.
func OtherNames(path, session string, fi os.FileInfo) []Touched {
	if fi == nil || wholefile.LinkCount(fi) < 2 {
		return nil
	}
	return []Touched{{
		Place: "hard link", Action: Kept, Path: path, Session: session,
		Why: fmt.Sprintf("the file has another name elsewhere, which keeps the old text; find it with `find ~ -inum %d`, and remove it", wholefile.Inode(fi)),
	}}
}
