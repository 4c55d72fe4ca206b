package ollama

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/loopback"
)

const (
	dialTimeout  = 10 * time.Second
	shortCall    = 30 * time.Second // limit for a call that needs no model
	maxErrorBody = 64 << 10
	maxJSONBody  = 32 << 20 // a list of models, or a description
	minSecret    = 8        // bytes; shorter credentials may be words of an answer
)

var errRedirect = errors.New("the server sends us to another address, which we don't follow")

// newHTTPClient returns a client that only talks to base: no proxy for loopback, no
// redirect to another host.
func newHTTPClient(base *url.URL) *http.Client {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
	transport := &http.Transport{
		DialContext:         dialer.DialContext,
		Proxy:               http.ProxyFromEnvironment,
		DisableCompression:  true,
		MaxIdleConnsPerHost: 4,
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: dialTimeout,
	}
	if loopback.Is(base.Hostname()) {
		transport.Proxy = nil
	}
	return &http.Client{
		Transport: transport,
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if req.URL.Host != base.Host || req.URL.Scheme != base.Scheme || len(via) > 3 {
				return fmt.Errorf("%w: %s", errRedirect, excerpt.Address(req.URL.String()))
			}
			return nil
		},
	}
}

// open sends a request and returns the body of a response with a status of success; the caller
// closes it. Any other response is an *Error.
func (c *Client) open(ctx context.Context, t target, method, path string, body []byte) (io.ReadCloser, error) {
	if c.bad != nil {
		return nil, t.fail(ErrAddress, c.bad.Error(), nil)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return nil, t.fail(ErrServer, "", err)
	}
	req.Header.Set("Accept", "application/json, application/x-ndjson")
	if t.auth != "" {
		req.Header.Set("Authorization", t.auth)
	}
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if ctx.Err() != nil {
		closeAnswer(resp)
		return nil, t.ended(ctx)
	}
	if err != nil {
		return nil, t.transport(err, false)
	}
	if _, sent, _ := strings.Cut(t.auth, " "); len(sent) >= minSecret {
		resp.Body = &redacted{ReadCloser: resp.Body, secret: []byte(sent)}
	}
	if resp.StatusCode/100 != 2 {
		defer closeAnswer(resp)
		return nil, t.refused(resp)
	}
	if coding := resp.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		defer closeAnswer(resp)
		return nil, t.foreign("it answered compressed ("+coding+"), which nobody asked for", nil)
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		defer closeAnswer(resp)
		page, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
		return nil, t.foreign(strings.TrimSuffix("it answered with a web page: "+Sentence(page), ": "), err)
	}
	return resp.Body, nil
}

// redacted reads a body with "…" in place of the credentials that were sent, so that what a
// gateway repeats of them gets no further.
type redacted struct {
	io.ReadCloser
	secret []byte
	clean  []byte // to be returned
	rest   []byte // may be the beginning of the credentials
	err    error  // after rest
}

// Read implements io.Reader.
func (r *redacted) Read(p []byte) (int, error) {
	for len(r.clean) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		n, err := r.ReadCloser.Read(p)
		text := bytes.ReplaceAll(append(r.rest, p[:n]...), r.secret, []byte("…"))
		held := 0
		if r.err = err; err == nil {
			for held = min(len(r.secret)-1, len(text)); !bytes.HasSuffix(text, r.secret[:held]); held-- {
			}
		}
		r.clean, r.rest = text[:len(text)-held], bytes.Clone(text[len(text)-held:])
	}
	n := copy(p, r.clean)
	r.clean = r.clean[n:]
	return n, nil
}

func closeAnswer(resp *http.Response) {
	if resp != nil {
		_ = resp.Body.Close() // read-only, so nothing is lost
	}
}

// refused turns a response with another status than 200 into an error with the server's own
// words.
func (t target) refused(resp *http.Response) *Error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	said := Sentence(body)
	// A page of the statuses that gateways have for Ollama's sake is no sign of another server.
	ours := resp.StatusCode >= 500 || slices.Contains([]int{
		http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusRequestTimeout,
		http.StatusRequestEntityTooLarge, http.StatusTooManyRequests,
	}, resp.StatusCode)
	if ours || said != "" && json.Valid(body) {
		e := t.reported(resp.StatusCode, cmp.Or(said, resp.Status))
		e.Err = busyFor(resp)
		return e
	}
	answer := "it answered " + resp.Status
	if said != "" && !strings.Contains(resp.Status, said) {
		answer += ": " + said
	}
	e := t.foreign(answer, err)
	e.Status = resp.StatusCode
	return e
}

// errorText is the server's "error": its sentence, wherever it stands in it.
type errorText string

// UnmarshalJSON accepts any JSON. What holds no sentence is kept as it is, unless it means
// that there is no error.
func (t *errorText) UnmarshalJSON(b []byte) error {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*t = errorText(sentenceIn(v))
	switch string(bytes.TrimSpace(b)) {
	case "null", "false", "0", "{}", "[]", `""`:
	default:
		if *t == "" {
			*t = errorText(b)
		}
	}
	return nil
}

// call makes a request whose response is one JSON document, within shortCall.
func (c *Client) call(ctx context.Context, t target, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, min(shortCall, c.idle))
	defer cancel()
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return t.fail(ErrServer, "the request can't be written as JSON", err)
		}
	}
	answer, err := c.open(ctx, t, method, path, body)
	if err != nil {
		return err
	}
	defer answer.Close()
	data, err := io.ReadAll(io.LimitReader(answer, maxJSONBody))
	switch {
	case ctx.Err() != nil:
		return t.ended(ctx)
	case err != nil:
		return t.transport(err, true)
	}
	var failed struct {
		Error errorText `json:"error"`
	}
	if decode(data, &failed) == nil && failed.Error != "" {
		return t.reported(http.StatusOK, string(failed.Error))
	}
	if err := decode(data, out); err != nil {
		return t.notJSON("its answer is not the JSON expected", data, err)
	}
	return nil
}
