package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/recall"
)

// forgetLine is a line of `memory forget --json`: a place where it stands.
type forgetLine struct {
	Type string `json:"type"` // forget
	sessionmem.Touched
}

// forgotLine is the last one.
type forgotLine struct {
	Type     string   `json:"type"` // forgotten
	DryRun   bool     `json:"dry_run"`
	Places   int      `json:"places"`   // where something goes, or went
	Kept     int      `json:"kept"`     // where something stays
	Refused  int      `json:"refused"`  // where something should go and could not
	Sessions []string `json:"sessions"` // touched ones
}

// forgetFlags are the flags of memory forget.
type forgetFlags struct {
	chunk, session, text, since, until string
	copies, lessons                    bool
	dryRun, yes, json                  bool
}

// maxForgetRows is how many places of a kind are listed for people.
const maxForgetRows = 40

func (c *commands) memoryForget() *cobra.Command {
	var f forgetFlags
	cmd := &cobra.Command{
		Use: "forget (--chunk ID | --session NAME | --text WORDS | --since TIME [--until TIME])", Short: "Take what was said out of every file, for good",
		Long: `forget shows first what would go, and changes nothing without --yes. It can't be undone.

Text of conversations becomes "[forgotten]"; the rest of a session stays as it is.
It goes from transcripts (archive, trash and older copies too), titles, names of
files, attachments, memory files, the inbox, drafts, logs, caches and the search
index. Summaries that cover it are made anew of what is left. What was learnt from it
is proposed for removal in the inbox; with --lessons it goes at once.

--text takes every place where the words stand, whatever their case and accents.
With the others, what you typed yourself in other sessions stays, and is listed;
--copies takes it too.

Only keyed hashes are kept of it (forgotten.jsonl), so that an old copy or a late save
brings nothing back. What you type anew is yours again.`,
		Example: `  mac-stats memory forget --text "my locker code"
  mac-stats memory forget --text "my locker code" --yes
  mac-stats memory forget --session notes --lessons
  mac-stats memory forget --since yesterday`,
		Args: exact(0, "no words; name what to forget by --chunk, --session, --text or --since"),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.chunk, "chunk", "", "one passage, by its `ID` (session/block/part), which memory search --json shows")
	flags.StringVar(&f.session, "session", "", "all that was said in this session up to now")
	flags.StringVar(&f.text, "text", "", "these words, wherever they stand")
	flags.StringVar(&f.since, "since", "", `what was said from then on: 2026-11-21, "2026-11-21 14:30", yesterday, 24h, 7d`)
	flags.StringVar(&f.until, "until", "", "what was said before then")
	flags.BoolVar(&f.copies, "copies", false, "also where you typed the same sentences in other sessions")
	flags.BoolVar(&f.lessons, "lessons", false, "also what was learnt from it, at once")
	flags.BoolVar(&f.dryRun, "dry-run", false, "only show what would go (what it does without --yes)")
	flags.BoolVar(&f.yes, "yes", false, "do it")
	flags.BoolVar(&f.json, "json", false, "print one JSON object a line")
	c.completeFlag(cmd, "session", sessionNames)
	cmd.RunE = c.guard(func(cmd *cobra.Command, _ []string) error {
		if f.dryRun && f.yes {
			return wrongUsage(cmd, "--dry-run changes nothing and --yes does: give one of them")
		}
		return c.withBackend(cmd.Context(), func(b *backend.Backend) error { return c.forget(cmd, b, f) })
	})
	return cmd
}

// forget plans, and does it where it is to.
func (c *commands) forget(cmd *cobra.Command, b *backend.Backend, f forgetFlags) error {
	ctx := cmd.Context()
	plan, err := c.planForget(ctx, b, f)
	switch {
	case errors.Is(err, forget.ErrSelection):
		text, _ := strings.CutPrefix(err.Error(), forget.ErrSelection.Error()+": ")
		return wrongUsage(cmd, text)
	case errors.Is(err, recall.ErrNoChunk):
		return &plainError{sentence: sentence(err.Error()), next: ""}
	case err != nil:
		return err
	}
	if !f.yes {
		return c.printPlan(plan, f.json)
	}
	done, err := b.FinishForgetting(ctx) // of a run that was cut off
	if err == nil && !plan.Nothing() {
		var r forget.Report
		r, err = b.Forget(ctx, plan)
		done.Found, done.Refused = append(done.Found, r.Found...), r.Refused
	}
	if len(done.Found) > 0 {
		c.poke(b, "")
	}
	return errors.Join(err, c.printForgot(done, f.json))
}

// planForget reads the flags and finds what they mean.
func (c *commands) planForget(ctx context.Context, b *backend.Backend, f forgetFlags) (*forget.Plan, error) {
	s := forget.Selection{Chunk: f.chunk, Session: f.session, Text: f.text, Copies: f.copies, Lessons: f.lessons}
	now := time.Now()
	for _, at := range []struct {
		words string
		into  *time.Time
	}{{f.since, &s.Since}, {f.until, &s.Until}} {
		if at.words == "" {
			continue
		}
		t, err := forget.ParseTime(at.words, now)
		if err != nil {
			return nil, err
		}
		*at.into = t
	}
	if f.session == "" {
		return b.ForgetPlan(ctx, s)
	}
	name, err := b.Store.Resolve(ctx, source, f.session)
	if err == nil {
		s.Session = name
		return b.ForgetPlan(ctx, s)
	}
	if !errors.Is(err, sessionmem.ErrNotFound) {
		return nil, err
	}
	for _, name := range []string{f.session, source + "-" + f.session} { // in the trash
		s.Session = name
		if plan, planErr := b.ForgetPlan(ctx, s); planErr == nil && !plan.Nothing() {
			return plan, nil
		}
	}
	return nil, err
}

// printPlan shows what would go.
func (c *commands) printPlan(plan *forget.Plan, asJSON bool) error {
	if asJSON {
		return c.printForgotJSON(plan.Found, true)
	}
	if plan.Nothing() {
		return errors.Join(c.printPlaces(plan.Found), c.out.text("Nothing is found that would be forgotten.\n"))
	}
	err := c.printPlaces(plan.Found)
	if plan.Common > 0 {
		err = errors.Join(err, c.out.text(count(plan.Common, "sentence", "sentences")+" that a model says in several sessions stay in the others.\n"))
	}
	return errors.Join(err, c.out.text("Nothing is changed yet. Run it again with --yes to forget this; it can't be undone.\n"))
}

// printForgot shows what went, and fails where something could not.
func (c *commands) printForgot(r forget.Report, asJSON bool) error {
	var err error
	switch {
	case asJSON:
		err = c.printForgotJSON(r.Found, false)
	case len(r.Found) == 0:
		err = c.out.text("Nothing is found that would be forgotten.\n")
	default:
		err = c.printPlaces(r.Found)
	}
	if err != nil || r.Refused == 0 {
		return err
	}
	return &plainError{
		sentence: count(r.Refused, "place still holds", "places still hold") + " what was to be forgotten.",
		next:     "Do what is said beside each, then run the same command again; the app tries again at its next start, too.",
	}
}

func (c *commands) printForgotJSON(found []sessionmem.Touched, dry bool) error {
	last := forgotLine{Type: "forgotten", DryRun: dry, Sessions: []string{}}
	for _, t := range found {
		switch t.Action {
		case sessionmem.ForgetKept:
			last.Kept++
		case sessionmem.ForgetRefused:
			last.Refused++
		default:
			last.Places++
		}
		if t.Session != "" && t.Action != sessionmem.ForgetKept && !slices.Contains(last.Sessions, t.Session) {
			last.Sessions = append(last.Sessions, t.Session)
		}
		if err := c.out.json(forgetLine{"forget", t}); err != nil {
			return err
		}
	}
	return c.out.json(last)
}

// forgetHeads are the headings of what is done, in the order they are shown.
var forgetHeads = []struct{ action, head string }{
	{sessionmem.ForgetEmptied, "Becomes [forgotten]"},
	{sessionmem.ForgetRebuilt, "Summaries that cover it, made anew of what is left"},
	{sessionmem.ForgetRemoved, "Removed"},
	{sessionmem.ForgetRenamed, "Files with another name"},
	{sessionmem.ForgetProposed, "Learnt from it: removal proposed in the inbox (--lessons removes it at once)"},
	{sessionmem.ForgetKept, "Stays"},
	{sessionmem.ForgetRefused, "Could not be taken out"},
}

// printPlaces lists places by what is done with them.
func (c *commands) printPlaces(found []sessionmem.Touched) error {
	for _, h := range forgetHeads {
		var rows [][]string
		n := 0
		for _, t := range found {
			if t.Action != h.action {
				continue
			}
			if n++; n <= maxForgetRows {
				rows = append(rows, forgetRow(t))
			}
		}
		if n == 0 {
			continue
		}
		if err := errors.Join(c.out.text(h.head+":\n"), c.out.table(rows)); err != nil {
			return err
		}
		more := "\n"
		if n > maxForgetRows {
			more = fmt.Sprintf("  … and %d more (--json lists all)\n\n", n-maxForgetRows)
		}
		if err := c.out.text(more); err != nil {
			return err
		}
	}
	return nil
}

// forgetRow is one place: what, where, when, the beginning of its text or the reason.
func forgetRow(t sessionmem.Touched) []string {
	where := t.Session
	if where == "" || t.Action == sessionmem.ForgetRefused {
		where = filepath.Base(t.Path)
		if dir := filepath.Base(filepath.Dir(t.Path)); t.Path != "" && dir != "" {
			where = dir + "/" + where
		}
	}
	if t.Line > 0 {
		where += fmt.Sprintf(":%d", t.Line)
	}
	words := oneLine(t.Text, 60)
	if t.Why != "" {
		words = strings.TrimSpace(words + " (" + oneLine(t.Why, 200) + ")")
	}
	at := ""
	if !t.Time.IsZero() {
		at = when(t.Time)
	}
	return []string{"- " + t.Place, where, at, words}
}
