package compact

import (
	"cmp"
	"time"

	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

const (
	// defaultWindow is the window, in messages, up to which the threshold applies as configured.
	defaultWindow = 20
	// fullPercent is how full a model's context is when a session is summarised however
	// many messages it has.
	fullPercent = 75
)

// Policy decides when a session is summarised. Zero fields mean the defaults.
type Policy struct {
	Threshold     int           // messages since the last Summary, 8
	MinPeriodic   int           // the same for the periodic pass, 4
	KeepRecent    int           // messages always kept word for word; negative is none, default 4
	KeepTokens    int           // more of them are kept while they fit into so many tokens
	Window        int           // session.max_messages: above 20 the threshold is Window + 2; at most half of it is kept
	DiscordWindow int           // messages of a Discord session's window: its threshold is at least that + 2
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

// Due reports whether a session should be summarised on request: since is its messages since
// the last Summary, percent how full the model's context is. A context that stays full right
// after a Summary is not summarised again before there is something new to cover.
func (p Policy) Due(since int, percent float64) bool {
	p = p.complete()
	return since >= p.Threshold || percent >= fullPercent && since >= max(p.KeepRecent, 2)
}

// Keep returns how many of the last messages stay word for word: KeepRecent, and more if they
// fit. A message with files ends that: their size isn't known here.
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
