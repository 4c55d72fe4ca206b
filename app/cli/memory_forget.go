package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mac-stats/agents"
	"mac-stats/app/backend"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/recall"
)

// forgetLine is a line of `memory forget --json`: a place where it stands.
type forgetLine struct {
	Type string `json:"type"` // forget
	forgotten.Touched
}

// forgotLine is the last one.
type forgotLine struct {
	Type     string   `json:"type"` // forgotten
	DryRun   bool     `json:"dry_run"`
	Places   int      `json:"places"`   // where something goes, or went
	Kept     int      `json:"kept"`     // where something stays
	Refused  int      `json:"refused"`  // where something stands that can't be taken out; of them final: for good
	Final    int      `json:"final"`    // what came with mac-stats: no memory
	Pending  int      `json:"pending"`  // where somebody else is at it: finished later, by itself
	Sessions []string `json:"sessions"` // touched ones
}

// forgetFlags are the flags of memory forget.
type forgetFlags struct {
	chunk, session, text, since, until string
	also                               []string
	copies, lessons                    bool
	dryRun, yes, json, resummarize     bool
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
index. Summaries that cover it are made anew of what is left: at once without a model, then by
the small model, while the app runs or with --resummarize. What was learnt from it
is proposed for removal in the inbox; with --lessons it goes at once.

What may tell of the same in other words stays and is listed with a number: the answer
to it, steps of the same turn, lessons of the session. --also 1,3 takes the first and
the third of that list too (or their ids, which --json gives as "offer").

--text takes every place where the words stand, whatever their case and accents.
With the others, what you typed yourself in other sessions stays, and is listed;
--copies takes it too. Instructions that came with mac-stats are never changed.

A memory server (recall.backend) loses it at once, and the other machines when they are next
online. Its log, backups and replicas keep copies. One that can't be reached is told later.

Only hashes are kept of it (forgotten.jsonl, their key in forgotten.key), so that an old
copy or an unsaved editor copy brings nothing back. Who has both files can try guesses, and so find
a short text such as a PIN: keep them to yourself, or delete both. What you type anew is
yours again.`,
		Example: `  mac-stats memory forget --text "my locker code"
  mac-stats memory forget --text "my locker code" --also 1,3
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
	flags.StringSliceVar(&f.also, "also", nil, "also what was offered under these `NUMBERS` or ids")
	flags.BoolVar(&f.copies, "copies", false, "also where you typed the same sentences in other sessions")
	flags.BoolVar(&f.lessons, "lessons", false, "also what was learnt from it, at once")
	flags.BoolVar(&f.dryRun, "dry-run", false, "only show what would go (what it does without --yes)")
	flags.BoolVar(&f.resummarize, "resummarize", false, "let the small model make Summaries that lost something anew now; else the app does")
	flags.BoolVar(&f.yes, "yes", false, "do it")
	flags.BoolVar(&f.json, "json", false, "print one JSON object a line")
	c.completeFlag(cmd, "session", sessionNames)
	cmd.RunE = c.guard(func(cmd *cobra.Command, _ []string) error {
		if f.dryRun && f.yes {
			return wrongUsage(cmd, "--dry-run changes nothing and --yes does: give one of them")
		}
		if f.until != "" && f.since == "" {
			return wrongUsage(cmd, "--until alone would mean all that was ever said before: say since when, too (--since TIME, or --since 1970-01-01 for all)")
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
	case errors.Is(err, errNoOffer):
		return wrongUsage(cmd, err.Error())
	case errors.Is(err, recall.ErrNoChunk):
		return &plainError{sentence: sentence(err.Error()), next: ""}
	case err != nil:
		return err
	}
	if !f.yes {
		return c.printPlan(b, plan, f.json)
	}
	done, err := b.FinishForgetting(ctx) // of a run that was cut off
	if err == nil && !plan.Nothing() {
		var r forget.Report
		r, err = b.Forget(ctx, plan)
		done = forget.Report{Found: append(done.Found, r.Found...), Refused: max(done.Refused, r.Refused), Pending: max(done.Pending, r.Pending)}
	}
	if len(done.Found) > 0 {
		c.poke(b, "")
	}
	switch {
	case err != nil && len(done.Found) == 0: // what the plan found is still there
		return err
	case err == nil && len(done.Found) == 0 && !plan.Nothing() && !f.json:
		return c.out.text("Forgotten: the running mac-stats took it out first.\n")
	}
	if err = errors.Join(err, c.printForgot(b, done, f.json)); err == nil {
		err = c.renewSummaries(ctx, b, f, backend.Rebuilt(done))
	}
	return err
}

// renewedLine is a line of `memory forget --resummarize --json`.
type renewedLine struct {
	Type    string `json:"type"` // summary
	Session string `json:"session"`
	Summary string `json:"summary"` // its block id; "" where it stays as it was made without a model
	By      string `json:"by"`
	Text    string `json:"text"`
}

// renewSummaries lets a model make Summaries anew that lost something: the app, where it
// runs, or this process, where it was told to. Without a model they stay as they are.
func (c *commands) renewSummaries(ctx context.Context, b *backend.Backend, f forgetFlags, sessions []string) error {
	var errs []error
	for _, session := range sessions {
		if !f.resummarize {
			c.poke(b, session)
			continue
		}
		line := renewedLine{Type: "summary", Session: session, By: "mac-stats"}
		done, err := b.Compaction.Renew(ctx, session)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, sessionmem.ErrNothing):
			line.Text = "nothing is left to make its Summary of"
		case err != nil:
			line.Text = "its Summary stays as it was made without a model: " + sentence(agents.Explain(err).Sentence)
		default:
			line.Summary, line.By, line.Text = done.Summary.ID, done.Summary.By, done.Words()+", by "+done.Summary.By
		}
		if f.json {
			errs = append(errs, c.out.json(line))
		} else {
			errs = append(errs, c.out.text(session+": "+strings.TrimSuffix(line.Text, ".")+".\n"))
		}
	}
	if len(sessions) > 0 && !f.resummarize && !f.json && !c.appRuns(ctx, b) {
		errs = append(errs, c.out.text("The next start of the app, or --resummarize, lets a model make such Summaries anew.\n"))
	}
	return errors.Join(errs...)
}

// errNoOffer: --also has a number that is none of the list.
var errNoOffer = errors.New("--also has a number that is not in the list")

// planForget reads the flags and finds what they mean, with what was chosen.
func (c *commands) planForget(ctx context.Context, b *backend.Backend, f forgetFlags) (*forget.Plan, error) {
	plan, err := c.planSelected(ctx, b, f)
	if err != nil || len(f.also) == 0 {
		return plan, err
	}
	offers := plan.Offers()
	s := plan.Selection
	for _, word := range f.also {
		word = strings.TrimSpace(word)
		n, err := strconv.Atoi(word)
		switch {
		case err != nil:
			s.Also = append(s.Also, word)
		case n < 1 || n > len(offers):
			return nil, fmt.Errorf("%w: %d; the same command without --also and --yes shows it (%s)", errNoOffer, n, count(len(offers), "place", "places"))
		default:
			s.Also = append(s.Also, offers[n-1].Offer)
		}
	}
	return b.ForgetPlan(ctx, s)
}

// planSelected finds what the flags mean but for --also.
func (c *commands) planSelected(ctx context.Context, b *backend.Backend, f forgetFlags) (*forget.Plan, error) {
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
	if err := s.Check(); err != nil {
		return nil, err
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
func (c *commands) printPlan(b *backend.Backend, plan *forget.Plan, asJSON bool) error {
	if asJSON {
		return c.printForgotJSON(b, plan.Found, true)
	}
	if plan.Nothing() {
		return errors.Join(c.printPlaces(b, plan.Found), c.out.text("Nothing found to forget.\n"))
	}
	err := c.printPlaces(b, plan.Found)
	if plan.Common > 0 {
		err = errors.Join(err, c.out.text(count(plan.Common, "sentence", "sentences")+" that a model says in several sessions stay in the others.\n"))
	}
	return errors.Join(err, c.out.text("Nothing is changed yet. Run it again with --yes to forget this; it can't be undone.\n"))
}

// printForgot shows what went, and fails where something could not.
func (c *commands) printForgot(b *backend.Backend, r forget.Report, asJSON bool) error {
	var err error
	switch {
	case asJSON:
		err = c.printForgotJSON(b, r.Found, false)
	case len(r.Found) == 0:
		err = c.out.text("Nothing found to forget.\n")
	default:
		err = errors.Join(c.printPlaces(b, r.Found), c.out.text(forgotSummary(r.Found)+"\n"))
	}
	switch {
	case err != nil || r.Left() == 0:
		return err
	case r.Refused == 0:
		return &plainError{
			sentence: count(r.Pending, "place is", "places are") + " not done yet: another program is at it, or a server can't be reached.",
			next:     "mac-stats finishes it by itself, as soon as that is over, while the app runs, else at its next start; or run the same command again.",
		}
	}
	return &plainError{
		sentence: count(r.Left(), "place may still hold", "places may still hold") + " what was to be forgotten.",
		next:     "Do what is said beside each, then run the same command again; the app tries again by itself, too.",
	}
}

func (c *commands) printForgotJSON(b *backend.Backend, found []forgotten.Touched, dry bool) error {
	last := forgotLine{Type: "forgotten", DryRun: dry, Sessions: []string{}}
	for _, t := range b.ToldBelow(found) {
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
		if err := c.out.json(forgetLine{"forget", t}); err != nil {
			return err
		}
	}
	return c.out.json(last)
}

// forgetHead is a heading over what is done with places.
type forgetHead struct {
	action         string
	offered, final bool
	head           string
}

// forgetHeads are the headings, in the order they are shown.
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

// printPlaces lists places by what is done with them.
func (c *commands) printPlaces(b *backend.Backend, found []forgotten.Touched) error {
	for _, h := range forgetHeads() {
		var rows [][]string
		n := 0
		for _, t := range b.ToldBelow(found) {
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
		if err := errors.Join(c.out.text(h.head+":\n"), c.out.table(rows)); err != nil {
			return err
		}
		more := "\n"
		if n > len(rows) {
			more = fmt.Sprintf("  … and %d more (--json lists all)\n\n", n-len(rows))
		}
		if err := c.out.text(more); err != nil {
			return err
		}
	}
	return nil
}

// forgetRow is one place: what, where, when, the beginning of its text or the reason.
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
	words := oneLine(t.Text, 60)
	if t.Why != "" {
		words = strings.TrimSpace(words + " (" + oneLine(t.Why, 200) + ")")
	}
	at := ""
	if !t.Time.IsZero() {
		at = when(t.Time)
	}
	place := t.Place
	if place == "journal" {
		place = "recovery journal"
	}
	return []string{sign + " " + place, where, at, words}
}
