package askcmd

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"mac-stats/agents"
	"mac-stats/app/cli/cmdline"
)

func TestANoticeGetsItsOwnLine(t *testing.T) {
	t.Parallel()
	both := &strings.Builder{} // like 2>&1
	v := newView(cmdline.New(cmdline.Params{Stdout: both, Stderr: both}, func(error) {}))
	v.onToken(1, "The answer")
	v.row("remembered: it")
	v.onToken(1, " goes on.")
	v.end(agents.Result{})
	if got := both.String(); got != "The answer goes on.\nremembered: it\n" {
		t.Errorf("got %q", got)
	}
}

// An answer typed after a question timed out isn't taken for the next question.
func TestALateAnswerDoesntCountForTheNextQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		screen, keys := io.Pipe()
		defer keys.Close()
		v := newView(cmdline.New(cmdline.Params{
			Stdout: io.Discard, Stderr: io.Discard, StderrIsTerminal: true,
			Terminal: func() (io.ReadCloser, error) { return screen, nil },
		}, func(error) {}))
		if !v.canAsk() {
			t.Fatal("nobody can be asked")
		}
		var answers []string
		v.answer = func(id string, a agents.Answer) bool { answers = append(answers, id+" "+string(a)); return true }
		ask := func(id string, a agents.Answer) {
			v.onQuestion(&agents.Question{ID: id, Answers: []agents.Answer{agents.AnswerOnce, agents.AnswerNo}, Answer: a})
			synctest.Wait()
		}
		typed := func(line string) {
			fmt.Fprintln(keys, line)
			synctest.Wait()
		}
		ask("1", "")
		ask("1", agents.AnswerLate)
		ask("2", "")
		typed("y")
		ask("2", agents.AnswerOnce)
		ask("3", "")
		ask("3", agents.AnswerLate)
		typed("y") // too late
		ask("4", "")
		typed("n")
		if want := []string{"2 once", "4 no"}; !slices.Equal(answers, want) {
			t.Errorf("%q, want %q", answers, want)
		}
	})
}
