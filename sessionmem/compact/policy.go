package compact

import (
	"cmp"
	"time"

	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

const (
	// defaultWindow is the window, in messages, up to which the threshold holds as
	// it is configured.
	defaultWindow = 20
	// fullPercent is how full a model's context is when a session is summarised
	// whatever the number of its messages.
	fullPercent = 75
)

// Policy says when a session is summarised. Zero fields are the defaults.
type Policy struct {
	Threshold     int           // messages since the last Summary, 8
	MinPeriodic   int           // the same for the periodic pass, 4
	KeepRecent    int           // messages that stay word for word at least; negative is none, default 4
	KeepTokens    int           // more of them stay while they take no more than so many tokens
	Window        int           // session.max_messages: beyond 20 the threshold is Window + 2; half of it stays at most
	DiscordWindow int           // messages of a Discord session's window: its threshold is that + 2 at least
	Interval      time.Duration // of the periodic pass, 30 min
	InactiveAfter time.Duration // without a message: a session is summarised whole, 30 min
}

// complete fills in the defaults.
func (p Policy) complete() Policy {
	for _, d := range []struct {
		field *int
		value int
	}{{&p.Threshold, 8}, {&p.MinPeriodic, 4}, {&p.KeepRecent, 4}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	p.KeepRecent = max(p.KeepRecent, 0)
	for _, d := range []*time.Duration{&p.Interval, &p.InactiveAfter} {
		if *d <= 0 {
			*d = 30 * time.Minute
		}
	}
	if p.Window > defaultWindow {
		p.Threshold = max(p.Threshold, p.Window+2)
	}
	return p
}

// Due reports whether a session is to be summarised, on request: since is its
// messages since the last Summary, percent how full the model's context is. A
// context that stays full right after a Summary is not summarised again before
// there is something new to cover.
func (p Policy) Due(since int, percent float64) bool {
	p = p.complete()
	return since >= p.Threshold || percent >= fullPercent && since >= max(p.KeepRecent, 2)
}

// Keep is how many of the last messages stay word for word: KeepRecent, and more of them
// where they fit. One with files ends that: what those take isn't known here.
func (p Policy) Keep(s session.Snapshot) int {
	keep, tokens := p.KeepRecent, 0
	if keep <= 0 {
		return 0
	}
	most := cmp.Or(p.Window, defaultWindow) / 2
	for n := 1; n <= min(most, len(s.Messages)); n++ {
		b := s.Messages[len(s.Messages)-n]
		tokens += transcript.EstimateTokens(b.Text) + transcript.EstimateTokens(b.Context)
		if tokens > p.KeepTokens || len(b.Attachments()) > 0 {
			break
		}
		keep = max(keep, n)
	}
	return keep
}
