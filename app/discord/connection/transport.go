package connection

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// restTries is how often a request is tried in all.
	restTries = 5
	// maxInvalid is how many refused requests in invalidWindow there may be; Discord
	// bans an address for a while at 10,000.
	maxInvalid    = 5000
	invalidWindow = 10 * time.Minute
	maxBuckets    = 10_000
)

// transport sends requests within Discord's rate limits: it waits for the bucket
// and the global limit as the answers tell them, and sends a request again that was
// refused for them. All waiting ends with the request's context.
type transport struct {
	base *url.URL // takes the place of https://discord.com in tests; nil: none
	next http.RoundTripper

	mu      sync.Mutex // guards what follows
	global  time.Time  // nothing is sent before
	buckets map[string]time.Time
	invalid int
	since   time.Time // of invalid
}

func newTransport(base *url.URL) *transport {
	return &transport{base: base, next: http.DefaultTransport, buckets: map[string]time.Time{}}
}

// RoundTrip sends a request, in time.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	key := route(r)
	for try := 1; ; try++ {
		if err := t.wait(r.Context(), key); err != nil {
			return nil, err
		}
		again, err := t.prepared(r, try)
		if err != nil {
			return nil, err
		}
		resp, err := t.next.RoundTrip(again)
		if err != nil {
			if try < restTries && mayRepeat(r) && r.Context().Err() == nil && t.pause(r.Context(), try) == nil {
				continue
			}
			return nil, scrubbed(err)
		}
		limited, err := t.learn(key, resp)
		if err != nil {
			return nil, err
		}
		broken := resp.StatusCode >= 500 && mayRepeat(r)
		if try == restTries || !limited && !broken {
			withoutLimits(resp.Header)
			return resp, nil
		}
		_ = resp.Body.Close() // of an answer nobody wants
		if broken {
			if err := t.pause(r.Context(), try); err != nil {
				return nil, err
			}
		}
	}
}

// mayRepeat reports whether sending a request twice does no harm: messages carry a
// nonce that Discord checks.
func mayRepeat(r *http.Request) bool {
	return r.Method != http.MethodPost || strings.HasSuffix(r.URL.Path, "/messages") || strings.HasSuffix(r.URL.Path, "/typing")
}

// pause waits before a request is sent again that failed on the way.
func (t *transport) pause(ctx context.Context, try int) error {
	return sleep(ctx, jitter(time.Duration(try)*500*time.Millisecond))
}

// prepared is the request for this try.
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

// wait waits until the request may be sent.
func (t *transport) wait(ctx context.Context, key string) error {
	for {
		t.mu.Lock()
		until := t.buckets[key]
		if t.global.After(until) {
			until = t.global
		}
		refused := t.invalid >= maxInvalid && time.Since(t.since) < invalidWindow
		t.mu.Unlock()
		if refused {
			return fmt.Errorf("%w: it refused %d requests within ten minutes, so none is sent for a while", ErrBusy, maxInvalid)
		}
		d := time.Until(until)
		if d <= 0 {
			return nil
		}
		if end, ok := ctx.Deadline(); ok && end.Before(until) {
			return fmt.Errorf("%w (%s)", ErrBusy, d.Round(time.Second))
		}
		if err := sleep(ctx, d); err != nil {
			return err
		}
	}
}

// learn takes what the answer says of the limits; limited: it was refused for them.
func (t *transport) learn(key string, resp *http.Response) (limited bool, err error) {
	h := resp.Header
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if s := resp.StatusCode; s == http.StatusUnauthorized || s == http.StatusForbidden || s == http.StatusTooManyRequests {
		if now.Sub(t.since) >= invalidWindow {
			t.invalid, t.since = 0, now
		}
		t.invalid++
	}
	if resp.StatusCode != http.StatusTooManyRequests {
		if after := seconds(h.Get("X-RateLimit-Reset-After")); h.Get("X-RateLimit-Remaining") == "0" && after > 0 {
			t.block(key, now.Add(after))
		}
		return false, nil
	}
	var body struct {
		RetryAfter float64 `json:"retry_after"`
		Global     bool    `json:"global"`
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
	_ = resp.Body.Close() // read whole
	if err != nil {
		return false, fmt.Errorf("reading how long to wait: %w", err)
	}
	_ = json.Unmarshal(data, &body) // a page of a proxy in front: the header says it
	after := max(time.Duration(body.RetryAfter*float64(time.Second)), seconds(h.Get("Retry-After")), 100*time.Millisecond)
	until := now.Add(after)
	if body.Global || h.Get("X-RateLimit-Global") != "" || h.Get("Via") == "" && body.RetryAfter == 0 {
		t.global = until
	} else {
		t.block(key, until)
	}
	resp.Body = io.NopCloser(strings.NewReader(string(data)))
	return true, nil
}

// block keeps a bucket waiting; those that are over are forgotten.
func (t *transport) block(key string, until time.Time) {
	if len(t.buckets) >= maxBuckets {
		for k, end := range t.buckets {
			if time.Now().After(end) {
				delete(t.buckets, k)
			}
		}
	}
	t.buckets[key] = until
}

func seconds(text string) time.Duration {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < 0 || n > 1e6 {
		return 0
	}
	return time.Duration(n * float64(time.Second))
}

// withoutLimits keeps the library from waiting again for what was waited for here.
func withoutLimits(h http.Header) {
	for _, name := range []string{"X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Reset-After", "X-RateLimit-Global"} {
		h.Del(name)
	}
}

// messageID is the part of a path that buckets don't depend on.
var messageID = regexp.MustCompile(`/messages/\d+`)

// route names a request's bucket: the method and the path with its channel.
func route(r *http.Request) string {
	return r.Method + " " + messageID.ReplaceAllString(r.URL.Path, "/messages/:id")
}

// scrubbed is a network error without the address, which may hold an interaction's
// token.
func scrubbed(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// jitter is a time around d, from half to one and a half of it.
func jitter(d time.Duration) time.Duration {
	return d/2 + rand.N(d+1)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
