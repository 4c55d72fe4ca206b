package agents

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"mac-stats/agents/tools"
)

// Answer is what a person says to a Question.
type Answer string

// The answers.
const (
	AnswerOnce    Answer = "once"    // it may run this time
	AnswerNo      Answer = "no"      // it may not, in this turn
	AnswerRefused Answer = "refused" // nobody can be asked; never given by a person
)

// Question is what a turn has to ask before a tool runs. The event comes when the turn
// begins to wait, and again with the Answer.
type Question struct {
	ID      string `json:"id"`      // for Run.Answer; that of the call
	Tool    string `json:"tool"`    // FETCH_URL
	Address string `json:"address"` // exactly what would be sent, and to Host
	Host    string `json:"host"`
	Why     string `json:"why"`              // one sentence for people
	Answer  Answer `json:"answer,omitempty"` // "" while it waits
}

// whyAsk says why an address is asked about.
const whyAsk = "You didn't type this address, and this chat holds text that others wrote, which may have made it up to send something of yours away."

// Answer answers the question with this id. It reports false where none waits, as after
// a Stop or another view's answer.
func (r *Run) Answer(id string, answer Answer) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	waiting := r.questions[id]
	if waiting == nil {
		return false
	}
	delete(r.questions, id)
	waiting <- answer // it has room for one
	return true
}

// wait makes a question answerable until forget is called.
func (r *Run) wait(id string) (answers <-chan Answer, forget func()) {
	waiting := make(chan Answer, 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.questions[id] = waiting
	return waiting, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.questions, id)
	}
}

// askPerson waits for a person's answer. The turn holds no permit of the model server
// meanwhile, so other chats go on.
func (t *turn) askPerson(ctx context.Context, q Question) (Answer, error) {
	tell := func(answer Answer) {
		q.Answer = answer
		asked := q
		t.tell(Event{Type: EventQuestion, Question: &asked})
	}
	if !t.req.CanAsk || t.req.Place != nil {
		tell(AnswerRefused)
		return AnswerRefused, nil
	}
	answers, forget := t.out.wait(q.ID)
	defer forget()
	tell("")
	t.state(StateAsking, "")
	select {
	case answer := <-answers:
		tell(answer)
		t.state(StateTool, q.Tool)
		return answer, nil
	case <-ctx.Done():
		tell(AnswerNo)
		return AnswerNo, context.Cause(ctx)
	}
}

// mayFetch gives the address that is read for a call, or the error that says why none
// is.
func (t *turn) mayFetch(ctx context.Context, call tools.Call, address string) (string, error) {
	decision, address := t.may.Fetch(address, call.Held)
	switch decision {
	case tools.Allowed:
		return address, nil
	case tools.Refused:
		return "", errors.New("the user said no to this address; answer without it")
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("%q is not an address", address)
	}
	answer, err := t.askPerson(ctx, Question{ID: call.ID, Tool: tools.FetchURL, Address: address, Host: u.Host, Why: whyAsk})
	switch {
	case err != nil:
		return "", err
	case answer == AnswerOnce:
		return address, nil
	case answer == AnswerRefused:
		return "", errors.New("not read: the user didn't type this address, and nobody can be asked here. If it is needed, tell the user which address to send")
	}
	t.may.Denied(address)
	return "", errors.New("the user said no to this address; answer without it")
}
