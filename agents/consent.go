package agents

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mac-stats/agents/tools"
)

// Answer is a person's answer to a Question.
type Answer = tools.Answer

// The answers.
const (
	AnswerOnce    = tools.AnswerOnce
	AnswerNo      = tools.AnswerNo
	AnswerChat    = tools.AnswerChat
	AnswerAlways  = tools.AnswerAlways
	AnswerNever   = tools.AnswerNever
	AnswerRefused = tools.AnswerRefused
	AnswerLate    = tools.AnswerLate
)

// Question is what a turn asks a person before a tool runs. Its event is emitted when
// the turn starts to wait, and again with the Answer.
type Question struct {
	ID    string `json:"id"`    // for Run.Answer; the call's ID
	Agent string `json:"agent"` // slug of the calling agent
	Tool  string `json:"tool"`  // FETCH_URL
	What  string `json:"what"`  // exactly what would run or be sent
	Where string `json:"where"` // host, server or folder
	tools.Effects
	Covers  string   `json:"covers,omitempty"` // what a lasting answer is limited to, besides agent and tool: a program, a host; "" is any argument
	Why     string   `json:"why"`              // one of the sentences below
	Answers []Answer `json:"answers"`          // the possible answers, the default first
	Answer  Answer   `json:"answer,omitempty"` // "" while the turn waits
}

// Reasons for a question, for people.
const (
	WhyAddress   = "You didn't type this address, and this chat holds text that others wrote, which may have made it up to send something of yours away."
	WhyOutside   = "This acts outside mac-stats, so it needs your yes."
	WhyStrangers = "This chat contains text that others wrote, which may have made the agent ask for this."
	WhyChanged   = "The tool's description has changed since you allowed it."
)

// askPerson waits for a person's answer. Meanwhile the turn holds no permit of the model
// server, so other chats continue.
func (t *turn) askPerson(ctx context.Context, q Question) (Answer, error) {
	emit := func(answer Answer) {
		q.Answer = answer
		asked := q
		t.emitForMessage(Event{Type: EventQuestion, Question: &asked})
	}
	if !t.req.CanAsk || t.req.Place != nil || t.req.Schedule != "" {
		emit(AnswerRefused)
		return AnswerRefused, nil
	}
	answers, forget := t.run.addQuestion(q.ID)
	defer forget()
	var expired <-chan time.Time
	if t.settings.QuestionTime > 0 {
		expired = time.After(t.settings.QuestionTime)
	}
	emit("")
	t.state(StateAsking, "")
	answer := AnswerLate
	select {
	case answer = <-answers:
	case <-expired:
	case <-ctx.Done():
		emit(AnswerNo)
		return AnswerNo, context.Cause(ctx)
	}
	if !slices.Contains(append(q.Answers, AnswerLate), answer) {
		answer = AnswerNo // it wasn't offered
	}
	emit(answer)
	t.state(StateTool, q.Tool)
	return answer, nil
}

var errNotAllowed = errors.New("the user said no to this; answer without it")

// consent returns nil if an action may be done: a person allowed it before, or does so now.
// An answer that lasts is stored.
func (t *turn) consent(ctx context.Context, call *tools.Call, act tools.Action) error {
	act.Agent, act.Session, act.Schedule, act.Given = call.Agent, t.req.Session, t.req.Schedule, t.req.Given
	decision, changed := t.may.Act(act, call.Held, t.engine.p.Answers)
	why := WhyOutside
	switch {
	case decision == tools.Allowed:
		return nil
	case decision == tools.Refused:
		return errNotAllowed
	case act.Tool == tools.FetchURL:
		why = WhyAddress
	case changed:
		why = WhyChanged
	case !call.Held.Typed():
		why = WhyStrangers
	}
	kept := t.engine.p.Answers
	q := Question{ID: call.ID, Agent: act.Agent, Tool: act.Tool, What: act.What, Where: act.Where, Effects: act.Effects, Covers: act.Covers, Why: why, Answers: []Answer{AnswerOnce, AnswerNo}}
	if kept != nil {
		q.Answers = []Answer{AnswerOnce, AnswerNo, AnswerNever}
		switch {
		case kept.Often(act):
			q.Answers = []Answer{AnswerNever, AnswerNo, AnswerOnce}
		case call.Held.Typed() && !act.Single: // otherwise a lasting yes would have no effect
			q.Answers = []Answer{AnswerOnce, AnswerChat, AnswerAlways, AnswerNo, AnswerNever}
		}
	}
	answer, err := t.askPerson(ctx, q)
	if err != nil {
		return err
	}
	kept.Answered(act, answer)
	if answer.Lasts() {
		p := tools.Permission{Agent: act.Agent, Tool: act.Tool, Covers: act.Covers, Answer: answer, Stamp: act.Stamp}
		if answer == AnswerChat {
			p.Session = act.Session
		}
		if err := kept.Keep(p, t.engine.p.Store.IsPrivate(act.Session)); err != nil {
			t.warn(StateTool, "Your answer holds for now but couldn't be saved: "+err.Error())
		}
	}
	switch answer {
	case AnswerOnce, AnswerChat, AnswerAlways:
		return nil
	case AnswerRefused:
		if why == WhyAddress {
			return errors.New("not read: the user didn't type this address, and nobody can be asked here. If it is needed, tell the user which address to send")
		}
		return fmt.Errorf("not done: %s needs the user's yes, and nobody can be asked here. Tell the user what you would have done", act.Tool)
	case AnswerLate:
		return errors.New("not done: the user was asked and didn't answer in time; answer without it")
	}
	t.may.Denied(act)
	return errNotAllowed
}
