package tools

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pelletier/go-toml/v2"

	"mac-stats/sessionmem/wholefile"
)

// Answer is a person's answer to the question whether a tool may run.
type Answer string

// The answers. Those that last are stored in Answers.
const (
	AnswerOnce    Answer = "once"    // this call
	AnswerNo      Answer = "no"      // not in this turn
	AnswerChat    Answer = "chat"    // lasts: in this conversation
	AnswerAlways  Answer = "always"  // lasts: for this agent
	AnswerNever   Answer = "never"   // lasts: not for this agent, and no more questions
	AnswerRefused Answer = "refused" // nobody can be asked; never a person's answer
	AnswerLate    Answer = "late"    // nobody answered in time; never a person's answer
)

// Lasts reports whether the answer also applies to later calls.
func (a Answer) Lasts() bool { return a == AnswerChat || a == AnswerAlways || a == AnswerNever }

// Permission is an answer that lasts. It applies to Agent, Tool and Covers. AnswerChat
// applies only in Session, and a permission with a Schedule only in that schedule's
// turns.
type Permission struct {
	Agent    string    `toml:"agent"`              // its slug
	Tool     string    `toml:"tool"`               // RUN_CMD, files.read_file
	Covers   string    `toml:"covers,omitempty"`   // the program or host to which it is limited; "" is any argument
	Answer   Answer    `toml:"answer"`             // chat, always or never
	Session  string    `toml:"session,omitempty"`  // for AnswerChat
	Schedule string    `toml:"schedule,omitempty"` // name of the schedule for which it was given in advance
	Given    string    `toml:"given,omitempty"`    // that schedule's permissions setting, which another schedule of the same name doesn't have
	Stamp    string    `toml:"stamp,omitempty"`    // of the tool's description when it was allowed
	Time     time.Time `toml:"time"`
}

// ID returns the permission's ID for Revoke. All answers about the same thing have the
// same ID.
func (p Permission) ID() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{p.Agent, p.Tool, p.Covers, p.Session, p.Schedule, p.Given}, "\x00")))
	return hex.EncodeToString(sum[:4])
}

// valid reports whether an entry is complete: one written by hand may lack a key.
func (p Permission) valid() bool {
	return p.Agent != "" && p.Tool != "" && p.Answer.Lasts() && (p.Answer == AnswerChat) == (p.Session != "")
}

// Answers stores the lasting answers in one file, which people may read and edit. A
// file that can't be read allows nothing and is never replaced.
//
// Safe for concurrent use, even by several processes.
type Answers struct {
	path string

	mu      sync.Mutex     // guards the fields below; never held while waiting for the file's lock
	private []Permission   // of conversations that are only in memory
	refused map[string]int // number of no answers in a row to the same question, by conversation and Action.key
}

// answersHead explains the file to people who open it.
const answersHead = `# What you allowed your agents to do, and what never. Take an entry out, and you are asked again.
# "always" holds for the agent and the tool (with "covers": for that program or host alone), "chat" in one
# conversation. Where a conversation holds text of others, you are asked in spite of a yes.

`

// chatLifetime is how long an answer for one conversation is stored.
const chatLifetime = 30 * 24 * time.Hour

// OpenAnswers returns the answers in the file at path, which may be missing.
func OpenAnswers(path string) *Answers { return &Answers{path: path, refused: map[string]int{}} }

// Path returns the path of the file.
func (a *Answers) Path() string { return a.path }

// List returns the lasting answers, the oldest first.
func (a *Answers) List() ([]Permission, error) {
	list, err := a.read()
	a.mu.Lock()
	defer a.mu.Unlock()
	return append(list, a.private...), err
}

// read returns the file's entries. An incomplete entry or an unknown key makes the whole
// file unreadable, because it may be a misspelled no beside a yes.
func (a *Answers) read() ([]Permission, error) {
	data, err := wholefile.Read(a.path, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var file struct {
		Permission []Permission `toml:"permission"`
	}
	if err == nil {
		err = toml.NewDecoder(bytes.NewReader(wholefile.DecodeText(data))).DisallowUnknownFields().Decode(&file)
	}
	if at := slices.IndexFunc(file.Permission, func(p Permission) bool { return !p.valid() }); err == nil && at >= 0 {
		err = fmt.Errorf("entry %d is incomplete: it needs agent, tool and an answer: always, never, or chat with a session", at+1) // it may be a no
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Base(a.path), err)
	}
	return file.Permission, nil
}

// Keep stores an answer and replaces an earlier one about the same thing. An answer in a
// private conversation stays in memory.
func (a *Answers) Keep(p Permission, private bool) error {
	if p.Time.IsZero() {
		p.Time = time.Now().Round(time.Second)
	}
	if !p.valid() {
		return errors.New("a permission needs an agent, a tool and an answer that lasts")
	}
	same := func(o Permission) bool { return o.ID() == p.ID() }
	if private && p.Answer == AnswerChat {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.private = append(slices.DeleteFunc(a.private, same), p)
		return nil
	}
	return a.change(func(list []Permission) []Permission { return append(slices.DeleteFunc(list, same), p) })
}

// ErrNoPermission means that there is no permission with that ID.
var ErrNoPermission = errors.New("there is no such permission")

// Revoke removes the answer with that ID.
func (a *Answers) Revoke(id string) error {
	found := false
	gone := func(p Permission) bool { found = found || p.ID() == id; return p.ID() == id }
	a.mu.Lock()
	a.private = slices.DeleteFunc(a.private, gone)
	a.mu.Unlock()
	err := a.change(func(list []Permission) []Permission { return slices.DeleteFunc(list, gone) })
	if err == nil && !found {
		return ErrNoPermission
	}
	return err
}

// Clear removes all answers and returns their number.
func (a *Answers) Clear() (n int, err error) {
	a.mu.Lock()
	n, a.private = len(a.private), nil
	a.mu.Unlock()
	err = a.change(func(list []Permission) []Permission { n += len(list); return nil })
	return n, err
}

// change rewrites the file. Other callers wait for it, in this and in other processes.
func (a *Answers) change(f func([]Permission) []Permission) error {
	lock := wholefile.NewLock(filepath.Join(filepath.Dir(a.path), ".permissions.lock"))
	if err := wholefile.TakeLock(context.Background(), lock); err != nil {
		return wholefile.Explain("save the permission", err)
	}
	defer func() { _ = lock.Unlock() }() // the process's end releases it at the latest
	list, err := a.read()
	if err != nil {
		return fmt.Errorf("%w; correct the file, or move it away", err)
	}
	before := len(list)
	list = slices.DeleteFunc(list, func(p Permission) bool { return p.Answer == AnswerChat && time.Since(p.Time) > chatLifetime })
	if list = f(list); before == 0 && len(list) == 0 {
		return nil
	}
	data, err := toml.Marshal(map[string]any{"permission": list})
	if err != nil {
		return fmt.Errorf("save the permission: %w", err)
	}
	return wholefile.Wrap("save the permission", wholefile.Write(a.path, append([]byte(answersHead), data...), 0o600))
}

// find returns the lasting answer about an action; a no wins over a yes. changed reports
// that the tool's description has changed since a yes.
func (a *Answers) find(act Action) (answer Answer, changed bool) {
	if a == nil {
		return "", false
	}
	list, err := a.List()
	if err != nil {
		return "", false
	}
	for _, p := range list {
		if !strings.EqualFold(p.Agent, act.Agent) || !strings.EqualFold(p.Tool, act.Tool) || p.Covers != "" && !strings.EqualFold(p.Covers, act.Covers) || p.Session != "" && p.Session != act.Session {
			continue
		}
		switch {
		case p.Answer == AnswerNever:
			return AnswerNever, false
		case p.Agent != act.Agent, p.Tool != act.Tool, p.Covers != act.Covers, p.Schedule != act.Schedule, p.Given != act.Given:
		case p.Stamp != act.Stamp:
			changed = true
		default:
			answer = cmp.Or(answer, p.Answer)
		}
	}
	return answer, changed && answer == ""
}

// often is the number of no answers in a row after which the question offers Never first.
const often = 2

// Answered records the answer to a question in a conversation, so that a repeated
// question can offer Never first.
func (a *Answers) Answered(act Action, answer Answer) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if answer == AnswerNo || answer == AnswerLate {
		a.refused[act.key()]++
	} else {
		delete(a.refused, act.key())
	}
}

// Often reports whether the question was repeatedly answered with no.
func (a *Answers) Often(act Action) bool {
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.refused[act.key()] >= often
}
