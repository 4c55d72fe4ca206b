package agents

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"mac-stats/agents/fetch"
	"mac-stats/agents/reply"
	"mac-stats/agents/tools"
)

// consent decides what a turn may do without a question, and asks a person about the
// rest. It is the turn's fetch.Host.
type consent struct {
	tools.Permissions
	report  *report
	req     Request
	timeout time.Duration  // after which a question counts as a no; 0 is never
	quoted  []reply.Quoted // text in the turn's requests that isn't the model's
}

// askPerson waits for a person's answer. Meanwhile the turn holds no permit of the model
// server, so other chats continue.
func (c *consent) askPerson(ctx context.Context, q Question) (Answer, error) {
	emit := func(answer Answer) {
		q.Answer = answer
		asked := q
		c.report.emitForMessage(Event{Type: EventQuestion, Question: &asked})
	}
	if !c.req.CanAsk || c.req.Place != nil || c.req.Schedule != "" {
		emit(AnswerRefused)
		return AnswerRefused, nil
	}
	answers, forget := c.report.run.addQuestion(q.ID)
	defer forget()
	var expired <-chan time.Time
	if c.timeout > 0 {
		expired = time.After(c.timeout)
	}
	emit("")
	c.report.state(StateAsking, "")
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
	c.report.state(StateTool, q.Tool)
	return answer, nil
}

// checkAction returns nil if a call of a tool that acts outside this program may run, and
// otherwise an error with the reason.
func (c *consent) checkAction(ctx context.Context, tool tools.Guarded, call tools.Call) error {
	act, err := tool.Action(call)
	if err != nil {
		return err
	}
	act.Agent, act.Session, act.Schedule, act.Given = call.Agent, c.req.Session, c.req.Schedule, c.req.Given
	decision, changed := c.Act(act, call.Held, c.report.base.p.Answers)
	why := WhyOutside
	switch {
	case decision == tools.Allowed:
		return nil
	case decision == tools.Refused:
		return errNotAllowed
	case changed:
		why = WhyChanged
	case !call.Held.Typed():
		why = WhyStrangers
	}
	return c.ask(ctx, call, act, why)
}

var errNotAllowed = errors.New("the user said no to this; answer without it")

// ask asks a person about an action and stores an answer that lasts. It returns nil if
// the answer is a yes.
func (c *consent) ask(ctx context.Context, call tools.Call, act tools.Action, why string) error {
	kept := c.report.base.p.Answers
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
	answer, err := c.askPerson(ctx, q)
	if err != nil {
		return err
	}
	kept.Answered(act, answer)
	if answer.Lasts() {
		p := tools.Permission{Agent: act.Agent, Tool: act.Tool, Covers: act.Covers, Answer: answer, Stamp: act.Stamp}
		if answer == AnswerChat {
			p.Session = act.Session
		}
		if err := kept.Keep(p, c.report.base.p.Store.IsPrivate(act.Session)); err != nil {
			c.report.warn(StateTool, "Your answer holds for now but couldn't be saved: "+err.Error())
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
	c.Denied(act)
	return errNotAllowed
}

// MayFetch returns the address to read for a call, or an error with the reason why none
// may be read.
func (c *consent) MayFetch(ctx context.Context, call tools.Call, address string) (string, error) {
	decision, address := c.Fetch(address, call.Held)
	if decision == tools.Allowed {
		return address, nil
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("%q is not an address", address)
	}
	act := tools.Action{
		Tool: tools.FetchURL, Covers: u.Host, What: address, Where: u.Host, Effects: fetch.Tool{}.Doc().Effects, Single: true,
		Agent: call.Agent, Session: c.req.Session, Schedule: c.req.Schedule, Given: c.req.Given,
	}
	if decision, _ := c.Act(act, call.Held, c.report.base.p.Answers); decision == tools.Refused {
		return "", errNotAllowed
	}
	return address, c.ask(ctx, call, act, WhyAddress)
}
