package connection

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

const (
	// restTries is how often a request is tried in total.
	restTries = 5
	// answerTimeout is how long Discord may take to answer a request. After that it is sent
	// again if that is safe.
	answerTimeout = 15 * time.Second
)

// transport sends requests within Discord's rate limits. It waits for the bucket and the
// global limit as reported by the answers, and repeats a request that was refused for them.
// All waiting ends with the request's context.
type transport struct {
	base   *url.URL // replaces https://discord.com in tests; else nil
	next   http.RoundTripper
	limits *limits
}

func newTransport(base *url.URL) *transport {
	next := &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 8, IdleConnTimeout: 90 * time.Second,
		TLSHandshakeTimeout: answerTimeout, ResponseHeaderTimeout: answerTimeout,
	}
	return &transport{base: base, next: next, limits: newLimits()}
}

// send sends a request when it is allowed, and returns the answer's status and body.
func (t *transport) send(r *http.Request) (status int, body []byte, err error) {
	for try := 1; status == 0 && err == nil; try++ {
		status, body, err = t.attempt(r, try)
	}
	return status, body, err
}

// attempt sends a request once. Without a status and an error the caller must send it again
// at once: attempt has already waited.
func (t *transport) attempt(r *http.Request, try int) (status int, body []byte, err error) {
	if err := t.limits.wait(r.Context(), r); err != nil {
		return 0, nil, err
	}
	again, err := t.prepared(r, try)
	if err != nil {
		return 0, nil, err
	}
	status, header, body, err := t.answer(again)
	if err != nil {
		t.limits.learn(r, 0, nil, 0, false)
		if try < restTries && mayRepeat(r) && r.Context().Err() == nil && t.pause(r.Context(), try) == nil {
			return 0, nil, nil
		}
		return 0, nil, err
	}
	after, global := refusal(status, header, body)
	t.limits.learn(r, status, header, after, global)
	broken := status >= 500 && mayRepeat(r)
	if try == restTries || after == 0 && !broken {
		return status, body, nil
	}
	if broken {
		return 0, nil, t.pause(r.Context(), try)
	}
	return 0, nil, nil
}

// answer sends a request and reads the complete answer; an incomplete one is an error.
func (t *transport) answer(r *http.Request) (status int, header http.Header, body []byte, err error) {
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return 0, nil, nil, fmt.Errorf("reading the answer: %w", err)
	}
	return resp.StatusCode, resp.Header, body, nil
}

// mayRepeat reports whether sending a request twice is safe: messages carry a nonce that
// Discord checks.
func mayRepeat(r *http.Request) bool {
	return r.Method != http.MethodPost || strings.HasSuffix(r.URL.Path, "/messages") || strings.HasSuffix(r.URL.Path, "/typing")
}

// pause waits before a request that failed on the way is sent again.
func (t *transport) pause(ctx context.Context, try int) error {
	return Sleep(ctx, jitter(time.Duration(try)*500*time.Millisecond))
}

// prepared returns the request for this try.
func (t *transport) prepared(r *http.Request, try int) (*http.Request, error) {
	out := r.Clone(r.Context())
	if try > 1 && r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return nil, fmt.Errorf("sending a request again: %w", err)
		}
		out.Body = body
	}
	if t.base != nil {
		out.URL.Scheme, out.URL.Host, out.Host = t.base.Scheme, t.base.Host, t.base.Host
	}
	return out, nil
}

// refusal returns how long to wait if a request was refused for a rate limit, or 0, and
// whether it is the limit for all requests.
func refusal(status int, h http.Header, body []byte) (after time.Duration, global bool) {
	if status != http.StatusTooManyRequests {
		return 0, false
	}
	said := readFields(body) // empty for an error page of a proxy: the header has it
	wait, _ := said.number("retry_after")
	after = max(time.Duration(min(wait, maxWait)*float64(time.Second)), seconds(h.Get("Retry-After")), 100*time.Millisecond)
	return after, said.isTrue("global") || h.Get("X-RateLimit-Global") != "" || h.Get("Via") == "" && wait == 0
}

// messageID matches the part of a path that buckets don't depend on.
var messageID = regexp.MustCompile(`/messages/\d+`)

// scrubbed returns a network error without the address, which may hold an interaction's
// token.
func scrubbed(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// jitter returns a random time between half of d and one and a half of it.
func jitter(d time.Duration) time.Duration {
	return d/2 + rand.N(d+1)
}

// Sleep waits for d, or returns the cause if ctx ends first.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
