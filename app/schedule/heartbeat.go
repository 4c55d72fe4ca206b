package schedule

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"time"

	"mac-stats/sessionmem/wholefile"
)

// listTemplate is a new heartbeat.md. It only contains a comment, so the heartbeat asks
// nothing.
const listTemplate = `<!--
What the agent looks after from time to time. Write a list below, such as

- Say when the disk has less than 10 % free, and which volume it is.
- Say when the machine has been hot for long.
- On Fridays after 15:00: remind me to write the weekly report.

It is read with the machine's vitals, as often as heartbeat.minutes says. The agent
answers only if there is something to say. While nothing but this comment is here,
nothing is asked.
-->
`

// ensureList creates heartbeat.md if it is missing.
func ensureList(file string) error {
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return wholefile.Wrap("writing "+HeartbeatName, wholefile.Write(file, []byte(listTemplate), 0o600))
}

var comment = regexp.MustCompile(`(?s)<!--.*?-->`)

// CheckList reads heartbeat.md without its comments; "" if it is empty.
func CheckList(file string) (string, error) {
	data, err := wholefile.Read(file, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", wholefile.Explain("reading "+HeartbeatName, err)
	}
	return strings.TrimSpace(comment.ReplaceAllString(string(data), "")), nil
}

// nothing is the agent's answer if there is nothing to report.
const nothing = "NOTHING"

// BeatPrompt returns the prompt that asks to go through a checklist.
func BeatPrompt(list, vitals string, now time.Time) string {
	return fmt.Sprintf(`It is %s. This is a routine check, not a message from a person. Go through the check list below, with the vitals of the machine.

If something on the list has to be said now, say it in a few plain sentences, without a greeting. If not, answer with the one word %s.

Vitals:
%s

Check list:
%s`, now.Format("Monday, January 2 2006, 15:04"), nothing, strings.TrimSpace(vitals), list)
}

// SaysNothing reports whether an answer reports nothing: it is empty, or its first line is
// that word.
func SaysNothing(answer string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(answer), "\n")
	first = strings.Trim(first, " \t\r*_`\"'“”.!")
	return first == "" || strings.EqualFold(first, nothing)
}

// tryBeat begins a heartbeat that is due; else it says when to look again.
func (r *Runner) tryBeat(ctx context.Context, now time.Time, h Heartbeat, seen time.Time) (again time.Time) {
	due := seen.Add(h.Every)
	if due.After(now) {
		return due
	}
	if why, until := r.hold(ctx, now, "", h.Quiet, h.OnBattery); why != "" {
		return until
	}
	if r.p.Busy() {
		return now.Add(wakeCheck)
	}
	if _, err := r.claim(ctx, "", now, due, ""); err != nil {
		if !errors.Is(err, errUnchanged) {
			r.p.Logger.Warn("the heartbeat can't be noted", "error", err)
		}
		return now.Add(min(h.Every, batteryCheck))
	}
	r.work.Go(func() {
		session, answer, err := r.p.Beat(ctx)
		r.ended(ctx, Result{Session: session, Answer: answer, Err: err})
		r.Look()
	})
	return now.Add(h.Every)
}
