package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mac-stats/agents"
	"mac-stats/agents/registry"
	"mac-stats/app/backend"
)

// testLine is a line of `agents test --json`: one expectation of one case.
type testLine struct {
	Type   string `json:"type"` // test
	Agent  string `json:"agent"`
	Case   string `json:"case"`
	Expect string `json:"expect"`
	Passed bool   `json:"passed"`
	Found  string `json:"found"` // what was found instead, or what failed; "" where it passed
	TookMS int64  `json:"took_ms"`
}

// caseTimeout is how long one prompt may take where nothing else is said.
const caseTimeout = 5 * time.Minute

func (c *commands) agentsTest() *cobra.Command {
	cmd := &cobra.Command{
		Use: "test SEL", Short: "Run an agent's testing.md and check what it expects",
		Long: `test sends each prompt of the agent's testing.md to it, through the same engine as
every chat, and checks the Expect: lines below it:

  ## Names the file
  Which file holds the settings?
  Expect: contains config.toml
  Expect: matches (?i)settings?
  Expect: delegates to coder

Nothing of it is written: neither transcript nor memory. Exit 1 where one fails.`,
		Args: exact(1, "one agent"),
	}
	cmd.ValidArgsFunction = c.first(usableAgentNames)
	asJSON := jsonFlag(cmd)
	timeout := cmd.Flags().Duration("timeout", caseTimeout, "how long one prompt may take")
	cmd.RunE = c.guard(func(cmd *cobra.Command, args []string) error {
		if *timeout <= 0 {
			return wrongUsage(cmd, "--timeout must be more than 0")
		}
		return c.withBackend(cmd.Context(), func(b *backend.Backend) error {
			a, err := b.Registry.Find(args[0])
			if err != nil {
				return err
			}
			cases, err := b.Registry.Tests(a)
			if err != nil {
				return testsError(err)
			}
			t := tester{c: c, b: b, agent: a, timeout: *timeout, json: *asJSON}
			return t.all(cmd.Context(), cases)
		})
	})
	return cmd
}

func testsError(err error) error {
	if errors.Is(err, registry.ErrNoTests) {
		return &plainError{sentence(err.Error()), "`mac-stats agents test --help` shows the form."}
	}
	return &plainError{sentence(err.Error()), "Put the line right and run the tests again."}
}

// tester runs an agent's cases.
type tester struct {
	c       *commands
	b       *backend.Backend
	agent   registry.Agent
	timeout time.Duration
	json    bool

	passed, failed int
}

func (t *tester) all(ctx context.Context, cases []registry.TestCase) error {
	for i, tc := range cases {
		if t.c.p.StderrIsTerminal {
			t.c.note(fmt.Sprintf("%d/%d %s…", i+1, len(cases), tc.Title))
		}
		if err := t.one(ctx, tc); err != nil {
			return err
		}
	}
	if !t.json {
		if err := t.c.out.text(fmt.Sprintf("%s: %d passed, %d failed\n", t.agent.Slug, t.passed, t.failed)); err != nil {
			return err
		}
	}
	if t.failed > 0 {
		return errFindings
	}
	return nil
}

// one asks one prompt in a session that is never written, and checks each
// expectation. The error is Ctrl-C or that of the output.
func (t *tester) one(ctx context.Context, tc registry.TestCase) error {
	began := time.Now()
	answer, delegated, err := t.ask(ctx, tc.Prompt)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, expect := range tc.Expects {
		line := testLine{Type: "test", Agent: t.agent.Slug, Case: tc.Title, Expect: expect.String(), TookMS: time.Since(began).Milliseconds()}
		found := err
		if found == nil {
			found = expect.Check(answer, delegated)
		}
		if line.Passed = found == nil; !line.Passed {
			line.Found = t.found(found)
		}
		if err := t.print(line); err != nil {
			return err
		}
	}
	return nil
}

// ask gives the answer and the slugs of the agents that were given a task.
func (t *tester) ask(ctx context.Context, prompt string) (answer string, delegated []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	session := t.b.Store.NewName("test")
	t.b.Store.SetPrivate(session)
	run := t.b.Engine.Start(ctx, agents.Request{Session: session, Text: prompt, Agent: t.agent.Slug, Holder: holder})
	for e := range run.Events(context.WithoutCancel(ctx)) {
		if e.Type == agents.EventSubcallStart && e.Call != nil && !strings.HasPrefix(e.Call.Name, "skill:") {
			delegated = append(delegated, e.Call.Name)
		}
	}
	result, err := run.Wait()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %s", t.timeout)
	}
	return result.Text, delegated, err
}

// found is why an expectation failed, in one line.
func (t *tester) found(err error) string {
	if e := t.c.explanation(err); e.Kind != agents.KindInternal {
		return oneLine(e.Sentence+" "+e.Next, 400)
	}
	return oneLine(err.Error(), 400)
}

func (t *tester) print(line testLine) error {
	if line.Passed {
		t.passed++
	} else {
		t.failed++
	}
	if t.json {
		return t.c.out.json(line)
	}
	if line.Passed {
		return t.c.out.text("✓ " + line.Case + " · " + line.Expect + "\n")
	}
	return t.c.out.text("✗ " + line.Case + " · " + line.Expect + "\n    " + line.Found + "\n")
}
