package memorycmd

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/forgotten"
)

// forgetLine is a line of `memory forget --json`: one place.
type forgetLine struct {
	Type string `json:"type"` // forget
	forgotten.Touched
}

// forgotLine is the last line.
type forgotLine struct {
	Type     string   `json:"type"` // forgotten
	DryRun   bool     `json:"dry_run"`
	Places   int      `json:"places"`   // places where something goes, or went
	Kept     int      `json:"kept"`     // places where something stays
	Refused  int      `json:"refused"`  // places where something can't be removed; Final counts the permanent ones
	Final    int      `json:"final"`    // shipped with mac-stats: not memory
	Pending  int      `json:"pending"`  // places in use by another program: finished later, automatically
	Sessions []string `json:"sessions"` // the sessions concerned
}

// maxForgetRows is the number of places of a kind that are listed for people.
const maxForgetRows = 40

// printPlan shows what would be forgotten.
func printPlan(c *cmdline.Line, b *backend.Backend, plan *forget.Plan) error {
	if c.Out.AsJSON {
		return printForgotJSON(c, b, plan.Found, true)
	}
	if plan.Nothing() {
		return errors.Join(printPlaces(c, b, plan.Found), c.Out.Text("Nothing found to forget.\n"))
	}
	err := printPlaces(c, b, plan.Found)
	if plan.Common > 0 {
		err = errors.Join(err, c.Out.Text(words.Count(plan.Common, "sentence", "sentences")+" that a model says in several sessions stay in the others.\n"))
	}
	return errors.Join(err, c.Out.Text("Nothing is changed yet. Run it again with --yes to forget this; it can't be undone.\n"))
}

// printForgot shows what was forgotten, and fails if something could not be.
func printForgot(c *cmdline.Line, b *backend.Backend, r forget.Report) error {
	var err error
	switch {
	case c.Out.AsJSON:
		err = printForgotJSON(c, b, r.Found, false)
	case len(r.Found) == 0:
		err = c.Out.Text("Nothing found to forget.\n")
	default:
		err = errors.Join(printPlaces(c, b, r.Found), c.Out.Text(forgotSummary(r.Found)+"\n"))
	}
	switch {
	case err != nil || r.Left() == 0:
		return err
	case r.Refused == 0:
		return cmdline.Problem(words.Count(r.Pending, "place is", "places are")+" not done yet: another program is at it, or a server can't be reached.",
			"mac-stats finishes it by itself, as soon as that is over, while the app runs, else at its next start; or run the same command again.")
	}
	return cmdline.Problem(words.Count(r.Left(), "place may still hold", "places may still hold")+" what was to be forgotten.",
		"Do what is said beside each, then run the same command again; the app tries again by itself, too.")
}

func printForgotJSON(c *cmdline.Line, b *backend.Backend, found []forgotten.Touched, dry bool) error {
	last := forgotLine{Type: "forgotten", DryRun: dry, Sessions: []string{}}
	for _, t := range b.RelativePaths(found) {
		switch t.Action {
		case forgotten.Kept:
			last.Kept++
		case forgotten.Pending:
			last.Pending++
		case forgotten.Refused:
			last.Refused++
			if t.Final {
				last.Final++
			}
		default:
			last.Places++
		}
		if t.Session != "" && t.Action != forgotten.Kept && !slices.Contains(last.Sessions, t.Session) {
			last.Sessions = append(last.Sessions, t.Session)
		}
		if err := c.Out.JSON(forgetLine{"forget", t}); err != nil {
			return err
		}
	}
	return c.Out.JSON(last)
}

// forgetHead is a heading above places with the same outcome.
type forgetHead struct {
	action         string
	offered, final bool
	head           string
}

// forgetHeads returns the headings in the order shown.
func forgetHeads() []forgetHead {
	return []forgetHead{
		{forgotten.Emptied, false, false, "Will be erased"},
		{forgotten.Rebuilt, false, false, "Summaries that cover it, made anew of what is left"},
		{forgotten.Removed, false, false, "Removed"},
		{forgotten.Renamed, false, false, "Files with another name"},
		{forgotten.Proposed, false, false, "Learnt from it: removal proposed in the inbox (--lessons removes it at once)"},
		{forgotten.Kept, true, false, "Stays, and may tell of it: --also takes what you name by number"},
		{forgotten.Kept, false, false, "Stays"},
		{forgotten.Pending, false, false, "Not done yet: it goes by itself"},
		{forgotten.Refused, false, false, "Could not be taken out"},
		{forgotten.Refused, false, true, "Refused: it came with mac-stats"},
	}
}

// printPlaces lists places by outcome.
func printPlaces(c *cmdline.Line, b *backend.Backend, found []forgotten.Touched) error {
	for _, h := range forgetHeads() {
		var rows [][]string
		n := 0
		for _, t := range b.RelativePaths(found) {
			if t.Action != h.action || (t.Offer != "") != h.offered || t.Final != h.final {
				continue
			}
			n++
			sign := "-"
			if h.offered {
				sign = fmt.Sprintf("%d", n)
			}
			if n <= maxForgetRows || h.offered {
				rows = append(rows, forgetRow(sign, t))
			}
		}
		if n == 0 {
			continue
		}
		if err := errors.Join(c.Out.Text(h.head+":\n"), c.Out.Table(rows)); err != nil {
			return err
		}
		more := "\n"
		if n > len(rows) {
			more = fmt.Sprintf("  … and %d more (--json lists all)\n\n", n-len(rows))
		}
		if err := c.Out.Text(more); err != nil {
			return err
		}
	}
	return nil
}

// forgetRow describes a place: what, where, when, and the beginning of its text or the
// reason.
func forgetRow(sign string, t forgotten.Touched) []string {
	where := t.Session
	if t.Place == "server" {
		where = t.Path
	} else if where == "" || t.Action == forgotten.Refused {
		where = filepath.Base(t.Path)
		if dir := filepath.Base(filepath.Dir(t.Path)); t.Path != "" && dir != "." {
			where = dir + "/" + where
		}
	}
	if t.Line > 0 {
		where += fmt.Sprintf(":%d", t.Line)
	}
	text := words.OneLine(t.Text, 60)
	if t.Why != "" {
		text = strings.TrimSpace(text + " (" + words.OneLine(t.Why, 200) + ")")
	}
	at := ""
	if !t.Time.IsZero() {
		at = words.When(t.Time)
	}
	place := t.Place
	if place == "journal" {
		place = "recovery journal"
	}
	return []string{sign + " " + place, where, at, text}
}

// forgotSummary sums up a forgetting in one line.
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
			*to = append(*to, words.Count(n, one, many))
		}
	}
	add(&done, messages, "message", "messages")
	if messages > 0 {
		done[0] += " in " + words.Count(len(sessions), "session", "sessions")
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
