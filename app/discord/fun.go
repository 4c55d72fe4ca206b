package discord

import (
	"fmt"
	"math/rand/v2"
	"time"
	"unicode/utf8"

	"mac-stats/app/discord/channels"
	"mac-stats/app/discord/connection"
)

// maxFunText is how much of a channel's chatter is answered at once, in characters.
const maxFunText = 3000

// funState is a channel in which the bot has fun.
type funState struct {
	job        *job // what was said since the last answer; nil if nothing
	timer      *time.Timer
	botReplies int // consecutive answers to other bots
}

// period returns the part of the day.
func period(now time.Time) string {
	switch h := now.Hour(); {
	case h < 6 || h >= 22:
		return "night"
	case h < 12:
		return "morning"
	case h < 18:
		return "afternoon"
	default:
		return "evening"
	}
}

// casualManner returns the instructions on the bot's manner when it has fun.
func casualManner(now time.Time) string {
	mood := map[string]string{
		"night":     "It is night: be quiet and brief, people may be asleep.",
		"morning":   "It is morning: be fresh and friendly.",
		"afternoon": "It is afternoon: be lively.",
		"evening":   "It is evening: be relaxed.",
	}
	p := period(now)
	return fmt.Sprintf("You are chatting for fun here, as one of the people in the channel: casual, short (one to three sentences), no lists, no help offered unless somebody asks for it. Local time: %s (%s). %s",
		now.Format("Mon 15:04"), p, mood[p])
}

// addFun handles a message in a place where the bot has fun: it answers everything said
// there after a while, and sooner if somebody speaks to it. The number of consecutive
// answers to other bots is limited.
func (wt *waiting) addFun(m connection.Message, place connection.Place, set channels.Fun, spoken bool) {
	wt.mu.Lock()
	defer wt.mu.Unlock()
	s := wt.fun[m.Channel]
	if s == nil {
		s = &funState{}
		wt.fun[m.Channel] = s
	}
	if !m.Author.Bot {
		s.botReplies = 0
	} else if s.botReplies >= set.BotReplies {
		return
	}
	if hasNoWords(m.Text) && len(m.Attachments) == 0 {
		return
	}
	if s.job == nil {
		s.job = &job{place: place, fun: true}
	}
	s.job.parts, s.job.since = append(s.job.parts, m), time.Now()
	for len(s.job.parts) > 1 && utf8.RuneCountInString(wt.textOf(s.job).words()) > maxFunText {
		s.job.parts = s.job.parts[1:]
	}
	delay := set.MinDelay + rand.N(set.MaxDelay-set.MinDelay+1)
	if spoken && !m.Author.Bot {
		delay = time.Second + rand.N(4*time.Second)
		if wt.cancel(s.timer) {
			s.timer = nil
		}
	}
	if s.timer == nil {
		s.timer = wt.later(delay, func() { wt.sendFun(m.Channel) })
	}
}

// dropFun drops what waits there. The caller holds the lock.
func (wt *waiting) dropFun(s *funState) {
	wt.cancel(s.timer)
	s.job, s.timer = nil, nil
}

// sendFun queues the answer to what was said in a channel.
func (wt *waiting) sendFun(channel string) {
	wt.enqueue(func() *job {
		s := wt.fun[channel]
		j := s.job
		if j != nil && j.last().Author.Bot {
			s.botReplies++
		}
		wt.dropFun(s)
		if wt.ending() {
			return nil
		}
		return j
	})
}
