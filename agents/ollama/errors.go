package ollama

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"mac-stats/sessionmem/excerpt"
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
	ErrAddress         = errors.New("the address of the server can't be used")
	ErrNotLoaded       = errors.New("the model is not in the server's memory")
)

// notOllama is the detail of an error from a server that isn't Ollama.
const notOllama = "this does not look like an Ollama server"

// Error is a failed call: Kind is one of the sentinels above.
type Error struct {
	Kind   error
	Op     string // chat, tags, show, ps, pull, embed, version
	Host   string // host:port, after …@ if the address has credentials
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
		b.WriteString(": " + excerpt.Addresses(e.Err.Error()))
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
type target struct {
	op, host, model string

	auth    string   // the header Authorization, or ""
	secrets []string // never shown, even if the server repeats them
}

// fail is the one place that makes an Error.
func (t target) fail(kind error, detail string, cause error) *Error {
	if detail == "" && errors.Is(kind, ErrServer) && cause != nil {
		detail = cause.Error()
	}
	for _, secret := range t.secrets {
		detail = strings.ReplaceAll(detail, secret, "…")
	}
	return &Error{Kind: kind, Op: t.op, Host: t.host, Model: t.model, Detail: excerpt.Addresses(detail), Err: cause}
}

// foreign returns the error for a response that isn't from an Ollama server. detail is the
// reason and may be "".
func (t target) foreign(detail string, cause error) *Error {
	e := t.fail(ErrServer, detail, cause)
	e.Foreign = true
	return e
}

// notJSON is foreign with the words that came instead.
func (t target) notJSON(detail string, data []byte, cause error) *Error {
	data = data[:min(len(data), maxErrorBody)]
	return t.foreign(strings.TrimSuffix(detail+": "+cmp.Or(Sentence(data), excerpt.Shorten(excerpt.OneLine(string(data)), maxSentence)), ": "), cause)
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
	var request *url.Error
	var op *net.OpError
	var dns *net.DNSError
	var untrusted *tls.CertificateVerificationError
	why := err.Error()
	if errors.As(err, &request) {
		why = request.Err.Error() // without the address, which the error names anyway
	}
	switch {
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return t.fail(ErrServer, "the proxy can't be reached: "+op.Err.Error(), err)
	case errors.As(err, &dns), op != nil && op.Op == "dial":
		return t.fail(ErrOllamaDown, "", err)
	case errors.Is(err, errRedirect):
		return t.fail(ErrServer, why, err)
	case errors.As(err, &untrusted):
		return t.fail(ErrServer, "its certificate isn't trusted: "+untrusted.Err.Error(), err)
	case strings.Contains(why, "malformed HTTP"), strings.Contains(why, "tls:"), strings.Contains(why, "HTTP response to HTTPS"):
		return t.foreign(why, err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), op != nil, started:
		if started || t.op == "chat" || t.op == "pull" {
			return t.fail(ErrStreamCut, "the connection was closed", err)
		}
		return t.fail(ErrOllamaDown, "the connection was closed", err)
	}
	return t.fail(ErrServer, why, err)
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
	case status == 404 && t.model != "" && modelNotFound().MatchString(low),
		strings.Contains(low, "pull model manifest: file does not exist"):
		e.Kind = ErrModelMissing
	case status == 503, status == 429 && t.op != "pull", strings.Contains(low, "server busy"):
		e.Kind = ErrBusy
	}
	return e
}

// modelNotFound matches what Ollama says of a model that isn't installed. Other things that
// aren't found, such as a gateway's route, are no reason to pull a model.
var modelNotFound = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^model\b[\s"']*\S*\s*not found`) })

func isOverflow(low string) bool {
	for _, words := range overflowWords {
		if strings.Contains(low, words) {
			return true
		}
	}
	return false
}
