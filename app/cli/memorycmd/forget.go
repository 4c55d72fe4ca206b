package memorycmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mac-stats/agents/fault"
	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/session"
)

// forgetFlags holds the flags of memory forget.
type forgetFlags struct {
	chunk, session, text, since, until string
	also                               []string
	copies, lessons                    bool
	dryRun, yes, resummarize           bool
}

func forgetCommand(c *cmdline.Line) *cobra.Command {
	var f forgetFlags
	cmd := &cobra.Command{
		Use: "forget (--chunk ID | --session NAME | --text WORDS | --since TIME [--until TIME])", Short: "Erase something from every file, for good",
		Long: `forget first shows what it would erase; without --yes it changes nothing. It can't be undone.

Text of conversations becomes "[forgotten]"; the rest of a session stays as it is.
It goes from transcripts (archive, trash and older copies too), titles, names of
files, attachments, memory files, the inbox, drafts, logs, caches and the search
index. Summaries that cover it are rewritten from what is left: at once without a
model, then by the small model, while the app runs or with --resummarize. What was
learnt from it is proposed for removal in the inbox; with --lessons it goes at once.

What may repeat it in other words stays and is listed with a number: the answer to it,
steps of the same turn, lessons of the session. --also 1,3 also erases the first and
the third of that list (or their IDs, which --json gives as "offer").

--text erases every occurrence of the words, whatever their case and accents. With the
other options, what you typed yourself in other sessions stays and is listed; --copies
erases it too. Instructions that came with mac-stats are never changed.

A memory server (recall.backend) loses it at once, and the other machines when they are next
online. Its log, backups and replicas keep copies. If it can't be
reached, this is done later.

Only hashes of it are kept (forgotten.jsonl, with the key in forgotten.key), so that an old
copy or an unsaved editor buffer brings nothing back. Anyone who has both files can test guesses
and so find a short text such as a PIN: keep them private, or delete both. If you type the text
again, it is kept again.`,
		Example: `  mac-stats memory forget --text "my locker code"
  mac-stats memory forget --text "my locker code" --also 1,3
  mac-stats memory forget --text "my locker code" --yes
  mac-stats memory forget --session notes --lessons
  mac-stats memory forget --since yesterday`,
		Args: cmdline.Exactly(0, "no words; name what to forget by --chunk, --session, --text or --since"),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.chunk, "chunk", "", "one passage, by its `ID` (session/block/part), which memory search --json shows")
	flags.StringVar(&f.session, "session", "", "everything said in this session up to now")
	flags.StringVar(&f.text, "text", "", "these words, wherever they occur")
	flags.StringVar(&f.since, "since", "", `what was said from then on: 2026-11-21, "2026-11-21 14:30", yesterday, 24h, 7d`)
	flags.StringVar(&f.until, "until", "", "what was said before then")
	flags.StringSliceVar(&f.also, "also", nil, "also what is listed under these `NUMBERS` or IDs")
	flags.BoolVar(&f.copies, "copies", false, "also where you typed the same sentences in other sessions")
	flags.BoolVar(&f.lessons, "lessons", false, "also what was learnt from it, at once")
	flags.BoolVar(&f.dryRun, "dry-run", false, "only show what would go (what it does without --yes)")
	flags.BoolVar(&f.resummarize, "resummarize", false, "let the small model rewrite Summaries that lost something now; else the app does")
	flags.BoolVar(&f.yes, "yes", false, "erase what is shown")
	c.WithJSON(cmd)
	c.CompleteFlag(cmd, "session", cmdline.SessionNames)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if f.dryRun && f.yes {
			return cmdline.WrongUsage(cmd, "--dry-run changes nothing and --yes does: give one of them")
		}
		if f.until != "" && f.since == "" {
			return cmdline.WrongUsage(cmd, "--until alone would mean all that was ever said before: say since when, too (--since TIME, or --since 1970-01-01 for all)")
		}
		return c.WithBackend(cmd.Context(), func(b *backend.Backend) error { return runForget(c, cmd, b, f) })
	}
	return cmd
}

// runForget plans a forgetting and, with --yes, carries it out.
func runForget(c *cmdline.Line, cmd *cobra.Command, b *backend.Backend, f forgetFlags) error {
	ctx := cmd.Context()
	var done forget.Report
	if f.yes { // first what an interrupted run left, so that the plan is what there is besides
		var err error
		if done, err = b.Forgetting.FinishForgetting(ctx); err != nil {
			return errors.Join(err, printForgot(c, b, done))
		}
	}
	plan, err := planForget(ctx, c, b, f)
	switch {
	case errors.Is(err, recall.ErrNoChunk) && len(done.Found) > 0: // that run was about it
		c.Changed(b, "")
		return printForgot(c, b, done)
	case errors.Is(err, forget.ErrSelection):
		text, _ := strings.CutPrefix(err.Error(), forget.ErrSelection.Error()+": ")
		return cmdline.WrongUsage(cmd, text)
	case errors.Is(err, errNoOffer):
		return cmdline.WrongUsage(cmd, err.Error())
	case errors.Is(err, recall.ErrNoChunk):
		return cmdline.ProblemOf(err, "")
	case err != nil:
		return err
	}
	if !f.yes {
		return printPlan(c, b, plan)
	}
	if !plan.Nothing() {
		var r forget.Report
		r, err = b.Forgetting.Forget(ctx, plan)
		done = forget.Report{Found: append(done.Found, r.Found...), Refused: max(done.Refused, r.Refused), Pending: max(done.Pending, r.Pending)}
	}
	if len(done.Found) > 0 {
		c.Changed(b, "")
	}
	switch {
	case err != nil && len(done.Found) == 0: // everything in the plan is still there
		return err
	case err == nil && len(done.Found) == 0 && !plan.Nothing() && !c.Out.AsJSON:
		return c.Out.Text("Forgotten: the running mac-stats took it out first.\n")
	}
	if err = errors.Join(err, printForgot(c, b, done)); err == nil {
		err = renewSummaries(ctx, c, b, f, backend.Rebuilt(done))
	}
	return err
}

// renewedLine is a line of `memory forget --resummarize --json`.
type renewedLine struct {
	Type    string `json:"type"` // summary
	Session string `json:"session"`
	Summary string `json:"summary"` // its block ID; "" if it stays as rebuilt without a model
	By      string `json:"by"`
	Text    string `json:"text"`
}

// renewSummaries lets a model rewrite Summaries that lost text: in the app if it runs, or
// in this process if it was told to. Without a model they stay as they are.
func renewSummaries(ctx context.Context, c *cmdline.Line, b *backend.Backend, f forgetFlags, sessions []string) error {
	var errs []error
	for _, name := range sessions {
		if !f.resummarize {
			c.Changed(b, name)
			continue
		}
		line := renewedLine{Type: "summary", Session: name, By: "mac-stats"}
		done, err := b.Compaction.Renew(ctx, name)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, session.ErrNothing):
			line.Text = "nothing is left to make its Summary of"
		case err != nil:
			line.Text = "its Summary stays as it was made without a model: " + words.Sentence(fault.Explain(err).Sentence)
		default:
			line.Summary, line.By, line.Text = done.Summary.ID, done.Summary.By, done.Words()+", by "+done.Summary.By
		}
		errs = append(errs, c.Out.Print(line, name+": "+strings.TrimSuffix(line.Text, ".")+".\n"))
	}
	if len(sessions) > 0 && !f.resummarize && !c.Out.AsJSON && !c.AppWorks(ctx, b) {
		errs = append(errs, c.Out.Text("The next start of the app, or --resummarize, lets a model make such Summaries anew.\n"))
	}
	return errors.Join(errs...)
}

// errNoOffer means that --also has a number that isn't in the list.
var errNoOffer = errors.New("--also has a number that is not in the list")

// planForget reads the flags and finds everything they cover, including the choices of
// --also.
func planForget(ctx context.Context, c *cmdline.Line, b *backend.Backend, f forgetFlags) (*forget.Plan, error) {
	plan, err := planSelected(ctx, c, b, f)
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
			return nil, fmt.Errorf("%w: %d; the same command without --also and --yes shows it (%s)", errNoOffer, n, words.Count(len(offers), "place", "places"))
		default:
			s.Also = append(s.Also, offers[n-1].Offer)
		}
	}
	return b.Forgetting.ForgetPlan(ctx, s)
}

// planSelected finds everything that the flags cover, without --also.
func planSelected(ctx context.Context, c *cmdline.Line, b *backend.Backend, f forgetFlags) (*forget.Plan, error) {
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
		return b.Forgetting.ForgetPlan(ctx, s)
	}
	name, err := b.Store.Resolve(ctx, cmdline.Source, f.session)
	if err == nil {
		s.Session = name
		return b.Forgetting.ForgetPlan(ctx, s)
	}
	if !errors.Is(err, session.ErrNotFound) {
		return nil, err
	}
	for _, name := range []string{f.session, cmdline.Source + "-" + f.session} { // it may be in the trash
		s.Session = name
		if plan, planErr := b.Forgetting.ForgetPlan(ctx, s); planErr == nil && !plan.Nothing() {
			return plan, nil
		}
	}
	return nil, err
}
