package ollama

import (
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
)

// The kinds of errors, for errors.Is. Every error of a Client is an *Error whose Kind is
// one of these.
var (
	ErrOllamaDown      = errors.New("ollama is not running")
	ErrModelMissing    = errors.New("model is not installed")
	ErrContextOverflow = errors.New("the input does not fit the model's context")
	ErrTimeout         = errors.New("the server stopped answering")
	ErrCancelled       = errors.New("cancelled")
	ErrStreamCut       = errors.New("the answer was cut off")
	ErrBusy            = errors.New("the server is busy")
	ErrServer          = errors.New("the server reported an error")
	ErrAside           = errors.New("the call gave way to a chat")
	ErrNotLoaded       = errors.New("the model is not in the server's memory")
)

// notOllama is the detail of an error from a server that isn't Ollama.
const notOllama = "this does not look like an Ollama server"

// Error is a failed call: Kind is one of the sentinels above.
type Error struct {
	Kind   error
	Op     string // chat, tags, show, ps, pull, embed, version
	Host   string // host:port
	Model  string // "" if the call has none
	Status int    // HTTP status, or 0
	Detail string // the server's message, or what is wrong with its response
	Err    error  // the cause, may be nil

	Began   bool // part of an answer's text had arrived
	Foreign bool // no Ollama server responds like this: something else is at this address
}

// Error returns the kind, the operation and the server's message, as one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.Model != "" {
		b.WriteString(" with " + e.Model)
	}
	b.WriteString(" at " + e.Host + ": " + e.Kind.Error())
	if e.Status >= 400 {
		b.WriteString(" (HTTP " + strconv.Itoa(e.Status) + ")")
	}
	if e.Foreign {
		b.WriteString(": " + notOllama)
	}
	switch {
	case e.Detail != "":
		b.WriteString(": " + e.Detail)
	case e.Err != nil:
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// target identifies a call; its methods build the call's errors.
type target struct{ op, host, model string }

func (t target) fail(kind error, detail string, cause error) *Error {
	return &Error{Kind: kind, Op: t.op, Host: t.host, Model: t.model, Detail: detail, Err: cause}
}

// foreign returns the error for a response that isn't from an Ollama server. detail is the
// reason and may be "".
func (t target) foreign(detail string, cause error) *Error {
	e := t.fail(ErrServer, detail, cause)
	e.Foreign = true
	return e
}

// ended returns the error for a call whose context is done.
func (t target) ended(ctx context.Context) *Error {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, context.DeadlineExceeded):
		return t.fail(ErrTimeout, "", cause)
	case errors.Is(cause, errAside):
		return t.fail(ErrAside, "", cause)
	}
	return t.fail(ErrCancelled, "", cause)
}

// transport classifies an error of the connection. started reports whether the server had
// begun to respond.
func (t target) transport(err error, started bool) *Error {
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns), errors.As(err, &op) && op.Op == "dial":
		return t.fail(ErrOllamaDown, "", err)
	case errors.Is(err, errRedirect):
		return t.fail(ErrServer, errRedirect.Error(), err)
	case strings.Contains(err.Error(), "malformed HTTP"), strings.Contains(err.Error(), "tls:"):
		return t.foreign("", err)
	case started, t.op == "chat", t.op == "pull":
		return t.fail(ErrStreamCut, "the connection was closed", err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &op):
		return t.fail(ErrOllamaDown, "the connection was closed", err)
	default:
		return t.fail(ErrServer, "", err)
	}
}

// overflowWords are the messages of old and new servers for a prompt that is too long.
var overflowWords = []string{
	"exceeds the context", "longer than the context", "context length exceeded",
	"exceeds maximum context", "exceeds the available context", "exceed_context_size",
}

// reported classifies the server's message in an error body or line.
func (t target) reported(status int, detail string) *Error {
	e := t.fail(ErrServer, detail, nil)
	e.Status = status
	low := strings.ToLower(detail)
	switch {
	case isOverflow(low):
		e.Kind = ErrContextOverflow
	case status == 404 && t.model != "" && strings.Contains(low, "not found"),
		strings.Contains(low, "pull model manifest: file does not exist"):
		e.Kind = ErrModelMissing
	case status == 503, status == 429, strings.Contains(low, "server busy"):
		e.Kind = ErrBusy
	}
	return e
}

func isOverflow(low string) bool {
	for _, words := range overflowWords {
		if strings.Contains(low, words) {
			return true
		}
	}
	return false
}
