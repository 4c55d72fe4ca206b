package askcmd

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strings"
	"sync"

	"mac-stats/agents"
)

// keyboard gives the lines that are typed on a terminal to the questions of a turn.
type keyboard struct {
	terminal io.ReadCloser
	lines    *bufio.Reader // of it

	mu      sync.Mutex
	reading bool                         // a line is read: one for all questions
	take    func(line string, err error) // of the question that waits for one
}

// next gives take the next line that is typed, on a goroutine of its own: Ctrl-C ends
// the turn meanwhile. nil: the question doesn't wait any more, and what is typed until the
// next one is dropped.
func (k *keyboard) next(take func(line string, err error)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.take = take
	if take == nil || k.reading {
		return
	}
	k.reading = true
	go func() {
		line, err := k.lines.ReadString('\n')
		k.mu.Lock()
		take := k.take
		k.reading, k.take = false, nil
		k.mu.Unlock()
		if take != nil {
			take(line, err)
		}
	}()
}

// flush drops what was typed before a question was there: it is no answer to it.
func (k *keyboard) flush() {
	if t, ok := k.terminal.(interface{ Flush() }); ok {
		t.Flush()
	}
}

// canAsk opens the terminal and reports whether a question of the turn can be asked there.
func (v *view) canAsk() bool {
	if v.c.Out.AsJSON || !v.c.StderrIsTerminal || v.c.Terminal == nil {
		return false
	}
	terminal, err := v.c.Terminal()
	if err != nil {
		return false
	}
	v.keys = &keyboard{terminal: terminal, lines: bufio.NewReader(terminal)}
	return true
}

func (v *view) close() {
	if v.keys != nil {
		_ = v.keys.terminal.Close() // only read
	}
}

// onQuestion asks.
func (v *view) onQuestion(q *agents.Question) {
	if q == nil || v.keys == nil {
		return
	}
	if q.Answer != "" {
		v.keys.next(nil)
		return
	}
	v.keys.flush()
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
	v.c.ToStderr("Allow it? " + strings.Join(offered, ", ") + " ")
	v.keys.next(func(line string, err error) {
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
	names := map[agents.Answer]string{agents.AnswerChat: "in this chat"}
	for _, a := range answers {
		key := answerKey[a]
		if a == usual {
			key = strings.ToUpper(key)
		}
		offered = append(offered, "["+key+"] "+cmp.Or(names[a], string(a)))
	}
	return offered, usual
}
