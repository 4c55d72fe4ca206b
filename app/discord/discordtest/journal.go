package discordtest

import (
	"slices"
	"sync"
	"time"
)

// journal is what the bot asked for.
type journal struct {
	mu         sync.Mutex // guards what follows
	requests   []Request
	identifies []Identify
	resumes    []Resume
	commands   []string
	answers    []string
}

// note adds to one of its lists.
func note[T any](j *journal, list *[]T, item T) {
	j.mu.Lock()
	defer j.mu.Unlock()
	*list = append(*list, item)
}

// offered notes which commands there are now.
func (j *journal) offered(commands []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.commands = commands
}

// content reports whether the bot asked to read everything; so it may, before it has.
func (j *journal) content() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := len(j.identifies)
	return n == 0 || j.identifies[n-1].Intents&IntentMessageContent != 0
}

// Identify is an identify that was received.
type Identify struct {
	Token   string
	Intents int
	Time    time.Time
}

// Resume is a resume that was received.
type Resume struct {
	Session string
	Seq     int64
	Time    time.Time
	OK      bool
}

// copied is a copy of a list that the lock guards.
func copied[T any](j *journal, list *[]T) []T {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(*list)
}

// Requests are the REST calls so far.
func (j *journal) Requests() []Request { return copied(j, &j.requests) }

// Identifies are the identifies so far.
func (j *journal) Identifies() []Identify { return copied(j, &j.identifies) }

// Resumes are the resumes so far.
func (j *journal) Resumes() []Resume { return copied(j, &j.resumes) }

// Answers are what slash commands were answered with.
func (j *journal) Answers() []string { return copied(j, &j.answers) }

// Commands are the slash commands that the bot offers.
func (j *journal) Commands() []string { return copied(j, &j.commands) }
