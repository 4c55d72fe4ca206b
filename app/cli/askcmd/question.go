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

// keyboard passes lines typed on the terminal to the questions of a turn.
type keyboard struct {
	terminal io.ReadCloser
	lines    *bufio.Reader // from terminal

	mu      sync.Mutex
	reading bool                         // a read is running, shared by all questions
	take    func(line string, err error) // called by the waiting question's next line
}

// next passes the next typed line to take, on its own goroutine, so that Ctrl-C can end the
// turn meanwhile. nil means that the question no longer waits; a line typed before the next
// question is dropped.
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

// flush drops what was typed before the question appeared: it can't be an answer.
func (k *keyboard) flush() {
	if t, ok := k.terminal.(interface{ Flush() }); ok {
		t.Flush()
	}
}

// canAsk opens the terminal and reports whether the turn can ask questions there.
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
		_ = v.keys.terminal.Close() // it was only read
	}
}

// onQuestion asks a question.
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
		answer := agents.AnswerNo // an unreadable or unoffered answer means no
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

// answerKey is the key for an answer.
var answerKey = map[agents.Answer]string{agents.AnswerOnce: "y", agents.AnswerChat: "c", agents.AnswerAlways: "a", agents.AnswerNo: "n", agents.AnswerNever: "v"}

// answerKeys words the offered answers; usual is the one for Enter alone: no, or never if
// that is offered first.
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
