package fault

import (
	"fmt"
	"strings"

	"mac-stats/sessionmem/session"
)

// ExplainWaiting explains which part of a session isn't saved yet, why, and what happens
// to it.
func ExplainWaiting(u session.Refused) Explanation {
	const what = "It"
	e := Explain(&Save{What: what, Err: u.Err})
	why := strings.TrimPrefix(e.Sentence, what+" could not be saved: ")
	subject := fmt.Sprintf("%d messages are", u.Messages)
	if u.Messages == 1 {
		subject = "1 message is"
	}
	e.Sentence = subject + " not saved yet: " + why
	next, _, _ := strings.Cut(e.Next, " Nothing that was saved before")
	next = strings.NewReplacer(", then Retry", "", ", or start mac-stats again: it makes a new one", "").Replace(next)
	e.Next = next + " You can go on: what is not saved is kept in memory and written by itself as soon as that works."
	if !u.Rescued {
		e.Next += " Quitting before would lose it."
	}
	return e
}
