package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/prompt"
)

// tick is how often the clock of the state line moves.
const tick = 500 * time.Millisecond

// view shows a turn: the answer on stdout, the rest on stderr.
type view struct {
	c    *commands
	json bool

	state   string // words of the state line; "" where the answer is being written
	since   time.Time
	drawn   bool     // the state line is on the screen
	round   int      // the round whose text is on stdout
	printed string   // of that round
	ended   bool     // stdout ends with a line end
	held    []string // rows that wait for it, where stderr may be the same file

	terminal io.ReadCloser                         // where answers are typed; nil where nobody can be asked
	lines    *bufio.Reader                         // of it
	typing   sync.Mutex                            // guards what follows
	reading  bool                                  // a line is read: one for all questions
	take     func(line string, err error)          // of the question that waits for one
	answer   func(id string, a agents.Answer) bool // of the run
}

func (c *commands) newView(json bool) *view {
	return &view{c: c, json: json, ended: true}
}

// canAsk reports whether a question of the turn can be asked here.
func (v *view) canAsk() bool {
	if v.json || !v.c.p.StderrIsTerminal || v.c.p.Terminal == nil {
		return false
	}
	terminal, err := v.c.p.Terminal()
	if err != nil {
		return false
	}
	v.terminal, v.lines = terminal, bufio.NewReader(terminal)
	return true
}

func (v *view) close() {
	if v.terminal != nil {
		_ = v.terminal.Close() // only read
	}
}

// readFor gives take the next line that is typed, on a goroutine of its own: Ctrl-C ends
// the turn meanwhile. nil: the question doesn't wait any more, and what is typed until the
// next one is dropped.
func (v *view) readFor(take func(line string, err error)) {
	v.typing.Lock()
	defer v.typing.Unlock()
	v.take = take
	if take == nil || v.reading {
		return
	}
	v.reading = true
	go func() {
		line, err := v.lines.ReadString('\n')
		v.typing.Lock()
		take := v.take
		v.reading, v.take = false, nil
		v.typing.Unlock()
		if take != nil {
			take(line, err)
		}
	}()
}

// onQuestion asks.
func (v *view) onQuestion(q *agents.Question) {
	if q == nil || v.lines == nil {
		return
	}
	if q.Answer != "" {
		v.readFor(nil)
		return
	}
	if t, ok := v.terminal.(interface{ Flush() }); ok {
		t.Flush() // what was typed before the question was there is no answer to it
	}
	v.state = ""
	v.row("The agent " + q.Agent + " wants to use " + q.Tool + ". " + q.Why)
	for _, fact := range [][2]string{{"what:  ", q.What}, {"where: ", q.Where}, {"reads: ", q.Reads}, {"writes:", q.Writes}, {"sends: ", q.Sends}} {
		if fact[1] != "" {
			v.row("  " + fact[0] + " " + fact[1])
		}
	}
	if slices.Contains(q.Answers, agents.AnswerAlways) {
		v.row("  “always” covers " + strings.TrimSpace(q.Tool+" "+q.Covers) + " with any arguments, by this agent; where a chat holds text of others, you are asked all the same")
	}
	offered, usual := answerKeys(q.Answers)
	v.c.toStderr("Allow it? " + strings.Join(offered, ", ") + " ")
	v.readFor(func(line string, err error) {
		answer := agents.AnswerNo // what can't be read, or isn't offered, is a no
		if typed := strings.ToLower(strings.TrimSpace(line)); typed == "" && err == nil {
			answer = usual
		} else if key := slices.IndexFunc(q.Answers, func(a agents.Answer) bool {
			return typed == answerKey[a] || typed == string(a) || typed == "yes" && a == agents.AnswerOnce
		}); key >= 0 {
			answer = q.Answers[key]
		}
		v.answer(q.ID, answer)
	})
}

// answerKey is what is typed for an answer.
var answerKey = map[agents.Answer]string{agents.AnswerOnce: "y", agents.AnswerChat: "c", agents.AnswerAlways: "a", agents.AnswerNo: "n", agents.AnswerNever: "v"}

// answerKeys are the answers that are offered, in words; usual is what Enter alone gives:
// no, or never where that is offered first.
func answerKeys(answers []agents.Answer) (offered []string, usual agents.Answer) {
	usual = agents.AnswerNo
	if answers[0] == agents.AnswerNever {
		usual = agents.AnswerNever
	}
	words := map[agents.Answer]string{agents.AnswerChat: "in this chat"}
	for _, a := range answers {
		key := answerKey[a]
		if a == usual {
			key = strings.ToUpper(key)
		}
		offered = append(offered, "["+key+"] "+cmp.Or(words[a], string(a)))
	}
	return offered, usual
}

// events gives the turn's events to its very end: also after Ctrl-C, when the
// partial answer is being kept. Between them the clock moves.
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
	if v.json {
		_ = v.c.out.json(e) // an error is kept and ends the command
		return
	}
	switch e.Type {
	case agents.EventState:
		v.onState(e)
	case agents.EventToken:
		v.onToken(e.Round, e.Text)
	case agents.EventSubcallStart:
		v.row("→ " + callName(e.Call) + ": " + oneLine(e.Call.Task, 100))
	case agents.EventSubcallEnd, agents.EventTool:
		v.onCall(e.Call)
	case agents.EventQuestion:
		v.onQuestion(e.Question)
	case agents.EventContextCut:
		v.row("did not fit: " + cutWords(e.Cut))
	case agents.EventMemoryWritten:
		v.row("remembered: " + oneLine(e.Text, 200))
	case agents.EventMemoryProposed:
		v.row(proposedWords(e.Text) + proposedNext(e.Memory))
	case agents.EventMemoryReloaded:
		v.row("memory reloaded: " + reloaded(e.Memory))
	case agents.EventRecalled:
		v.row("recalled: " + recalledWords(e.Recalled))
	case agents.EventCompaction:
		v.row("summarised: " + oneLine(e.Text+" "+e.Detail, 200))
	case agents.EventDone:
		v.onDone(e.Text)
		if e.Unkept {
			v.row("nothing was saved to memory, whatever the answer says: `mac-stats memory add …` saves a line")
		}
	case agents.EventError:
		v.erase()
	}
}

func (v *view) onState(e agents.Event) {
	switch {
	case e.Warning:
		words := sentence(e.Detail)
		if e.GoOn {
			words += ` To go on, write "continue".`
		}
		v.row("mac-stats: " + words)
		return
	case e.State == agents.StateQueued && e.Round == 0 && e.Detail != "" && !v.c.p.StderrIsTerminal:
		v.row("waiting: the session is " + e.Detail) // without a state line it would seem to hang
	}
	v.state = e.Detail
	if v.state == "" {
		v.state = string(e.State)
	}
	if e.State == agents.StateWriting || e.State == agents.StateAsking { // the question stands there
		v.state = ""
	}
	v.since = time.Now()
	v.draw()
}

func (v *view) onToken(round int, text string) {
	if text == "" {
		return
	}
	v.erase()
	v.state = ""
	if round != v.round {
		if !v.ended {
			v.write("\n")
		}
		v.round, v.printed = round, ""
	}
	v.printed += text
	v.write(text)
}

// onDone prints what of the answer has not come as tokens.
func (v *view) onDone(answer string) {
	v.erase()
	v.state = ""
	rest, ok := strings.CutPrefix(answer, v.printed)
	switch {
	case ok:
		v.write(rest)
	case strings.TrimSpace(answer) != strings.TrimSpace(v.printed):
		if !v.ended {
			v.write("\n")
		}
		v.write(answer)
	}
}

// end closes the last line; a partial answer is what tokens have printed.
func (v *view) end(result agents.Result) {
	v.erase()
	if v.json {
		return
	}
	if v.printed == "" && result.Stopped {
		v.write(result.Text)
	}
	if !v.ended {
		v.write("\n")
	}
	if v.c.p.StderrIsTerminal && result.Session != "" && !result.Stopped {
		v.c.note(fmt.Sprintf("%s · %s · %s", result.Agent, result.Model, result.Session))
	}
}

func (v *view) write(text string) {
	if text == "" {
		return
	}
	_ = v.c.out.text(text) // an error is kept and ends the command
	if v.ended = strings.HasSuffix(text, "\n"); !v.ended {
		return
	}
	for _, line := range v.held {
		v.c.note(line)
	}
	v.held = nil
}

func (v *view) onCall(call *agents.Call) {
	switch {
	case call != nil && !call.Done && call.Result != "": // the end of what it printed so far
		lines := strings.Split(strings.TrimSpace(call.Result), "\n")
		v.state = call.Name + ": " + lines[len(lines)-1]
		v.draw()
		return
	case call == nil || !call.Done && call.Failed == "":
		return
	case call.Failed != "":
		v.row("✗ " + callName(call) + ": " + oneLine(call.Failed, 160))
	default:
		v.row(fmt.Sprintf("✓ %s · %.1f s", callName(call), call.Took.Seconds()))
	}
}

// proposedWords show a lesson that waits for a yes; the text of a replacement is
// "OLD => NEW".
func proposedWords(text string) string {
	if old, by, ok := strings.Cut(text, " => "); ok {
		return "proposed: replace “" + oneLine(old, 200) + "” with “" + oneLine(by, 200) + "”"
	}
	return "proposed for memory: " + oneLine(text, 200)
}

func callName(call *agents.Call) string {
	if call.Model != "" {
		return call.Name + " (" + call.Model + ")"
	}
	return call.Name
}

// row is a line on stderr that stays.
func (v *view) row(line string) {
	v.erase()
	if !v.ended && !v.c.p.StderrIsTerminal { // the answer is not to be changed for it
		v.held = append(v.held, line)
		return
	}
	if !v.ended { // stdout may be the same screen
		v.write("\n")
	}
	v.c.note(line)
}

// draw puts the state with its clock on the screen.
func (v *view) draw() {
	if v.json || v.state == "" || !v.c.p.StderrIsTerminal || !v.ended {
		return
	}
	v.c.toStderr(fmt.Sprintf("\r\x1b[K%s %d s", oneLine(v.state, 60), int(time.Since(v.since).Seconds())))
	v.drawn = true
}

func (v *view) erase() {
	if v.drawn {
		v.c.toStderr("\r\x1b[K")
		v.drawn = false
	}
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
		{cut.Memory, "memory line", "memory lines"},
		{cut.Roster, "agent or skill", "agents and skills"},
		{cut.Result, "character of results", "characters of results"},
		{cut.Attached, "character of the attached files", "characters of the attached files"},
	} {
		switch p.n {
		case 0:
		case 1:
			parts = append(parts, "1 "+p.one)
		default:
			parts = append(parts, thousands(p.n)+" "+p.many)
		}
	}
	return strings.Join(parts, ", ")
}

// recalledWords name the sessions that notes are from.
func recalledWords(notes []agents.RecalledNote) string {
	var from []string
	for _, n := range notes {
		if !slices.Contains(from, n.Session) {
			from = append(from, n.Session)
		}
	}
	return count(len(notes), "note") + " from " + strings.Join(from, ", ")
}

func reloaded(m *agents.MemoryChange) string {
	if m == nil {
		return "changed"
	}
	return fmt.Sprintf("+%d −%d", m.Added, m.Removed)
}
