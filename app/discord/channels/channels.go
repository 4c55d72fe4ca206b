// Package channels reads discord/channels.toml: who may talk to the bot, where, and
// what it is there. The file is people's own: it is checked with words that name
// the line, never rewritten, and the one thing the program adds to it (a person who
// was paired) goes to its end.
//
// Where something in it can't be used, the stricter reading is taken: an entry that
// is not an ID lets nobody in.
package channels

import (
	"fmt"
	"slices"
	"time"
)

// Mode says what the bot listens to in a channel.
type Mode string

// The modes.
const (
	MentionOnly Mode = "mention_only" // mentions and replies to the bot
	AllMessages Mode = "all_messages" // whatever people write
	HavingFun   Mode = "having_fun"   // whatever is written, other bots included, at its leisure
)

// Settings are what the bot is in a channel.
type Settings struct {
	Mode     Mode
	Agent    string        // selector; "" is the default agent
	Model    string        // "" is the agent's
	Prompt   string        // added to the instructions
	Debounce time.Duration // messages that follow each other so fast are one
	Tools    []string      // what the model may use there
}

// defaultTools are what a model may use in a channel that says nothing: nothing
// that fetches or writes; a lesson is only proposed.
func defaultTools() []string { return []string{"MEMORY_APPEND"} }

// Person is somebody who may talk to the bot.
type Person struct {
	ID    string
	Name  string
	Since string
	Owner bool // in a direct conversation the memory of all agents may be used
}

// Limit is how often: Count times within Window.
type Limit struct {
	Count  int
	Window time.Duration
}

func (l Limit) String() string { return fmt.Sprintf("%d/%s", l.Count, short(l.Window)) }

// Fun is how the bot behaves where it has fun.
type Fun struct {
	MinDelay, MaxDelay time.Duration
	BotReplies         int // replies to bots in a row, without a person between
}

// File is channels.toml, read.
type File struct {
	Users    []string // ids of people who may talk to the bot
	Roles    []string // of roles whose people may
	Channels []string // where everybody may
	Pairing  bool     // strangers are given a code
	People   []Person // who were paired

	PerPerson, PerChannel Limit
	Fun                   Fun

	usual Settings
	given map[string]given
	name  string         // of the file
	lines map[string]int // by key
}

// For gives the settings of a channel or thread: its own, what it leaves out its
// parent's, then the default.
func (f *File) For(id, parent string) Settings {
	s := f.usual
	for _, key := range []string{parent, id} {
		if g, ok := f.given[key]; ok && key != "" {
			g.apply(&s)
		}
	}
	s.Tools = slices.Clone(s.Tools)
	return s
}

// Mapped reports whether the channel or its parent was given an agent of its own.
func (f *File) Mapped(id, parent string) bool {
	return f.given[id].agent != nil && *f.given[id].agent != "" || f.given[parent].agent != nil && *f.given[parent].agent != ""
}

// ReadsAll reports whether any channel wants messages that don't mention the bot.
func (f *File) ReadsAll() bool {
	if f.usual.Mode != MentionOnly {
		return true
	}
	for _, g := range f.given {
		if g.mode != nil && *g.mode != MentionOnly {
			return true
		}
	}
	return false
}

// May reports whether somebody may talk to the bot in a channel (parent: that of a
// thread).
func (f *File) May(user string, roles []string, channel, parent string) bool {
	return slices.Contains(f.Users, user) || slices.ContainsFunc(f.People, func(p Person) bool { return p.ID == user }) ||
		slices.ContainsFunc(roles, func(r string) bool { return slices.Contains(f.Roles, r) }) ||
		slices.Contains(f.Channels, channel) || parent != "" && slices.Contains(f.Channels, parent)
}

// Owner reports whether the person is an owner.
func (f *File) Owner(user string) bool {
	return slices.ContainsFunc(f.People, func(p Person) bool { return p.ID == user && p.Owner })
}

// given is what one section says; nil fields are left out.
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

// usual is a file that says nothing: nobody may talk, strangers are given a code.
func usual() *File {
	return &File{
		Pairing:   true,
		PerPerson: Limit{20, 10 * time.Minute}, PerChannel: Limit{60, 10 * time.Minute},
		Fun:   Fun{MinDelay: 5 * time.Minute, MaxDelay: time.Hour, BotReplies: 2},
		usual: Settings{Mode: MentionOnly, Debounce: 2 * time.Second, Tools: defaultTools()},
		given: map[string]given{},
	}
}

// short is a duration as people write it.
func short(d time.Duration) string {
	switch {
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return d.String()
}
