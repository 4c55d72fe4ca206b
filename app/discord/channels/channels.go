// Package channels reads discord/channels.toml: who may talk to the bot, where, and how it
// behaves there. The file belongs to people: it is checked with messages that name the
// line, and never rewritten. The program adds only one thing, a paired person, at its end.
//
// If an entry can't be used, the stricter reading applies: an entry that isn't an ID lets
// nobody in.
package channels

import (
	"fmt"
	"slices"
	"time"
)

// Mode is what the bot listens to in a channel.
type Mode string

// The modes.
const (
	MentionOnly Mode = "mention_only" // mentions and replies to the bot
	AllMessages Mode = "all_messages" // all messages of people
	HavingFun   Mode = "having_fun"   // all messages, also of other bots, answered casually
)

// Settings are the bot's settings for a channel.
type Settings struct {
	Mode     Mode
	Agent    string        // a selector; "" for the default agent
	Model    string        // "" for the agent's
	Prompt   string        // added to the instructions
	Debounce time.Duration // messages that arrive this quickly one after the other count as one
	Tools    []string      // what the model may use there
}

// defaultTools are the tools of a channel that doesn't set any: none that fetch or write; a
// lesson is only proposed.
func defaultTools() []string { return []string{"MEMORY_APPEND"} }

// Person is somebody who may talk to the bot.
type Person struct {
	ID    string
	Name  string
	Since string
	Owner bool // may use the memory of all agents in a direct conversation
}

// Limit allows Count messages within Window.
type Limit struct {
	Count  int
	Window time.Duration
}

func (l Limit) String() string { return fmt.Sprintf("%d/%s", l.Count, short(l.Window)) }

// Fun is the bot's behaviour in channels where it has fun.
type Fun struct {
	MinDelay, MaxDelay time.Duration
	BotReplies         int // consecutive replies to bots without a person in between
}

// File is the content of channels.toml.
type File struct {
	Users    []string // IDs of people who may talk to the bot
	Roles    []string // IDs of roles whose members may
	Channels []string // IDs of channels where everybody may
	Pairing  bool     // strangers get a code
	People   []Person // who were paired

	PerPerson, PerChannel Limit
	Fun                   Fun

	defaults Settings
	given    map[string]given
	name     string         // the file's name
	lines    map[string]int // by key
}

// For returns the settings of a channel or thread: its own, then its parent's, then the
// defaults.
func (f *File) For(id, parent string) Settings {
	s := f.defaults
	for _, key := range []string{parent, id} {
		if g, ok := f.given[key]; ok && key != "" {
			g.apply(&s)
		}
	}
	s.Tools = slices.Clone(s.Tools)
	return s
}

// Mapped reports whether the channel or its parent has an agent of its own.
func (f *File) Mapped(id, parent string) bool {
	return f.given[id].agent != nil && *f.given[id].agent != "" || f.given[parent].agent != nil && *f.given[parent].agent != ""
}

// ReadsAll reports whether any channel wants messages that don't mention the bot.
func (f *File) ReadsAll() bool {
	if f.defaults.Mode != MentionOnly {
		return true
	}
	for _, g := range f.given {
		if g.mode != nil && *g.mode != MentionOnly {
			return true
		}
	}
	return false
}

// May reports whether a person may talk to the bot in a channel. parent is the channel of a
// thread.
func (f *File) May(user string, roles []string, channel, parent string) bool {
	return slices.Contains(f.Users, user) || f.paired(user) ||
		slices.ContainsFunc(roles, func(r string) bool { return slices.Contains(f.Roles, r) }) ||
		slices.Contains(f.Channels, channel) || parent != "" && slices.Contains(f.Channels, parent)
}

func (f *File) paired(user string) bool {
	return slices.ContainsFunc(f.People, func(p Person) bool { return p.ID == user })
}

// Owner reports whether the person is an owner.
func (f *File) Owner(user string) bool {
	return slices.ContainsFunc(f.People, func(p Person) bool { return p.ID == user && p.Owner })
}

// given is the content of one section; nil fields aren't set.
type given struct {
	mode         *Mode
	agent, model *string
	prompt       *string
	debounce     *time.Duration
	tools        *[]string
}

func (g given) apply(s *Settings) {
	set(&s.Mode, g.mode)
	set(&s.Agent, g.agent)
	set(&s.Model, g.model)
	set(&s.Prompt, g.prompt)
	set(&s.Debounce, g.debounce)
	set(&s.Tools, g.tools)
}

func set[T any](to *T, value *T) {
	if value != nil {
		*to = *value
	}
}

// defaults returns the defaults: nobody may talk, and strangers get a code.
func defaults() *File {
	return &File{
		Pairing:   true,
		PerPerson: Limit{20, 10 * time.Minute}, PerChannel: Limit{60, 10 * time.Minute},
		Fun:      Fun{MinDelay: 5 * time.Minute, MaxDelay: time.Hour, BotReplies: 2},
		defaults: Settings{Mode: MentionOnly, Debounce: 2 * time.Second, Tools: defaultTools()},
		given:    map[string]given{},
	}
}

// short formats a duration as people write it.
func short(d time.Duration) string {
	switch {
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return d.String()
}
