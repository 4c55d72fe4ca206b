package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"mac-stats/agents/fault"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// The codes of problems, for programs.
const (
	codeUnauthorized = "unauthorized"
	codeForbidden    = "forbidden"
	codeBadRequest   = "bad_request"
	codeNotFound     = "not_found"
	codeMethod       = "method_not_allowed"
	codeConflict     = "conflict"
	codeBusy         = "busy"
	codeTimeout      = "timeout"
	codeInternal     = "internal"
)

// problem explains why a request failed: a code for programs, and text with the next step for
// people.
type problem struct {
	status  int
	Code    string `json:"code"`
	Message string `json:"message"`
	Next    string `json:"next"`
}

func (p *problem) Error() string { return p.Message }

// badRequest is the problem of an invalid request.
func badRequest(message, next string) *problem {
	return &problem{http.StatusBadRequest, codeBadRequest, message, next}
}

// route makes handle answer a pattern within a time limit.
func (a *API) route(pattern string, within time.Duration, handle func(ctx context.Context, r *http.Request) (any, error)) {
	a.routes.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		if err := drain(r); err != nil {
			a.answer(w, r, nil, err)
			return
		}
		// The head and the body have been read: the rest has its own time limit.
		if err := http.NewResponseController(w).SetReadDeadline(time.Time{}); err != nil {
			a.log.Debug("the deadline for reading stays", "error", err)
		}
		there, gone := whileThere(r)
		ctx, stop := context.WithTimeout(there, within)
		result, err := handle(ctx, r)
		stop()
		gone()
		a.answer(w, r, result, err)
	})
}

// drain reads a body that the request doesn't need, to report one that is too large.
func drain(r *http.Request) error {
	_, err := io.Copy(io.Discard, r.Body)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &problem{http.StatusRequestEntityTooLarge, codeBadRequest, fmt.Sprintf("The request's body is larger than %d bytes.", large.Limit), "Send the request without a body."}
	case err != nil:
		return badRequest("The request's body could not be read.", "Send it again.")
	}
	return nil
}

// answer writes the result or the problem as JSON.
func (a *API) answer(w http.ResponseWriter, r *http.Request, result any, err error) {
	status := http.StatusOK
	if err != nil {
		p := a.explain(err)
		status, result = p.status, map[string]*problem{"error": p}
		a.log.Info("a request to the local api was not done", "method", r.Method, "code", p.Code, "status", p.status)
	}
	data, jsonErr := json.Marshal(result)
	if jsonErr != nil {
		a.log.Error("an answer of the local api can't be written", "error", jsonErr)
		status, data = http.StatusInternalServerError, []byte(`{"error":{"code":"internal","message":"The answer can't be written.","next":"See the log."}}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // fails only if the client is gone
}

// explain turns any error into a problem.
func (a *API) explain(err error) *problem {
	var p *problem
	switch {
	case errors.As(err, &p):
		return p
	case errors.Is(err, session.ErrNotFound), errors.Is(err, transcript.ErrBadName):
		return &problem{http.StatusNotFound, codeNotFound, "There is no such session.", "`mac-stats sessions list` names those there are; give the full name, such as cpu-k3x9qa."}
	case errors.Is(err, recall.ErrNoChunk):
		return &problem{http.StatusNotFound, codeNotFound, "There is no such chunk in this session.", "List the session's memory for the ids there are."}
	case errors.Is(err, session.ErrStale), errors.Is(err, compact.ErrBusy), errors.Is(err, session.ErrBusy):
		return &problem{http.StatusConflict, codeConflict, "The session is being worked on.", "Send the request again in a moment."}
	case errors.Is(err, context.DeadlineExceeded):
		return &problem{http.StatusGatewayTimeout, codeTimeout, "It took longer than allowed.", "Send the request again."}
	}
	a.log.Warn("a request to the local api failed", "error", err)
	e := fault.Explain(err)
	return &problem{http.StatusInternalServerError, codeInternal, e.Sentence, e.Next}
}

// unknownPath returns the problem of an unknown path, or of a method that the path doesn't
// support. For the latter it sets the header that lists the supported methods.
func unknownPath(w http.ResponseWriter, r *http.Request, routes *http.ServeMux) *problem {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		other := r.Clone(r.Context())
		other.Method = method
		// a pattern with more parts only redirects
		if _, pattern := routes.Handler(other); pattern != "" && pattern != "/" && strings.Count(pattern, "/") <= strings.Count(r.URL.EscapedPath(), "/") {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) > 0 && !slices.Contains(allowed, r.Method) {
		w.Header().Set("Allow", strings.ReplaceAll(strings.Join(allowed, ", "), http.MethodGet, "GET, HEAD"))
		return &problem{http.StatusMethodNotAllowed, codeMethod, "This path does not take " + oneWord(r.Method) + ".", "Use " + strings.Join(allowed, " or ") + "."}
	}
	return &problem{http.StatusNotFound, codeNotFound, "There is no such path.", "GET /v1/openapi.yaml describes those there are."}
}

// oneWord shortens a word of the request for an answer.
func oneWord(text string) string {
	const most = 20
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}
