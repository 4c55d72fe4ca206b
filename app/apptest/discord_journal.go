package apptest

import (
	"slices"
	"sync"
	"time"
)

// journal records the bot's requests.
type journal struct {
	mu         sync.Mutex // guards the fields below
	requests   []Request
	identifies []Identify
	resumes    []Resume
	commands   []string
	answers    []string
}

// note appends to one of the lists.
func note[T any](j *journal, list *[]T, item T) {
	j.mu.Lock()
	defer j.mu.Unlock()
	*list = append(*list, item)
}

// offered records the registered commands.
func (j *journal) offered(commands []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.commands = commands
}

// content reports whether the bot asked to read all messages; true before the first
// identify.
func (j *journal) content() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := len(j.identifies)
	return n == 0 || j.identifies[n-1].Intents&IntentMessageContent != 0
}

// Identify is a received identify.
type Identify struct {
	Token   string
	Intents int
	Time    time.Time
}

// Resume is a received resume.
type Resume struct {
	Session string
	Seq     int64
	Time    time.Time
	OK      bool
}

// copied returns a copy of a list that the lock guards.
func copied[T any](j *journal, list *[]T) []T {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(*list)
}

// Requests returns the REST calls so far.
func (j *journal) Requests() []Request { return copied(j, &j.requests) }

// Identifies returns the identifies so far.
func (j *journal) Identifies() []Identify { return copied(j, &j.identifies) }

// Resumes returns the resumes so far.
func (j *journal) Resumes() []Resume { return copied(j, &j.resumes) }

// Answers returns the answers to slash commands.
func (j *journal) Answers() []string { return copied(j, &j.answers) }

// Commands returns the registered slash commands.
func (j *journal) Commands() []string { return copied(j, &j.commands) }
