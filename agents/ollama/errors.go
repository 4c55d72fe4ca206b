package ollama

import (
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
)

// What can go wrong, for callers to decide on with errors.Is. Every error of a
// Client is an *Error whose Kind is one of these.
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

// notOllama is what the error of a foreign server says.
const notOllama = "this does not look like an Ollama server"

// Error is a failed call: Kind is one of the sentinels above.
type Error struct {
	Kind   error
	Op     string // chat, tags, show, ps, pull, embed, version
	Host   string // host:port
	Model  string // "" where the call names none
	Status int    // HTTP status, 0 where none
	Detail string // the server's words, or what was wrong with its answer
	Err    error  // the cause, may be nil

	Began   bool // a part of an answer's text had arrived
	Foreign bool // no Ollama server answers so: something else is at this address
}

// Error gives the kind, what was being done and the server's words, in one line.
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

// Unwrap gives the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// target says which call failed; its methods build the call's errors.
type target struct{ op, host, model string }

func (t target) fail(kind error, detail string, cause error) *Error {
	return &Error{Kind: kind, Op: t.op, Host: t.host, Model: t.model, Detail: detail, Err: cause}
}

// foreign is the error of an answer that no Ollama server gives; detail says why,
// it may be "".
func (t target) foreign(detail string, cause error) *Error {
	e := t.fail(ErrServer, detail, cause)
	e.Foreign = true
	return e
}

// ended is the error of a call whose context ended.
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

// transport gives a type to an error of the connection. started tells whether
// the server had begun to answer.
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

// overflowWords are how servers of different ages say that a prompt is too long.
var overflowWords = []string{
	"exceeds the context", "longer than the context", "context length exceeded",
	"exceeds maximum context", "exceeds the available context", "exceed_context_size",
}

// reported gives a type to what the server said in an error body or line.
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
