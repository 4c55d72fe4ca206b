package discord

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/app/discord/connection"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/transcript"
)

// answerer answers jobs: it gathers the conversation around one, runs the turn, and posts
// the answer to the channel and the window.
type answerer struct {
	*desk
	*tasks
	queue  *queue
	people *people
	record *record
}

// answer answers one job. It returns no error, because it tells whoever asked. It reports
// whether everybody has been told; false if the app is closed before that.
func (an *answerer) answer(ctx context.Context, w *working) (done bool) {
	closed := ctx
	ctx, cancel := context.WithTimeout(ctx, turnTimeout)
	defer cancel()
	an.queue.begin(w, cancel)
	j := an.queue.snapshot(w, false)
	if an.people.isForgotten(j) {
		return true
	}
	before := an.window(ctx, j)
	if before.done {
		return true // by a process that couldn't record it anywhere else
	}
	typing, quiet := context.WithCancel(ctx)
	channel := j.channel()
	an.work.Go(func() { an.keepTyping(typing, channel) })
	defer quiet()

	set := an.p.Settings()
	around := an.collect(ctx, j, set)
	j = an.queue.snapshot(w, true)
	if len(j.parts) == 0 || an.people.isForgotten(j) {
		return true // it was deleted
	}
	an.people.noteRemembered(j)
	req := an.request(ctx, j, set, around, before)
	d := an.newDraft(j, func(ctx context.Context) string { return an.replyTarget(ctx, j, around, set) })
	result, text, err := an.follow(ctx, req, d)
	if other := fault.VisionModel(err); other != "" && result.UserID == "" {
		req.Model = other // images go to a model with vision
		result, text, err = an.follow(ctx, req, d)
	}
	if errors.Is(err, fault.ErrNoVision) && result.UserID == "" && withoutImages(&req, j) {
		result, text, err = an.follow(ctx, req, d)
	}
	quiet()
	an.send(ctx, j, d, result, text, err)
	return closed.Err() == nil || len(d.posted) > 0
}

// withoutImages removes images from a request if no model can look at them, and says so. It
// returns false if the request has no other file to answer.
func withoutImages(req *agents.Request, j *job) bool {
	var rest []attach.File
	var unseen []string
	for _, f := range req.Files {
		if f.Image {
			unseen = append(unseen, "The attached image "+f.Name+" can't be looked at with the model that is used here.")
			continue
		}
		rest = append(rest, f)
	}
	if len(rest) == 0 || len(unseen) == 0 {
		return false
	}
	req.Files, j.unread = rest, append(j.unread, unseen...)
	req.Text = strings.TrimSpace(req.Text + unreadSign + strings.Join(unseen, " ") + ")")
	return true
}

// keepTyping shows the typing indicator once the answer takes a moment.
func (an *answerer) keepTyping(ctx context.Context, channel string) {
	for wait := typeAfter; connection.Sleep(ctx, wait) == nil; wait = typeEvery {
		if err := an.p.Client.Typing(ctx, channel); err != nil && ctx.Err() == nil {
			an.log.Debug("typing could not be shown", "channel", channel, "err", err)
		}
	}
}

// follow runs the turn and shows the unfinished answer meanwhile.
func (an *answerer) follow(ctx context.Context, req agents.Request, d *draft) (agents.Result, string, error) {
	run := an.p.Engine.Start(ctx, req)
	tick := time.NewTicker(editEvery / 2)
	defer tick.Stop()
	var text strings.Builder
	round := 0
	events := run.Events(context.WithoutCancel(ctx))
	for events != nil {
		select {
		case e, ok := <-events:
			switch {
			case !ok:
				events = nil
			case e.Type == agents.EventToken:
				if e.Round != round {
					round = e.Round
					text.Reset()
				}
				text.WriteString(e.Text)
			case e.Type == agents.EventReplaced:
				text.Reset()
				text.WriteString(e.Text)
			}
		case <-tick.C:
			if ctx.Err() == nil {
				d.show(ctx, text.String())
			}
		}
	}
	result, err := run.Wait()
	if err == nil || result.Text != "" {
		return result, result.Text, err
	}
	return result, "", err
}

// send posts the answer, or the reason why there is none, to the channel and the window.
func (an *answerer) send(ctx context.Context, j *job, d *draft, result agents.Result, text string, err error) {
	stopped := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout)
	defer cancel()
	if stopped {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, 10*time.Second) // the app may be closing
		defer end()
	}
	switch {
	case err != nil && text != "":
		text += "\n\n*(" + strings.TrimSuffix(explain(err, stopped), ".") + ")*"
	case err != nil && stopped && d.id == "":
		an.keep(ctx, j, d, result, "")
		return // whoever stopped it knows
	case err != nil:
		an.log.Info("a message on discord was not answered", "session", result.Session, "kind", fault.Explain(err).Kind)
		text = explain(err, stopped)
	}
	if ferr := d.finish(ctx, withUnread(text, j.unread)); ferr != nil {
		an.log.Warn("an answer could not be sent; it stands in the transcript", "channel", j.channel(), "err", ferr)
		an.reportRefused(ctx, j, ferr)
		if len(d.posted) == 0 && d.id == "" && !d.tried && connection.NotDone(ferr) {
			an.takeBack(ctx, result)
			text = ""
		}
	}
	if err != nil && !result.Stopped {
		text = "" // not an answer of the model, so not part of the conversation
	}
	an.keep(ctx, j, d, result, text)
}

// refusedEvery is how often the owner is notified about the same channel.
const refusedEvery = time.Hour

// reportRefused tells the asker that Discord refused the answer, or that it may not have arrived.
// If that isn't possible either, it notifies the owner.
func (an *answerer) reportRefused(ctx context.Context, j *job, err error) {
	if !errors.Is(err, connection.ErrPermission) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reportTimeout) // the answer may have used up its time
		defer cancel()
		out := connection.Outgoing{Text: "My answer may not have arrived: Discord didn't say. If it isn't here, please ask again.", Reply: j.last().ID, Nonce: "r" + j.last().ID}
		if connection.NotDone(err) {
			out.Text = "I have an answer, but Discord refuses to show it here. My owner can read it."
		}
		if _, said := an.p.Client.Send(ctx, j.channel(), out); said == nil {
			return
		}
	}
	if an.p.Refused != nil && an.limits.once("refused "+j.place.ID, refusedEvery) {
		an.p.Refused(j.place, err)
	}
}

// reportTimeout is how long telling of an answer that wasn't sent may take.
const reportTimeout = 20 * time.Second

// takeBack takes an answer that nobody can have seen out of the conversation: it stays in the transcript,
// and no later prompt holds it as something that was said.
func (an *answerer) takeBack(ctx context.Context, result agents.Result) {
	if result.AnswerID == "" {
		return
	}
	note := transcript.Block{Note: transcript.NoteDeleted, Parent: result.AnswerID, Attrs: map[string]string{}}
	if err := an.p.Sessions.Correct(ctx, result.Session, note); err != nil {
		an.log.Warn("an answer that was not sent counts as said", "session", result.Session, "err", err)
	}
}

// unreadSign begins the list of files that can't be used.
const unreadSign = "\n\n("

// signs matches those characters of a file's name that markdown would interpret.
var signs = regexp.MustCompile("[*_~|`<>\\\\\\[\\]]")

// withUnread returns an answer that names the attached files that can't be used.
func withUnread(text string, unread []string) string {
	if len(unread) == 0 {
		return text
	}
	return strings.TrimSpace(text + unreadSign + signs.ReplaceAllString(strings.Join(unread, " "), `\$0`) + ")")
}

// explain returns an error for people in a channel, without details of the machine.
func explain(err error, stopped bool) string {
	why := fault.Explain(err)
	switch {
	case stopped, why.Kind == fault.KindCancelled:
		return "Stopped."
	case why.Kind == fault.KindDown:
		return "I can't answer now: the model server does not run. My owner has to start it."
	case why.Kind == fault.KindTooLong, why.Kind == fault.KindContextOverflow:
		return "That is too long for me. Please send a shorter message, or attach only the part you ask about."
	case why.Kind == fault.KindNoVision:
		return "I can't look at images with the model I have here."
	case why.Kind == fault.KindTimeout:
		return "The model gave no answer in time. Please ask again."
	case why.Kind == fault.KindStreamCut, why.Kind == fault.KindServer, why.Kind == fault.KindNoMemory, why.Kind == fault.KindBusy:
		return "The model gave no answer. Please ask again."
	}
	return "Something went wrong while I was answering; my owner finds the reason in the log. Please ask again later."
}

// replyTarget returns the message that an answer replies to: in a thread the newest message
// by a person there, elsewhere the message that is answered.
func (an *answerer) replyTarget(ctx context.Context, j *job, a around, set Settings) string {
	if j.place.Kind != connection.KindThread {
		return j.last().ID
	}
	fetch, cancel := context.WithTimeout(ctx, set.FetchTimeout)
	defer cancel()
	recent, err := an.p.Client.Messages(fetch, j.channel(), "", set.TailCount+10)
	if err != nil {
		an.telemetry.write(subsysThread, "tail_fallback", map[string]any{"reason": reasonOf(err)})
		return j.last().ID
	}
	c := collector{bot: an.p.Client.Bot().ID}
	if target := c.newestHuman(recent); target != nil {
		return target.ID
	}
	return a.target
}
