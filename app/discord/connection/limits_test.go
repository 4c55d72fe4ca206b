package connection

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func request(t *testing.T, method, path string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "https://discord.com/api/v10"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// limitHeaders returns the headers of an answer about bucket "b".
func limitHeaders(limit, left string) http.Header {
	h := http.Header{}
	h.Set("X-RateLimit-Bucket", "b")
	h.Set("X-RateLimit-Limit", limit)
	h.Set("X-RateLimit-Remaining", left)
	h.Set("X-RateLimit-Reset-After", "5.000")
	return h
}

func TestNoSecondHasMoreRequestsThanDiscordAllows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		var mu sync.Mutex
		var sent []time.Time
		var all sync.WaitGroup
		for i := range 300 {
			all.Go(func() {
				r := request(t, http.MethodPost, fmt.Sprintf("/channels/%d/messages", 200+i))
				if err := l.wait(t.Context(), r); err != nil {
					t.Error(err)
				}
				mu.Lock()
				sent = append(sent, time.Now())
				mu.Unlock()
				l.learn(r, 0, nil, 0, false)
			})
		}
		began := time.Now()
		// Answers to slash commands aren't counted: they must arrive within three seconds.
		if err := l.wait(t.Context(), request(t, http.MethodPost, "/interactions/1/x/callback")); err != nil || time.Since(began) > 0 {
			t.Errorf("a slash command waited for %s, %v", time.Since(began), err)
		}
		all.Wait()
		for i := 50; i < len(sent); i++ {
			if d := sent[i].Sub(sent[i-50]); d < time.Second {
				t.Fatalf("51 requests went within %s", d)
			}
		}
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("300 requests took %s", took)
		}
	})
}

func TestABucketIsSharedByTheRoutesThatDiscordNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		post, edit := request(t, http.MethodPost, "/channels/200/messages"), request(t, http.MethodPatch, "/channels/200/messages/1")
		other := request(t, http.MethodPatch, "/channels/201/messages/1")
		waits := func(r *http.Request, left string) time.Duration {
			t.Helper()
			began := time.Now()
			if err := l.wait(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			l.learn(r, http.StatusOK, limitHeaders("2", left), 0, false)
			return time.Since(began).Round(time.Second)
		}
		for _, step := range []struct {
			r    *http.Request
			left string
			want time.Duration
		}{
			{other, "1", 0}, // each channel has its own
			{edit, "1", 0},
			{post, "0", 0}, // not known yet to be the same
			{edit, "1", 5 * time.Second},
			{post, "0", 0},
			{post, "1", 5 * time.Second},
		} {
			if got := waits(step.r, step.left); got != step.want {
				t.Errorf("%s %s waited for %s, want %s", step.r.Method, step.r.URL.Path, got, step.want)
			}
		}
	})
}

func TestRefusedRequestsDoNotGetTheAddressBanned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		r := request(t, http.MethodGet, "/channels/200")
		for range maxInvalid {
			if err := l.wait(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			l.learn(r, http.StatusForbidden, nil, 0, false)
		}
		if err := l.wait(t.Context(), r); !errors.Is(err, ErrBusy) {
			t.Errorf("one more gave %v", err)
		}
		time.Sleep(invalidWindow)
		if err := l.wait(t.Context(), r); err != nil {
			t.Errorf("ten minutes later it gave %v", err)
		}
	})
}

func TestFullBucketsAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		for i := range maxBuckets + 10 {
			r := request(t, http.MethodPost, fmt.Sprintf("/channels/%d/messages", i))
			if err := l.wait(context.Background(), r); err != nil {
				t.Fatal(err)
			}
			l.learn(r, http.StatusOK, limitHeaders("5", "4"), 0, false)
		}
		if n := len(l.buckets); n > maxBuckets {
			t.Errorf("%d buckets are known", n)
		}
		if n := len(l.names); n > maxBuckets {
			t.Errorf("%d routes are known", n)
		}
	})
}

// The wait after a refusal happens once: later requests go at the bucket's own pace.
func TestALongRefusalDoesNotDelayLaterRequests(t *testing.T) {
	for name, first := range map[string]int{"given a bucket that is known": 1, "given the first answer of a route": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLimits()
				r := request(t, http.MethodPost, "/channels/200/messages")
				var reset time.Time // the end of the server's own window
				left := 0
				send := func(refuse time.Duration) time.Duration {
					t.Helper()
					began := time.Now()
					if err := l.wait(t.Context(), r); err != nil {
						t.Fatal(err)
					}
					waited := time.Since(began)
					if refuse > 0 {
						h := limitHeaders("5", "0")
						h.Set("X-RateLimit-Reset-After", fmt.Sprint(refuse.Seconds()))
						l.learn(r, http.StatusTooManyRequests, h, refuse, false)
						return waited
					}
					if !time.Now().Before(reset) {
						reset, left = time.Now().Add(5*time.Second), 5
					}
					left--
					if left < 0 {
						t.Error("more was sent than the bucket allows")
					}
					h := limitHeaders("5", fmt.Sprint(left))
					h.Set("X-RateLimit-Reset-After", fmt.Sprint(time.Until(reset).Seconds()))
					l.learn(r, http.StatusOK, h, 0, false)
					return waited
				}
				for range first {
					send(0)
				}
				send(28 * time.Second)
				if d := send(0); d < 27*time.Second {
					t.Errorf("the refusal was waited for %s", d)
				}
				for i := range 40 {
					if d := send(0); d > 5*time.Second {
						t.Errorf("message %d afterwards waited for %s", i, d)
					}
				}
			})
		})
	}
}
