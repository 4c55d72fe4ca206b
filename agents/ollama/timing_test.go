package ollama_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollama"
	"mac-stats/agents/testkit"
)

// pipes is a network inside a bubble, which accepts every dialed connection.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	p.conns <- server
	return client, nil
}

// inBubble serves s over pipes, where the bubble's time applies, and returns a client.
func inBubble(t *testing.T, s *testkit.Server) *ollama.Client {
	t.Helper()
	network := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	server := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(network) }() // returns after Close, always with an error
	transport := &http.Transport{DialContext: network.dial}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := errors.Join(s.Close(), server.Close()); err != nil {
			t.Error(err)
		}
	})
	c, err := ollama.New(ollama.Params{Host: "ollama.test", HTTP: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestIdleTimeoutOfTwoMinutes(t *testing.T) {
	cold := qwen
	cold.Loaded = false
	slow := cold
	slow.LoadDelay = 8 * time.Minute
	tests := []struct {
		name  string
		model testkit.Model
		reply testkit.Reply
		err   error
		took  time.Duration // to the second, with tolerance for the polling
		kept  string
	}{
		{"a model that loads for eight minutes", slow, testkit.Reply{Text: "ok"}, nil, 8 * time.Minute, "ok"},
		{"a prompt read for less", qwen, testkit.Reply{Text: "ok", FirstDelay: 119 * time.Second}, nil, 119 * time.Second, "ok"},
		{"a prompt read for longer", qwen, testkit.Reply{Text: "ok", FirstDelay: 122 * time.Second}, ollama.ErrTimeout, 120 * time.Second, ""},
		{"hung once loaded", slow, testkit.Reply{Fault: &testkit.Fault{Kind: testkit.FaultHangFirst}}, ollama.ErrTimeout, 10 * time.Minute, ""},
		{"each chunk begins it anew", qwen, testkit.Reply{Text: "a b c", Delay: 100 * time.Second}, nil, 300 * time.Second, "a b c"},
		{"silence in mid-stream", qwen, testkit.Reply{Text: "a b c", Delay: 130 * time.Second}, ollama.ErrTimeout, 120 * time.Second, ""},
		{"hung in mid-stream", qwen, testkit.Reply{Text: "a b", Fault: &testkit.Fault{Kind: testkit.FaultHangMid, After: 1}}, ollama.ErrTimeout, 120 * time.Second, "a"},
		{"a model that never loads", func() testkit.Model { m := cold; m.LoadDelay = time.Hour; return m }(), testkit.Reply{Text: "ok"}, ollama.ErrTimeout, 17 * time.Minute, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				script := script(tt.reply)
				script.Models[0] = tt.model
				c := inBubble(t, testkit.New(script))
				begin := time.Now()
				got, err := c.Chat(t.Context(), ask("How?"))
				took := time.Since(begin)
				if got.Content != tt.kept {
					t.Errorf("kept %q, want %q", got.Content, tt.kept)
				}
				if !errors.Is(err, tt.err) || took < tt.took || took > tt.took+3*time.Second {
					t.Errorf("%v after %s; want %v after %s", err, took, tt.err, tt.took)
				}
			})
		})
	}
}

func TestALongPromptIsNotAHang(t *testing.T) {
	long := strings.Repeat("word ", 12_800) // 16,000 tokens, which take 800 s at 20 per second
	tests := []struct {
		name   string
		prompt string
		numCtx int
		reply  testkit.Reply
		err    error
		took   time.Duration
	}{
		{"a long prompt read at 20 tokens a second", long, 0, testkit.Reply{Text: "ok", FirstDelay: 800 * time.Second}, nil, 800 * time.Second},
		{"a long prompt and a server that hangs", long, 0, testkit.Reply{Fault: &testkit.Fault{Kind: testkit.FaultHangFirst}}, ollama.ErrTimeout, 920 * time.Second},
		{"no more than fits the context is read", long, 2000, testkit.Reply{Text: "ok", FirstDelay: 800 * time.Second}, ollama.ErrTimeout, 220 * time.Second},
		{"a short prompt", "How?", 0, testkit.Reply{Text: "ok", FirstDelay: 800 * time.Second}, ollama.ErrTimeout, 120 * time.Second},
		{"once it has begun, silence is silence", long, 0, testkit.Reply{Text: "a b", FirstDelay: time.Minute, Fault: &testkit.Fault{Kind: testkit.FaultHangMid, After: 1}}, ollama.ErrTimeout, 180 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := inBubble(t, testkit.New(script(tt.reply)))
				req := ask(tt.prompt)
				req.NumCtx = tt.numCtx
				begin := time.Now()
				_, err := c.Chat(t.Context(), req)
				if took := time.Since(begin); !errors.Is(err, tt.err) || took < tt.took || took > tt.took+3*time.Second {
					t.Errorf("%v after %s; want %v after %s", err, took, tt.err, tt.took)
				}
			})
		})
	}
}

func TestLoadingIsPolledAtAModestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := script(testkit.Reply{Text: "ok"})
		script.Models[0].Loaded, script.Models[0].LoadDelay = false, time.Minute
		s := testkit.New(script)
		var phases []ollama.Phase
		req := ask("How?")
		req.OnPhase = func(p ollama.Phase) { phases = append(phases, p) }
		if _, err := inBubble(t, s).Chat(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		if n := requests(s, "/api/ps"); n > 35 {
			t.Errorf("%d looks in a minute", n)
		}
		if len(phases) == 0 || phases[0] != ollama.PhaseLoading {
			t.Errorf("phases %v", phases)
		}
	})
}

func TestAServerThatListsALoadingModelGetsMoreTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := script(testkit.Reply{Text: "ok", FirstDelay: 4 * time.Minute})
		script.OldServer, script.Models[0].Loaded, script.Models[0].LoadDelay = true, false, time.Second
		c := inBubble(t, testkit.New(script))
		if _, err := c.Chat(t.Context(), ask("How?")); err != nil {
			t.Errorf("four minutes after it was listed: %v", err)
		}
	})
}

func TestPhasesFollowTheLoadingOfTheModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := script(testkit.Reply{Text: "ok", FirstDelay: 5 * time.Second})
		script.Models[0].Loaded, script.Models[0].LoadDelay = false, 9*time.Second
		c := inBubble(t, testkit.New(script))
		type at struct {
			Phase ollama.Phase
			After time.Duration
		}
		var phases []at
		var begin time.Time
		req := ask("How?")
		req.OnPhase = func(p ollama.Phase) { phases = append(phases, at{p, time.Since(begin).Truncate(2 * time.Second)}) }
		for _, tt := range []struct {
			loaded bool
			want   []at
		}{
			{true, []at{{ollama.PhaseLoading, 0}, {ollama.PhaseReading, 8 * time.Second}}},
			{false, []at{{ollama.PhaseReading, 0}}},
		} {
			phases, begin = nil, time.Now()
			got, err := c.Chat(t.Context(), req)
			if err != nil || got.Loaded != tt.loaded || (got.LoadTime >= 9*time.Second) != tt.loaded {
				t.Fatalf("%+v, %v; want an answer, loaded %v", got, err, tt.loaded)
			}
			if diff := cmp.Diff(tt.want, phases); diff != "" {
				t.Errorf("phases (-want +got):\n%s", diff)
			}
		}
	})
}

func TestTheFirstPhaseDoesNotWaitForAServerThatIsBusyLoading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := script(testkit.Reply{Text: "ok", FirstDelay: time.Minute})
		script.Fault = &testkit.Fault{Kind: testkit.FaultHangFirst}
		var first time.Duration
		begin := time.Now()
		req := ask("How?")
		req.OnPhase = func(ollama.Phase) { first = time.Since(begin) }
		if _, err := inBubble(t, testkit.New(script)).Chat(t.Context(), req); err != nil {
			t.Error(err)
		}
		if first == 0 || first > 100*time.Millisecond {
			t.Errorf("the first phase after %s", first)
		}
	})
}

func TestCancelEndsACallAtOnce(t *testing.T) {
	tests := []struct {
		name  string
		reply testkit.Reply
		kept  string
	}{
		{"hung before the first byte", testkit.Reply{Text: "x", Fault: &testkit.Fault{Kind: testkit.FaultHangFirst}}, ""},
		{"hung in mid-stream", testkit.Reply{Text: "x y", Fault: &testkit.Fault{Kind: testkit.FaultHangMid, After: 1}}, "x"},
		{"streaming", testkit.Reply{Chunks: []string{"one ", "two ", "three"}, Delay: 60 * time.Millisecond}, "one two "},
		{"what was held back is kept", testkit.Reply{Chunks: []string{"<th", "ink>x"}, Delay: 100 * time.Millisecond}, "<th"},
		{"busy", testkit.Reply{Text: "x", Fault: &testkit.Fault{Kind: testkit.FaultStatus, Status: 503, RetryAfter: 20 * time.Second}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := inBubble(t, testkit.New(script(tt.reply)))
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(150*time.Millisecond, cancel)
				begin := time.Now()
				got, err := c.Chat(ctx, ask("How?"))
				if took := time.Since(begin); !errors.Is(err, ollama.ErrCancelled) || took != 150*time.Millisecond {
					t.Errorf("%v after %s", err, took)
				}
				if got.Content != tt.kept {
					t.Errorf("kept %q, want %q", got.Content, tt.kept)
				}
			})
		})
	}
}

func TestCancelWhileWaitingForAPermit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := inBubble(t, testkit.New(script(testkit.Reply{Text: "x", FirstDelay: time.Minute})))
		done := make(chan error)
		go func() {
			_, err := c.Chat(t.Context(), ask("first"))
			done <- err
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Chat(ctx, ask("second")); !errors.Is(err, ollama.ErrTimeout) {
			t.Errorf("beyond the caller's deadline: %v", err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		if _, err := c.Chat(t.Context(), ask("third")); err != nil {
			t.Errorf("after the permit was given back: %v", err)
		}
	})
}

// If the server doesn't return its list, the first caller waits; the others can be
// stopped.
func TestStopWhileAnotherCallWaitsForTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := script(testkit.Reply{Text: "ok"})
		script.Fault = &testkit.Fault{Kind: testkit.FaultHangFirst}
		catalog := ollama.NewCatalog(inBubble(t, testkit.New(script)), 0)
		first := make(chan error)
		go func() {
			_, err := catalog.Models(t.Context())
			first <- err
		}()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		begin := time.Now()
		_, err := catalog.NumCtx(ctx, qwen.Name)
		if took := time.Since(begin); !errors.Is(err, ollama.ErrCancelled) || took != time.Second {
			t.Errorf("%v after %s", err, took)
		}
		if err := <-first; !errors.Is(err, ollama.ErrTimeout) {
			t.Errorf("the first: %v", err)
		}
	})
}

func TestABusyServerIsRetried(t *testing.T) {
	tests := []struct {
		name  string
		fault testkit.Fault
		err   error
		waits []time.Duration
	}{
		{"always busy: doubled waits", testkit.Fault{Status: 503}, ollama.ErrBusy, []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second}},
		{"busy once", testkit.Fault{Status: 503, Times: 1}, nil, []time.Duration{500 * time.Millisecond}},
		{"with a wish", testkit.Fault{Status: 503, Times: 2, RetryAfter: 7 * time.Second}, nil, []time.Duration{7 * time.Second, 7 * time.Second}},
		{"a wish beyond patience", testkit.Fault{Status: 503, Times: 1, RetryAfter: time.Hour}, nil, []time.Duration{30 * time.Second}},
		{"too many requests", testkit.Fault{Status: 429, Times: 1}, nil, []time.Duration{500 * time.Millisecond}},
		{"an error is no reason", testkit.Fault{Status: 500}, ollama.ErrServer, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.fault.Kind = testkit.FaultStatus
				s := testkit.New(script(testkit.Reply{Text: "ok", Fault: &tt.fault}))
				queued := 0
				req := ask("How?")
				req.OnPhase = func(p ollama.Phase) {
					if p == ollama.PhaseQueued {
						queued++
					}
				}
				if _, err := inBubble(t, s).Chat(t.Context(), req); !errors.Is(err, tt.err) {
					t.Errorf("got %v, want %v", err, tt.err)
				}
				var waits []time.Duration
				chats := s.Chats()
				for i := 1; i < len(chats); i++ {
					waits = append(waits, chats[i].Time.Sub(chats[i-1].Time))
				}
				if diff := cmp.Diff(tt.waits, waits); diff != "" || queued != len(tt.waits) {
					t.Errorf("queued %d times, waits (-want +got):\n%s", queued, diff)
				}
			})
		})
	}
}

func TestPermitsLimitConcurrentCallsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var order []string
		running, most := 0, 0
		s := testkit.New(testkit.Script{Models: []testkit.Model{qwen}, Rules: []testkit.Rule{{
			Func: func(req api.ChatRequest) testkit.Reply {
				mu.Lock()
				order = append(order, testkit.LastUser(req))
				mu.Unlock()
				return testkit.Reply{Text: "one two three", Delay: 20 * time.Millisecond}
			},
		}}})
		c := inBubble(t, s)
		var all sync.WaitGroup
		queued := make(chan struct{}, 4)
		for _, name := range []string{"a", "b", "c"} {
			req := ask(name)
			inside := false
			req.OnPhase = func(p ollama.Phase) {
				if p == ollama.PhaseQueued {
					queued <- struct{}{}
					return
				}
				mu.Lock()
				defer mu.Unlock()
				if !inside {
					inside = true
					running++
					most = max(most, running)
				}
			}
			req.OnChunk = func(ch ollama.Chunk) {
				if strings.Contains(ch.Content, "three") {
					mu.Lock()
					running--
					mu.Unlock()
				}
			}
			all.Go(func() {
				if _, err := c.Chat(t.Context(), req); err != nil {
					t.Error(err)
				}
			})
			time.Sleep(15 * time.Millisecond) // so that they queue in this order
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if _, err := c.Chat(ctx, ask("d")); !errors.Is(err, ollama.ErrTimeout) {
			t.Errorf("waiting beyond the deadline: %v", err)
		}
		all.Wait()
		if diff := cmp.Diff([]string{"a", "b", "c"}, order); diff != "" || most != 1 || len(queued) != 2 {
			t.Errorf("most %d at once, %d queued, order (-want +got):\n%s", most, len(queued), diff)
		}
	})
}
