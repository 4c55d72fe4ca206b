package askcmd

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mac-stats/agents"
	"mac-stats/agents/prompt"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
)

// tick is how often the clock of the status line is redrawn.
const tick = 500 * time.Millisecond

// view shows a turn: the answer on stdout, the rest on stderr.
type view struct {
	c *cmdline.Line

	state   string // text of the status line; "" while the answer is being written
	since   time.Time
	line    *cmdline.Status
	round   int      // the round whose text is on stdout
	printed string   // the text of that round
	called  bool     // whether a tool or an agent was called since
	ended   bool     // whether stdout ends with a line end
	held    []string // rows that wait for that, because stderr may be the same file

	keys   *keyboard                             // nil if nobody can be asked
	answer func(id string, a agents.Answer) bool // the run's Answer
}

func newView(c *cmdline.Line) *view {
	return &view{c: c, ended: true, line: &cmdline.Status{Line: c}}
}

// events yields the turn's events until the end, even after Ctrl-C, while the partial
// answer is being saved. Between events it redraws the clock.
func (v *view) events(ctx context.Context, run *agents.Run) iter.Seq[agents.Event] {
	return func(yield func(agents.Event) bool) {
		ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
		defer stop()
		clock := time.NewTicker(tick)
		defer clock.Stop()
		events := run.Events(ctx)
		for {
			select {
			case <-clock.C:
				v.draw()
			case e, ok := <-events:
				if !ok || !yield(e) {
					return
				}
			}
		}
	}
}

func (v *view) show(e agents.Event) {
	if v.c.Out.AsJSON {
		_ = v.c.Out.JSON(e) // the output keeps an error, which ends the command
		return
	}
	switch e.Type {
	case agents.EventState:
		v.onState(e)
	case agents.EventToken:
		v.onToken(e.Round, e.Text)
	case agents.EventReplaced:
		v.onReplaced(e.Round, e.Text)
	case agents.EventSubcallStart:
		v.called = true
		v.row("→ " + callName(e.Call) + ": " + words.OneLine(e.Call.Task, 100))
	case agents.EventSubcallEnd, agents.EventTool:
		v.onCall(e.Call)
	case agents.EventQuestion:
		v.onQuestion(e.Question)
	case agents.EventContextCut:
		v.row("did not fit: " + cutWords(e.Cut))
	case agents.EventMemoryWritten:
		v.row("remembered: " + words.OneLine(e.Text, 200))
	case agents.EventMemoryProposed:
		v.row(proposedWords(e.Text) + proposedNext(e.Memory))
	case agents.EventMemoryReloaded:
		v.row("memory reloaded: " + reloaded(e.Memory))
	case agents.EventRecalled:
		v.row("recalled: " + recalledWords(e.Recalled))
	case agents.EventCompaction:
		v.row("summarised: " + words.OneLine(e.Text+" "+e.Detail, 200))
	case agents.EventDone:
		v.onDone(e.Text)
	case agents.EventError:
		v.line.Erase()
	}
}

func (v *view) onState(e agents.Event) {
	switch {
	case e.Warning:
		words := words.Sentence(e.Detail)
		if e.GoOn {
			words += ` To go on, write "continue".`
		}
		v.row("mac-stats: " + words)
		return
	case e.State == agents.StateQueued && e.Round == 0 && e.Detail != "" && !v.c.StderrIsTerminal:
		v.row("waiting: the session is " + e.Detail) // without a status line this would look like a hang
	}
	v.state = e.Detail
	if v.state == "" {
		v.state = string(e.State)
	}
	if e.State == agents.StateWriting || e.State == agents.StateAsking { // the question takes its place
		v.state = ""
	}
	v.since = time.Now()
	v.draw()
}

func (v *view) onToken(round int, text string) {
	if text == "" {
		return
	}
	v.line.Erase()
	v.state = ""
	if round != v.round {
		if !v.ended {
			v.write("\n")
		}
		if strings.TrimSpace(v.printed) != "" && !v.called { // it called nothing, so it was asked again
			v.row(discarded)
		}
		v.round, v.printed, v.called = round, "", false
	}
	v.printed += text
	v.write(text)
}

// onReplaced prints a round's text again if what was printed of it is no part of it.
func (v *view) onReplaced(round int, text string) {
	if round == v.round && strings.TrimSpace(v.printed) != "" {
		v.write("\n")
		v.row("mac-stats: the text above was the model's thinking or a call of a tool; its answer follows")
		v.printed = ""
	}
	v.onToken(round, text)
}

// discarded is said below a reply that isn't the answer.
const discarded = "the text above is discarded: the model answers again"

// onDone prints the part of the answer that did not arrive as tokens. What is on stdout is
// never printed again, even if the session keeps it in another form.
func (v *view) onDone(answer string) {
	v.line.Erase()
	v.state = ""
	rest, common := unprinted(v.printed, answer)
	switch {
	case common < 0 && strings.TrimSpace(answer) == "":
	case common < 0: // nothing of it is on stdout
		if !v.ended {
			v.write("\n")
		}
		if strings.TrimSpace(v.printed) != "" {
			v.row(discarded)
		}
		v.write(answer)
	case rest != "" && common < len(v.printed):
		v.row("the answer that is kept differs from the text above: `mac-stats sessions show` prints it")
	default:
		v.write(rest)
	}
}

// unprinted returns what an answer has behind its part that is printed already, and how much of
// the printed text it begins with, without regard to white space; -1 if they have nothing in
// common. A saved answer has other line ends than the streamed one, and lacks blanks at its end
// or lines that repeat each other.
func unprinted(printed, answer string) (rest string, common int) {
	if strings.HasPrefix(answer, printed) && printed != "" {
		return answer[len(printed):], len(printed)
	}
	space := func(r rune) bool { return unicode.IsSpace(r) }
	common = -1
	p, a := strings.TrimLeftFunc(printed, space), strings.TrimLeftFunc(answer, space)
	for p != "" && a != "" {
		want, n := utf8.DecodeRuneInString(p)
		got, m := utf8.DecodeRuneInString(a)
		if want != got {
			return a, common
		}
		common = len(printed) - len(p) + n
		answer = a[m:]
		p, a = strings.TrimLeftFunc(p[n:], space), strings.TrimLeftFunc(answer, space)
	}
	if p == "" {
		common = len(printed)
		if a == "" {
			return "", common
		}
		if ended := strings.TrimRightFunc(printed, space); ended != printed {
			return a, common
		}
		return answer, common
	}
	return "", common
}

// end finishes the last line; the tokens have already printed a partial answer.
func (v *view) end(result agents.Result) {
	v.line.Erase()
	if v.c.Out.AsJSON {
		return
	}
	if v.printed == "" && result.Stopped {
		v.write(result.Text)
	}
	if !v.ended {
		v.write("\n")
	}
	if v.c.StderrIsTerminal && result.Session != "" && !result.Stopped {
		v.c.Note(fmt.Sprintf("%s · %s · %s", result.Agent, result.Model, result.Session))
	}
}

func (v *view) write(text string) {
	if text == "" {
		return
	}
	_ = v.c.Out.Text(text) // the output keeps an error, which ends the command
	if v.ended = strings.HasSuffix(text, "\n"); !v.ended {
		return
	}
	for _, line := range v.held {
		v.c.Note(line)
	}
	v.held = nil
}

func (v *view) onCall(call *agents.Call) {
	switch {
	case call != nil && !call.Done && call.Result != "": // the end of its output so far
		lines := strings.Split(strings.TrimSpace(call.Result), "\n")
		v.state = call.Name + ": " + lines[len(lines)-1]
		v.draw()
		return
	case call == nil || !call.Done && call.Failed == "":
		return
	}
	v.called = true
	switch {
	case call.Failed != "":
		v.row("✗ " + callName(call) + ": " + words.OneLine(call.Failed, 160))
	default:
		v.row(fmt.Sprintf("✓ %s · %.1f s", callName(call), call.Took.Seconds()))
	}
}

// proposedWords shows a lesson that waits for approval; a replacement has the form "OLD =>
// NEW".
func proposedWords(text string) string {
	if old, by, ok := strings.Cut(text, " => "); ok {
		return "proposed: replace “" + words.OneLine(old, 200) + "” with “" + words.OneLine(by, 200) + "”"
	}
	return "proposed for memory: " + words.OneLine(text, 200)
}

func callName(call *agents.Call) string {
	if call.Model != "" {
		return call.Name + " (" + call.Model + ")"
	}
	return call.Name
}

// row prints a line on stderr that stays.
func (v *view) row(line string) {
	v.line.Erase()
	if !v.ended && !v.c.StderrIsTerminal { // the answer must not be changed by it
		v.held = append(v.held, line)
		return
	}
	if !v.ended { // stdout may be the same terminal
		v.write("\n")
	}
	v.c.Note(line)
}

// draw draws the status line with its clock.
func (v *view) draw() {
	if v.c.Out.AsJSON || v.state == "" || !v.ended {
		return
	}
	v.line.Draw(fmt.Sprintf("%s %d s", words.OneLine(v.state, 60), int(time.Since(v.since).Seconds())))
}

func cutWords(cut *prompt.ContextCut) string {
	if cut == nil {
		return "something"
	}
	var parts []string
	for _, p := range []struct {
		n         int
		one, many string
	}{
		{cut.Messages, "older message", "older messages"},
		{cut.Memory, "character of the memory", "characters of the memory"},
		{cut.Roster, "agent or skill", "agents and skills"},
		{cut.Result, "character of results", "characters of results"},
		{cut.Attached, "character of the attached files", "characters of the attached files"},
	} {
		if p.n != 0 {
			parts = append(parts, words.Count(p.n, p.one, p.many))
		}
	}
	if cut.Tools != "" {
		parts = append(parts, "the tools "+cut.Tools)
	}
	return strings.Join(parts, ", ")
}

// recalledWords names the sessions that notes come from.
func recalledWords(notes []agents.RecalledNote) string {
	var from []string
	for _, n := range notes {
		if !slices.Contains(from, n.Session) {
			from = append(from, n.Session)
		}
	}
	return words.Count(len(notes), "note") + " from " + strings.Join(from, ", ")
}

func reloaded(m *agents.MemoryChange) string {
	if m == nil {
		return "changed"
	}
	return fmt.Sprintf("+%d −%d", m.Added, m.Removed)
}

// proposedNext explains how to decide about a turn's proposal.
func proposedNext(m *agents.MemoryChange) string {
	if m == nil || m.Inbox == "" {
		return ""
	}
	return " · `mac-stats memory inbox accept " + m.Inbox + "`"
}
