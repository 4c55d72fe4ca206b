// Package fault explains to people what went wrong in a turn.
//
// Explain turns any error into a sentence and a next step: an error of the turn itself
// (the types in this package), of the model server, or of the files. Programs use its
// Kind, in events and exit codes; app/cpuwindow/faultwords translates it. An unknown error
// keeps its own text and is never hidden. The package decides nothing and stores nothing.
package fault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/dustin/go-humanize"

	"mac-stats/agents/ollama"
	"mac-stats/agents/registry"
	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// The kinds of errors, as in Event.Kind.
const (
	KindDown            = "down"
	KindModelMissing    = "model_missing"
	KindContextOverflow = "context_overflow"
	KindTimeout         = "timeout"
	KindCancelled       = "cancelled"
	KindStreamCut       = "stream_cut"
	KindBusy            = "busy"
	KindServer          = "server"
	KindNoMemory        = "no_memory"
	KindTooLong         = "too_long"
	KindNoVision        = "no_vision"
	KindNoModel         = "no_model"
	KindAgent           = "agent"
	KindDisk            = "disk"
	KindLocked          = "locked"
	KindInternal        = "internal"
)

// Errors of a turn that callers check for. Package ollama has the server's errors, and
// package session those of the files.
var (
	ErrTooLong = errors.New("the message does not fit the model's context")
	ErrLocked  = errors.New("another turn holds the session")
	ErrRequest = errors.New("nothing to send")
	ErrEmpty   = errors.New("the model gave no answer")
	ErrOnDisk  = errors.New("session.in_memory_only is on, and this conversation is kept in a file")
)

// TooLong is ErrTooLong with the figures, in tokens.
type TooLong struct {
	Model      string
	Need, Room int
	Context    int    // of the model, as it is set
	Setting    string // what made it smaller than the model's own, in words; "" if nothing did
	Sent       bool   // the server had the message before
}

func (e *TooLong) Error() string {
	return fmt.Sprintf("%v: about %s tokens, and %s leaves room for %s", ErrTooLong, humanize.Comma(int64(e.Need)), e.Model, humanize.Comma(int64(max(e.Room, 0))))
}

// Is reports whether target is ErrTooLong.
func (e *TooLong) Is(target error) bool { return target == ErrTooLong }

// Locked is ErrLocked with the holder of the session.
type Locked struct {
	Who   string
	Cause error // why the wait ended
}

func (e *Locked) Error() string {
	return ErrLocked.Error() + " (" + e.Who + "): " + e.Cause.Error()
}
func (e *Locked) Unwrap() []error { return []error{ErrLocked, e.Cause} }

// Save reports a block that couldn't be written.
type Save struct {
	What   string // "Your message", "The answer"
	Answer string // an answer that exists nowhere else
	Err    error
}

func (e *Save) Error() string { return e.What + " could not be saved: " + e.Err.Error() }
func (e *Save) Unwrap() error { return e.Err }

// Saving wraps an error of the disk in a Save. It returns other errors unchanged.
func Saving(what string, err error) error {
	if isStop(err) || errors.Is(err, transcript.ErrBadName) {
		return err
	}
	return &Save{What: what, Err: err}
}

// Empty is ErrEmpty with the model, whether that thought, even until its limit, and the
// reason that the server gave for the end, if it isn't the usual one.
type Empty struct {
	Model        string
	Thought, Cut bool
	Reason       string
}

func (e *Empty) Error() string { return ErrEmpty.Error() + ": " + e.Model }

// Is reports whether target is ErrEmpty.
func (e *Empty) Is(target error) bool { return target == ErrEmpty }

// ErrNoVision means that a message has an image and the model can't see.
var ErrNoVision = errors.New("the model can't look at images")

// NoVision is ErrNoVision with the model and an installed one that can see, if any.
type NoVision struct{ Model, Other string }

func (e *NoVision) Error() string { return ErrNoVision.Error() + ": " + e.Model }

// Is reports whether target is ErrNoVision.
func (e *NoVision) Is(target error) bool { return target == ErrNoVision }

// VisionModel returns the installed model that an ErrNoVision suggests, or "".
func VisionModel(err error) string {
	var blind *NoVision
	if errors.As(err, &blind) {
		return blind.Other
	}
	return ""
}

// NoChat reports a model that only makes embeddings.
type NoChat struct{ Model string }

func (e *NoChat) Error() string { return e.Model + " makes vectors for the search and can't chat" }

// Panic is a recovered panic that ended the turn.
type Panic struct{ Value any }

func (e *Panic) Error() string { return fmt.Sprintf("a fault in mac-stats itself: %v", e.Value) }

// Explanation explains an error to people.
type Explanation struct {
	Kind     string // see Event.Kind
	Sentence string // what happened
	Next     string // what to do
}

// Explain turns any error into a sentence and a next step. It returns the zero Explanation
// for nil.
func Explain(err error) Explanation {
	if err == nil {
		return Explanation{}
	}
	order := []func(error) (Explanation, bool){explainTurn, explainServer, explainDisk}
	var save *Save
	if errors.As(err, &save) {
		order = order[2:] // a failed save matters more than the reason for the end
	}
	for _, explain := range order {
		if e, ok := explain(err); ok {
			return e
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return Explanation{KindTimeout, "It took longer than allowed.", "Retry, or allow more time."}
	}
	return Explanation{KindInternal, Sentence(excerpt.Addresses(err.Error())), "Retry. If it happens again, the log in ~/.mac-stats/logs says more."}
}

// explainTurn explains the errors of a turn itself.
func explainTurn(err error) (Explanation, bool) {
	var tooLong *TooLong
	var locked *Locked
	var empty *Empty
	var fault *Panic
	var blind *NoVision
	var mute *NoChat
	switch {
	case errors.As(err, &fault):
		return Explanation{KindInternal, "Something in mac-stats itself went wrong.", "Retry. The log in ~/.mac-stats/logs holds the details."}, true
	case errors.As(err, &tooLong):
		return explainTooLong(tooLong), true
	case errors.As(err, &blind):
		return explainBlind(blind), true
	case errors.As(err, &mute):
		return Explanation{KindNoModel, mute.Error() + ".", "Choose another model."}, true
	case errors.As(err, &locked) && !isStop(err):
		return Explanation{KindLocked, fmt.Sprintf("The session is held by the %s.", locked.Who), "Wait until that answer is finished, or stop it there. Your message was not sent."}, true
	case errors.As(err, &locked):
		return Explanation{KindCancelled, fmt.Sprintf("Stopped while waiting for the session, which the %s holds.", locked.Who), "Your message was not sent. Send it again when the other answer is finished."}, true
	case isStop(err):
		return Explanation{KindCancelled, "Stopped.", "The partial answer is kept. Retry asks again."}, true
	case errors.As(err, new(*registry.TurnedOffError)):
		return Explanation{KindAgent, Sentence(err.Error()), "Turn it on: on the page Agents, or with \"enabled\": true in that file. Or choose another agent."}, true
	case errors.Is(err, registry.ErrNoAgent):
		return Explanation{KindAgent, Sentence(err.Error()), "`mac-stats agents list` shows the agents there are; `mac-stats agents reset ID` brings a shipped one back."}, true
	case errors.Is(err, registry.ErrNoSkill):
		return Explanation{KindAgent, Sentence(err.Error()), "The skills are the folders in ~/.mac-stats/skills."}, true
	case errors.As(err, &empty):
		switch {
		case empty.Cut:
			return Explanation{KindServer, fmt.Sprintf("%s thought until its limit and gave no answer.", empty.Model), "What it thought is kept. Switch thinking off for this conversation, or raise ollama.num_ctx."}, true
		case empty.Thought:
			return Explanation{KindServer, fmt.Sprintf("%s only thought and gave no answer.", empty.Model), "What it thought is kept. Retry, or switch thinking off for this conversation."}, true
		}
		if empty.Reason != "" {
			return Explanation{KindServer, fmt.Sprintf("%s gave an empty answer. The server's reason for its end: %s.", empty.Model, empty.Reason), "Retry, or choose another model."}, true
		}
		return Explanation{KindServer, fmt.Sprintf("%s gave an empty answer.", empty.Model), "Retry, or choose another model."}, true
	case errors.Is(err, ErrOnDisk):
		return Explanation{KindDisk, "Nothing may be written (session.in_memory_only), but this conversation is stored in a file.", "Start a new chat: it stays in memory. Or switch the setting off."}, true
	case errors.Is(err, ErrRequest):
		return Explanation{KindInternal, Sentence(err.Error()), "Write a message and send it."}, true
	}
	return Explanation{}, false
}

// explainTooLong names the setting that leaves too little room.
func explainTooLong(e *TooLong) Explanation {
	x := Explanation{KindTooLong, "", "Shorten it or split it up, or choose a model with a larger context."}
	need, room := humanize.Comma(int64(e.Need)), humanize.Comma(int64(max(e.Room, 0)))
	x.Sentence = fmt.Sprintf("This message is too long: about %s tokens, and %s has room for %s.", need, e.Model, room)
	if e.Setting != "" {
		x.Sentence = fmt.Sprintf("There is no room for this message: it takes about %s tokens, and %s has room for %s of the %s that are set.", need, e.Model, room, humanize.Comma(int64(e.Context)))
		x.Next = "Raise " + e.Setting + ", or shorten the message."
	}
	if !e.Sent {
		x.Next += " It was not sent."
	}
	return x
}

// explainBlind suggests a model that can see.
func explainBlind(e *NoVision) Explanation {
	next := "Pull a model that can, such as `mac-stats models pull gemma3:4b`, or leave the image out."
	if e.Other != "" {
		next = "Choose " + e.Other + ", which can, or leave the image out."
	}
	return Explanation{KindNoVision, e.Model + " can't look at images.", next}
}

// isStop reports whether the user, or the end of the program, stopped the turn.
func isStop(err error) bool {
	return errors.Is(err, ollama.ErrCancelled) || errors.Is(err, context.Canceled)
}

// explainServer explains the errors of the model server.
func explainServer(err error) (Explanation, bool) {
	if errors.Is(err, ollama.ErrNoModel) {
		return explainNoModel(err), true
	}
	var e *ollama.Error
	if !errors.As(err, &e) {
		e = &ollama.Error{Host: "its address"}
	}
	host, model, said := e.Host, e.Model, serverWords(e)
	if model == "" {
		model = "the model"
	}
	switch {
	case errors.Is(err, ollama.ErrAddress):
		return Explanation{KindServer, Sentence(e.Detail), "Correct it in OLLAMA_HOST, or in ollama.host in config.toml, and start mac-stats again. No other server was asked."}, true
	case errors.Is(err, ollama.ErrOllamaDown):
		return Explanation{KindDown, fmt.Sprintf("Ollama isn't running at %s.", host), "Start it with `ollama serve`, then Retry."}, true
	case e.Op == "pull" && e.Detail != "" && (errors.Is(err, ollama.ErrServer) || errors.Is(err, ollama.ErrModelMissing)):
		return Explanation{KindServer, fmt.Sprintf("%s couldn't be pulled%s.", excerpt.Shorten(excerpt.OneLine(model), 60), said), step(e)}, true
	case errors.Is(err, ollama.ErrModelMissing):
		return Explanation{KindModelMissing, fmt.Sprintf("%s isn't installed%s.", model, said), fmt.Sprintf("Pull it with `mac-stats models pull %s`, or choose another model.", e.Model)}, true
	case errors.Is(err, ollama.ErrContextOverflow):
		return Explanation{KindContextOverflow, fmt.Sprintf("The conversation doesn't fit the context of %s, even shortened%s.", model, said), "Start a new chat, or choose a model with a larger context."}, true
	case errors.Is(err, ollama.ErrStreamCut) && e.Began:
		return Explanation{KindStreamCut, fmt.Sprintf("The connection to Ollama at %s broke off in mid-answer.", host), "The partial answer is kept. Check that Ollama is running, then Retry."}, true
	case errors.Is(err, ollama.ErrStreamCut):
		return Explanation{KindStreamCut, fmt.Sprintf("The connection to Ollama at %s broke off before an answer came.", host), "Check that Ollama is running, then Retry."}, true
	case errors.Is(err, ollama.ErrTimeout) && e.Began:
		return Explanation{KindTimeout, fmt.Sprintf("Ollama at %s stopped in mid-answer.", host), "The partial answer is kept. Retry. If it happens again, restart Ollama, or raise ollama.idle_timeout."}, true
	case errors.Is(err, ollama.ErrTimeout):
		return Explanation{KindTimeout, fmt.Sprintf("Ollama at %s doesn't answer.", host), "Retry. If it happens again, restart Ollama, or raise ollama.idle_timeout."}, true
	case errors.Is(err, ollama.ErrBusy):
		return Explanation{KindBusy, fmt.Sprintf("Ollama at %s is busy with other requests%s.", host, said), "Wait a moment, then Retry."}, true
	case e.Foreign:
		return Explanation{KindServer, fmt.Sprintf("What answers at %s doesn't look like Ollama%s.", host, said), "Check OLLAMA_HOST, and ollama.host in config.toml, then Retry."}, true
	case errors.Is(err, ollama.ErrServer) && lacksMemory(e.Detail):
		return Explanation{KindNoMemory, fmt.Sprintf("There isn't enough memory for %s%s.", model, said), "Choose a smaller model, or a smaller context size (in this conversation's options or in Settings), then Retry. Closing other programs helps, too."}, true
	case errors.Is(err, ollama.ErrServer):
		return Explanation{KindServer, fmt.Sprintf("Ollama at %s reported an error%s.", host, said), step(e)}, true
	}
	return Explanation{}, false
}

// refusals are signs in a server's words, in lower case, and what to do then. The first one
// counts. The words themselves are shown in any case, so an unknown refusal is told, too.
var refusals = []struct {
	signs []string
	next  string
}{
	{[]string{"newer version", "unknown model architecture", "unsupported model"}, "Update Ollama, then Retry."},
	{[]string{"x509", "certificate"}, "Install the certificate of the network's proxy where it isn't trusted, then Retry."},
	{[]string{"gguf"}, "Pull a version of it in the GGUF format."},
	{[]string{"too many requests", "rate limit", "manifest: 429"}, "Wait some minutes, then Retry. A download goes on where it stopped."},
	{[]string{"manifest: 401", "manifest: 403", "gated", "restricted", "realm host", "unsupported protocol scheme", "unauthorized: "}, "Get access on the model's page and sign in there with Ollama's key, or choose another model."},
	{[]string{"invalid model name"}, "Write the name as `mac-stats models list` and ollama.com/library show it, such as qwen3:8b."},
	{[]string{"manifest: file does not exist", "manifest: 404", "manifest unknown"}, "Check the spelling: ollama.com/library shows the names."},
	{[]string{"no space left", "not enough space", "disk quota"}, "Free some space where Ollama keeps its models, then Retry."},
	{[]string{"no such host", "dial tcp", "i/o timeout", "unreachable", "tls handshake timeout"}, "Check that the machine of the server is online, then Retry."},
	{[]string{"does not support chat"}, "Choose another model."},
	{[]string{"the proxy can't be reached", "proxy authentication"}, "Check HTTP_PROXY and HTTPS_PROXY, then Retry."},
	{[]string{"sends us to another address"}, "If Ollama is at that address, set it as ollama.host in config.toml."},
}

// step returns what to do after a server's refusal.
func step(e *ollama.Error) string {
	words := strings.ToLower(excerpt.OneLine(e.Detail))
	for _, r := range refusals {
		if slices.ContainsFunc(r.signs, func(sign string) bool { return strings.Contains(words, sign) }) {
			return r.next
		}
	}
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		if strings.HasPrefix(e.Host, "…@") {
			return "Check the name and the password in ollama.host or OLLAMA_HOST, or save a token with `mac-stats models token`, then Retry."
		}
		return "Save the token that the server wants with `mac-stats models token`, then Retry."
	case http.StatusRequestEntityTooLarge:
		return "Raise the limit of the gateway in front of Ollama, or send less."
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return "Check that Ollama is running behind that gateway, then Retry."
	}
	return "Retry. If it happens again, see the server's log."
}

// lacksMemory reports whether the server's message says that a model doesn't fit into the
// memory of the machine or of its graphics card.
func lacksMemory(detail string) bool {
	words := strings.ToLower(excerpt.OneLine(detail))
	return slices.ContainsFunc([]string{"out of memory", "cudamalloc", "more system memory", "unable to allocate", "failed to allocate", "insufficient memory", "not enough memory"},
		func(sign string) bool { return strings.Contains(words, sign) })
}

func explainNoModel(err error) Explanation {
	var missing *ollama.NoModelError
	model := ollama.Advice(0)[0].Model
	if errors.As(err, &missing) && missing.Advice != "" {
		model = missing.Advice
	}
	pull := "`mac-stats models pull " + model + "`"
	var unknown *ollama.Error
	switch {
	case missing == nil || missing.Installed == 0:
	case errors.As(missing.Err, &unknown):
		return Explanation{KindNoModel, fmt.Sprintf("Ollama at %s doesn't say what %s can do%s.", unknown.Host, unknown.Model, serverWords(unknown)), step(unknown)}
	default:
		can := "chat"
		switch missing.Role {
		case ollama.RoleVision:
			can = "look at images"
		case ollama.RoleEmbed:
			can = "make vectors for the search"
		}
		return Explanation{KindNoModel, "None of the installed models can " + can + ".", "Set a model in the agent's agent.json or in Settings, or pull one: " + pull + "."}
	}
	return Explanation{KindNoModel, "No model is installed yet.", "Pull one: " + pull + ", then Retry."}
}

// serverWords returns the server's message as the end of a sentence.
func serverWords(e *ollama.Error) string {
	words := ""
	if e.Status >= 400 && !e.Foreign {
		words = fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Detail != "" {
		words += ": " + strings.TrimRight(excerpt.Shorten(plainRefusal(e.Detail), 300), ".")
	}
	return words
}

// plainRefusal returns a refusal on one line, and instead of the JSON at its end, which a
// server repeats from another one, the sentence in it.
func plainRefusal(detail string) string {
	if head, body, ok := strings.Cut(detail, "{"); ok {
		if said := ollama.Sentence([]byte("{" + body)); said != "" && json.Valid([]byte("{"+body)) {
			detail = head + said
		}
	}
	return joinLines(detail)
}

// joinLines returns a text on one line, with a semicolon before an indented line: servers
// indent what is a statement of its own.
func joinLines(text string) string {
	return excerpt.OneLine(indented.ReplaceAllString(strings.TrimSpace(text), "$1; "))
}

var indented = regexp.MustCompile(`([^\s.,:;!?])\s*\n[ \t]+`)

// explainDisk explains the errors of the files.
func explainDisk(err error) (Explanation, bool) {
	const lost = " Nothing that was saved before is lost."
	what := ""
	var save *Save
	saving := errors.As(err, &save)
	if saving {
		what = save.What + " could not be saved: "
	}
	disk := func(why, next string) (Explanation, bool) {
		return Explanation{KindDisk, Sentence(what + why), next}, true
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return disk("the disk is full", "Free some space, then Retry."+lost)
	case errors.Is(err, syscall.EFBIG):
		return disk("the file may not grow any more", "Raise the limit on the size of files (ulimit -f), or start a new chat."+lost)
	case errors.Is(err, session.ErrReadOnly):
		return Explanation{KindDisk, "This transcript is read-only: it is from a newer version, or a newer file continues it.", "Start a new chat, or update mac-stats."}, true
	case errors.Is(err, syscall.EROFS):
		return disk("the disk is read-only", "Make it writable, or set MAC_STATS_HOME to another folder, then Retry.")
	case errors.Is(err, syscall.ENOTDIR):
		return disk("a file stands where a folder should be:"+inPath(err), "Move it away, or set MAC_STATS_HOME to another folder.")
	case errors.Is(err, fs.ErrPermission):
		return disk("no permission to "+opOf(err)+inPath(err), "Give yourself access to it, or set MAC_STATS_HOME to another folder, then Retry."+lost)
	case saving && errors.Is(err, fs.ErrNotExist):
		return disk("its folder is gone:"+inPath(err), "Put it back if you moved it, or start mac-stats again: it makes a new one.")
	case errors.Is(err, transcript.ErrBadName), errors.Is(err, session.ErrNotFound):
		return Explanation{KindInternal, Sentence(err.Error()), "`mac-stats sessions list` shows the sessions there are."}, true
	case saving:
		first, _, _ := strings.Cut(save.Err.Error(), "\n")
		return disk(first, "Check the disk, then Retry."+lost)
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return Explanation{KindDisk, Sentence(err.Error()), "Check that the file can be read and written, then Retry." + lost}, true
	}
	return Explanation{}, false
}

// opOf returns the operation that wasn't allowed: open, make, rename.
func opOf(err error) string {
	var path *fs.PathError
	if !errors.As(err, &path) {
		return "write"
	}
	if op := strings.TrimSuffix(path.Op, "at"); op != "mkdir" {
		return op
	}
	return "make"
}

func inPath(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return " " + path.Path
	}
	return ""
}
