package agentcmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mac-stats/agents"
	"mac-stats/agents/agenttest"
	"mac-stats/agents/fault"
	"mac-stats/agents/registry"
	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
)

// testLine is a line of `agents test --json`: one expectation of one case.
type testLine struct {
	Type   string `json:"type"` // test
	Agent  string `json:"agent"`
	Case   string `json:"case"`
	Expect string `json:"expect"`
	Passed bool   `json:"passed"`
	Found  string `json:"found"` // what was found instead, or what failed; "" if it passed
	TookMS int64  `json:"took_ms"`
}

// caseTimeout is the default time limit of one prompt.
const caseTimeout = 5 * time.Minute

func testCommand(c *cmdline.Line) *cobra.Command {
	cmd := &cobra.Command{
		Use: "test SEL", Short: "Run an agent's testing.md and check what it expects",
		Long: `test sends each prompt of the agent's testing.md to it, through the same engine as
every chat and with the same model, and checks the Expect: lines below it:

  ## Names the file
  Which file holds the settings?
  Expect: contains config.toml
  Expect: at most 30 words

An Expect: line is one of these, the first four also negated ("doesn't contain …"):

  contains TEXT             in the answer, ignoring case
  matches EXPRESSION        a regular expression (RE2) of the answer
  calls TOOL [TEXT]         the tool, with the text in its argument
  delegates to SLUG         a task went to that agent, or to skill:NAME
  calls nothing             no tool, agent or skill
  language CODE             of the answer: en, de, fr, ja …
  at most N words           also lines, characters, rounds (calls of the model)
  at least N words

Nothing is written: no transcript and no memory. Exits with 1 if one fails.`,
		Args: cmdline.Exactly(1, "one agent"),
	}
	cmd.ValidArgsFunction = c.CompleteFirst(cmdline.UsableAgentNames)
	c.WithJSON(cmd)
	timeout := cmd.Flags().Duration("timeout", caseTimeout, "how long one prompt may take")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *timeout <= 0 {
			return cmdline.WrongUsage(cmd, "--timeout must be more than 0")
		}
		return c.WithBackend(cmd.Context(), func(b *backend.Backend) error {
			a, err := b.Registry.Find(args[0])
			if err != nil {
				return err
			}
			cases, err := agenttest.Read(b.Registry, a)
			if err != nil {
				return testsError(err)
			}
			t := tester{c: c, b: b, agent: a, timeout: *timeout, lines: c.Out.NewList("CASE", "EXPECTED", "RESULT", "TOOK")}
			return t.all(cmd.Context(), cases)
		})
	}
	return cmd
}

func testsError(err error) error {
	if errors.Is(err, agenttest.ErrNoTests) {
		return cmdline.ProblemOf(err, "`mac-stats agents test --help` shows the form.")
	}
	return cmdline.ProblemOf(err, "Put the line right and run the tests again.")
}

// tester runs an agent's cases.
type tester struct {
	c       *cmdline.Line
	b       *backend.Backend
	agent   registry.Agent
	timeout time.Duration

	passed, failed int
	lines          *cmdline.List
	failures       []testLine
}

func (t *tester) all(ctx context.Context, cases []agenttest.Case) error {
	for i, tc := range cases {
		if t.c.StderrIsTerminal {
			t.c.Note(fmt.Sprintf("%d/%d %s…", i+1, len(cases), tc.Title))
		}
		if err := t.one(ctx, tc); err != nil {
			return err
		}
	}
	if err := t.end(); err != nil {
		return err
	}
	if t.failed > 0 {
		return cmdline.ErrFindings
	}
	return nil
}

// one sends one prompt in a session that is never saved and checks each expectation. It
// returns an error only on Ctrl-C.
func (t *tester) one(ctx context.Context, tc agenttest.Case) error {
	began := time.Now()
	outcome, err := t.ask(ctx, tc.Prompt)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, expect := range tc.Expects {
		line := testLine{Type: "test", Agent: t.agent.Slug, Case: tc.Title, Expect: expect.String(), TookMS: time.Since(began).Milliseconds()}
		found := err
		if found == nil {
			found = expect.Check(outcome)
		}
		if line.Passed = found == nil; !line.Passed {
			line.Found = t.found(found)
		}
		t.add(line)
	}
	return nil
}

func (t *tester) ask(ctx context.Context, prompt string) (agenttest.Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	session := t.b.Store.NewName("test")
	t.b.Store.SetPrivate(session)
	outcome, err := t.b.Engine.Start(ctx, agents.Request{Session: session, Text: prompt, Agent: t.agent.Slug, Holder: cmdline.Holder}).Outcome()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %s", t.timeout)
	}
	return outcome, err
}

// found explains in one line why an expectation failed.
func (t *tester) found(err error) string {
	if e := t.c.Explain(err); e.Kind != fault.KindInternal {
		return words.OneLine(e.Sentence+" "+e.Next, 400)
	}
	return words.OneLine(err.Error(), 400)
}

// add counts a result and lists it.
func (t *tester) add(line testLine) {
	result := "passed"
	if line.Passed {
		t.passed++
	} else {
		t.failed++
		result = "FAILED"
		t.failures = append(t.failures, line)
	}
	t.lines.Add(line, line.Case, line.Expect, result, fmt.Sprintf("%.1f s", float64(line.TookMS)/1000))
}

// end prints all results and reports whether one failed.
func (t *tester) end() error {
	if err := t.lines.End(""); err != nil || t.c.Out.AsJSON {
		return err
	}
	for _, f := range t.failures {
		if err := t.c.Out.Text("\n" + f.Case + ": " + f.Expect + "\n    " + f.Found + "\n"); err != nil {
			return err
		}
	}
	return t.c.Out.Text(fmt.Sprintf("\n%s: %d passed, %d failed\n", t.agent.Slug, t.passed, t.failed))
}
