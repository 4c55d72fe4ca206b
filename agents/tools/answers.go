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

// Answer is what a person says to a question whether a tool may run.
type Answer string

// The answers. Those that last are kept in Answers.
const (
	AnswerOnce    Answer = "once"    // this call
	AnswerNo      Answer = "no"      // not in this turn
	AnswerChat    Answer = "chat"    // lasts: in this conversation
	AnswerAlways  Answer = "always"  // lasts: for this agent
	AnswerNever   Answer = "never"   // lasts: not for this agent, and no more questions
	AnswerRefused Answer = "refused" // nobody can be asked; never given by a person
	AnswerLate    Answer = "late"    // nobody answered in time; never given by a person
)

// Lasts reports whether the answer holds for later calls too.
func (a Answer) Lasts() bool { return a == AnswerChat || a == AnswerAlways || a == AnswerNever }

// Permission is an answer that lasts. What it is about are Agent, Tool and Covers; a yes
// of AnswerChat holds in Session alone, and one with a Schedule in its turns alone.
type Permission struct {
	Agent    string    `toml:"agent"`              // its slug
	Tool     string    `toml:"tool"`               // RUN_CMD, files.read_file
	Covers   string    `toml:"covers,omitempty"`   // the program or host that it is limited to; "" any argument
	Answer   Answer    `toml:"answer"`             // chat, always or never
	Session  string    `toml:"session,omitempty"`  // of AnswerChat
	Schedule string    `toml:"schedule,omitempty"` // the name of a schedule that it was given for beforehand
	Given    string    `toml:"given,omitempty"`    // what that schedule says under permissions; another one of its name doesn't
	Stamp    string    `toml:"stamp,omitempty"`    // of the tool's description, as it was when it was allowed
	Time     time.Time `toml:"time"`
}

// ID names the permission for Revoke. It is the same for every answer about the same.
func (p Permission) ID() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{p.Agent, p.Tool, p.Covers, p.Session, p.Schedule, p.Given}, "\x00")))
	return hex.EncodeToString(sum[:4])
}

// valid reports whether an entry says something: what people wrote by hand may lack a key.
func (p Permission) valid() bool {
	return p.Agent != "" && p.Tool != "" && p.Answer.Lasts() && (p.Answer == AnswerChat) == (p.Session != "")
}

// Answers are the answers that last, in one file that people may read and edit. A file
// that can't be read allows nothing, and is never replaced.
//
// Safe for concurrent use, also by several processes.
type Answers struct {
	path string

	mu      sync.Mutex     // guards what follows; never held while the file's lock is waited for
	private []Permission   // of conversations that are in memory only
	refused map[string]int // how often in a row the same question was answered with no, by conversation and Action.key
}

// answersHead explains the file to those who open it.
const answersHead = `# What you allowed your agents to do, and what never. Take an entry out, and you are asked again.
# "always" holds for the agent and the tool (with "covers": for that program or host alone), "chat" in one
# conversation. Where a conversation holds text of others, you are asked in spite of a yes.

`

// forgetChats is how long an answer for one conversation is kept.
const forgetChats = 30 * 24 * time.Hour

// OpenAnswers reads and writes the file at path, which need not be there.
func OpenAnswers(path string) *Answers { return &Answers{path: path, refused: map[string]int{}} }

// Path is the file.
func (a *Answers) Path() string { return a.path }

// List gives the answers that last, the oldest first.
func (a *Answers) List() ([]Permission, error) {
	list, err := a.read()
	a.mu.Lock()
	defer a.mu.Unlock()
	return append(list, a.private...), err
}

// read gives the file's entries. One that says nothing, or a key that nobody knows, makes
// all of the file unreadable: a no in other words would be none, beside a yes.
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
		err = fmt.Errorf("entry %d says nothing: it needs agent, tool and an answer: always, never, or chat with a session", at+1) // it may be a no
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Base(a.path), err)
	}
	return file.Permission, nil
}

// Keep adds an answer, in the place of an earlier one about the same. One of a private
// conversation stays in memory.
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

// ErrNoPermission: there is none with that ID.
var ErrNoPermission = errors.New("there is no such permission")

// Revoke takes away the answer with that ID.
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

// Clear takes all answers away and tells how many there were.
func (a *Answers) Clear() (n int, err error) {
	a.mu.Lock()
	n, a.private = len(a.private), nil
	a.mu.Unlock()
	err = a.change(func(list []Permission) []Permission { n += len(list); return nil })
	return n, err
}

// change writes the file anew. Others wait for it, here and in other processes.
func (a *Answers) change(f func([]Permission) []Permission) error {
	lock := wholefile.NewLock(filepath.Join(filepath.Dir(a.path), ".permissions.lock"))
	if err := wholefile.TakeLock(context.Background(), lock); err != nil {
		return wholefile.Explain("save the permission", err)
	}
	defer func() { _ = lock.Unlock() }() // ends with the process at the latest
	list, err := a.read()
	if err != nil {
		return fmt.Errorf("%w; correct the file, or move it away", err)
	}
	before := len(list)
	list = slices.DeleteFunc(list, func(p Permission) bool { return p.Answer == AnswerChat && time.Since(p.Time) > forgetChats })
	if list = f(list); before == 0 && len(list) == 0 {
		return nil
	}
	data, err := toml.Marshal(map[string]any{"permission": list})
	if err != nil {
		return fmt.Errorf("save the permission: %w", err)
	}
	return wholefile.Wrap("save the permission", wholefile.Write(a.path, append([]byte(answersHead), data...), 0o600))
}

// find gives the answer that lasts about an action: a no before a yes. changed: it was a
// yes to a tool whose description was another one.
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

// often is after how many times of a no in a row the question offers Never first.
const often = 2

// Answered notes the answer to a question of a conversation, so that the same question
// becomes one with Never first.
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

// Often reports whether the question was answered with no again and again.
func (a *Answers) Often(act Action) bool {
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.refused[act.key()] >= often
}
