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
)

// answerer answers jobs: it gathers what was said around one, runs the turn and puts the
// answer into the channel and the window.
type answerer struct {
	*desk
	*tasks
	queue  *queue
	people *people
	record *record
}

// answer answers one job: it never gives an error, for whoever asked is told. It reports
// whether nobody has to be told any more; false where the app is closed before that.
func (an *answerer) answer(ctx context.Context, w *working) (told bool) {
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
		return true // by a process that could note it nowhere else
	}
	typing, quiet := context.WithCancel(ctx)
	channel := j.channel()
	an.work.Go(func() { an.keepTyping(typing, channel) })
	defer quiet()

	set := an.p.Settings()
	around := an.collect(ctx, j, set)
	j = an.queue.snapshot(w, true)
	if len(j.parts) == 0 || an.people.isForgotten(j) {
		return true // it was taken back
	}
	an.people.remembers(j)
	req := an.request(ctx, j, set, around, before)
	d := an.newDraft(j, func(ctx context.Context) string { return an.replyTarget(ctx, j, around, set) })
	result, text, err := an.follow(ctx, req, d)
	if other := fault.VisionModel(err); other != "" && result.UserID == "" {
		req.Model = other // images go to a model that can look at them
		result, text, err = an.follow(ctx, req, d)
	}
	if errors.Is(err, fault.ErrNoVision) && result.UserID == "" && withoutImages(&req, j) {
		result, text, err = an.follow(ctx, req, d)
	}
	quiet()
	an.send(ctx, j, d, result, text, err)
	return closed.Err() == nil || len(d.posted) > 0
}

// withoutImages takes the images out of a request that nobody can look at, and says so;
// false where there is no file beside them to be answered.
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

// keepTyping shows that the bot is at work, once that takes a moment.
func (an *answerer) keepTyping(ctx context.Context, channel string) {
	for wait := typeAfter; connection.Sleep(ctx, wait) == nil; wait = typeEvery {
		if err := an.p.Client.Typing(ctx, channel); err != nil && ctx.Err() == nil {
			an.log.Debug("typing could not be shown", "channel", channel, "err", err)
		}
	}
}

// follow runs the turn, showing what there is of the answer.
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

// send puts the answer, or why there is none, into the channel and the window.
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
		text += "\n\n*(" + strings.TrimSuffix(inWords(err, stopped), ".") + ")*"
	case err != nil && stopped && d.id == "":
		an.keep(ctx, j, d, result, "")
		return // whoever stopped it knows
	case err != nil:
		an.log.Info("a message on discord was not answered", "session", result.Session, "kind", fault.Explain(err).Kind)
		text = inWords(err, stopped)
	}
	if err := d.finish(ctx, withUnread(text, j.unread)); err != nil {
		an.log.Warn("an answer could not be sent; it stands in the transcript", "channel", j.channel(), "err", err)
		an.tellRefused(j.place, err)
	}
	if err != nil && !result.Stopped {
		text = "" // no answer of the model: not part of the conversation
	}
	an.keep(ctx, j, d, result, text)
}

// refusedEvery is how often the owner is told of the same channel.
const refusedEvery = time.Hour

// tellRefused tells the owner where the bot answers and is not heard.
func (an *answerer) tellRefused(place connection.Place, err error) {
	if an.p.Refused == nil || !errors.Is(err, connection.ErrPermission) || !an.limits.once("refused "+place.ID, refusedEvery) {
		return
	}
	an.p.Refused(place)
}

// unreadSign begins what is said of files that can't be used.
const unreadSign = "\n\n("

// signs are those that markdown would take for its own within a file's name.
var signs = regexp.MustCompile("[*_~|`<>\\\\\\[\\]]")

// withUnread is an answer that says which attached files can't be used.
func withUnread(text string, unread []string) string {
	if len(unread) == 0 {
		return text
	}
	return strings.TrimSpace(text + unreadSign + signs.ReplaceAllString(strings.Join(unread, " "), `\$0`) + ")")
}

// inWords is an error for people in a channel: nothing of the machine's own.
func inWords(err error, stopped bool) string {
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
	case why.Kind == fault.KindTimeout, why.Kind == fault.KindStreamCut, why.Kind == fault.KindServer, why.Kind == fault.KindNoMemory, why.Kind == fault.KindBusy:
		return "The model gave no answer in time. Please ask again."
	}
	return "Something went wrong while I was answering; my owner finds the reason in the log. Please ask again later."
}

// replyTarget is the message an answer replies to: in a thread the newest that a
// person wrote there by now, elsewhere the one that is answered.
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
