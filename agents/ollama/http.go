package ollama

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mac-stats/sessionmem/loopback"
)

const (
	dialTimeout  = 10 * time.Second
	shortCall    = 30 * time.Second // limit for a call that needs no model
	maxErrorBody = 64 << 10
	maxJSONBody  = 32 << 20 // a list of models, or a description
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
				return errRedirect
			}
			return nil
		},
	}
}

// open sends a request and returns the body of a response with status 200; the caller
// closes it. Any other response is an *Error.
func (c *Client) open(ctx context.Context, t target, method, path string, body []byte) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return nil, t.fail(ErrServer, "", err)
	}
	req.Header.Set("Accept", "application/json, application/x-ndjson")
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
	if resp.StatusCode != http.StatusOK {
		defer closeAnswer(resp)
		return nil, t.refused(resp)
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		closeAnswer(resp)
		return nil, t.foreign("it answered with a web page", nil)
	}
	return resp.Body, nil
}

func closeAnswer(resp *http.Response) {
	if resp != nil {
		_ = resp.Body.Close() // read-only, so nothing is lost
	}
}

// refused turns a response with another status than 200 into an error.
func (t target) refused(resp *http.Response) *Error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	var line struct {
		Error errorText `json:"error"`
	}
	if jsonErr := json.Unmarshal(body, &line); jsonErr == nil && line.Error != "" {
		e := t.reported(resp.StatusCode, string(line.Error))
		e.Err = busyFor(resp)
		return e
	}
	if resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusTooManyRequests {
		e := t.reported(resp.StatusCode, resp.Status)
		e.Err = busyFor(resp)
		return e
	}
	e := t.foreign("it answered "+resp.Status, err)
	e.Status = resp.StatusCode
	return e
}

// errorText is the server's "error", which is a string or an object with a message.
type errorText string

// UnmarshalJSON accepts both forms, and keeps any other JSON as it is.
func (t *errorText) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = errorText(s)
		return nil
	}
	var o struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(b, &o) == nil && o.Message != "" {
		*t = errorText(o.Message)
		return nil
	}
	*t = errorText(b)
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
	if err := json.Unmarshal(data, out); err != nil {
		return t.foreign("its answer is not the JSON expected", err)
	}
	return nil
}
