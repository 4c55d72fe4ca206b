package cli

import (
	"strings"

	"mac-stats/sessionmem/forgotten"
)

// forgotSummary is what a forgetting did, in one line.
func forgotSummary(found []forgotten.Touched) string {
	var messages, lines, summaries, others, proposed, pending, refused, shipped int
	sessions := map[string]bool{}
	for _, t := range found {
		switch t.Action {
		case forgotten.Kept:
		case forgotten.Pending:
			pending++
		case forgotten.Proposed:
			proposed++
		case forgotten.Refused:
			if t.Final {
				shipped++
			} else {
				refused++
			}
		default:
			switch t.Place {
			case "user", "assistant", "agent", "tool", "text":
				messages++
				sessions[t.Session] = true
			case "memory", "lesson":
				lines++
			case "summary":
				summaries++
			default:
				others++
			}
		}
	}
	var done, left []string
	add := func(to *[]string, n int, one, many string) {
		if n > 0 {
			*to = append(*to, count(n, one, many))
		}
	}
	add(&done, messages, "message", "messages")
	if messages > 0 {
		done[0] += " in " + count(len(sessions), "session", "sessions")
	}
	add(&done, lines, "memory line", "memory lines")
	add(&done, summaries, "summary", "summaries")
	if len(done) == 0 {
		add(&done, others, "place", "places")
	} else {
		add(&done, others, "other place", "other places")
	}
	if len(done) == 0 {
		done = []string{"nothing"}
	}
	add(&left, proposed, "removal proposed", "removals proposed")
	add(&left, pending, "place not done yet", "places not done yet")
	add(&left, refused, "place refused", "places refused")
	add(&left, shipped, "place stays: it came with mac-stats", "places stay: they came with mac-stats")
	return strings.Join(append([]string{"Forgotten: " + strings.Join(done, ", ")}, left...), "; ") + "."
}
