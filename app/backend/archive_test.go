package backend

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

func TestSessionsAreArchivedOnceADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var after atomic.Int64 // the setting, changed while it runs
		after.Store(int64(30 * 24 * time.Hour))
		var passes []time.Duration
		moved := 0
		var mu sync.Mutex // guards passes and notices
		var running atomic.Bool
		seen := func() ([]time.Duration, int) {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(passes), moved
		}
		a := &archivist{
			archive: func(ctx context.Context, rule sessionmem.ArchiveRule) ([]string, error) {
				if running.Swap(true) {
					t.Error("two passes at once")
				}
				defer running.Store(false)
				if int64(rule.After) != after.Load() {
					t.Errorf("the rule is %v", rule.After)
				}
				mu.Lock()
				passes = append(passes, time.Since(start))
				n := len(passes)
				mu.Unlock()
				switch n {
				case 1:
					return []string{"cpu-a"}, nil
				case 2: // a slow disk
					select {
					case <-time.After(30 * time.Hour):
					case <-ctx.Done():
					}
					return nil, errors.New("one could not be moved")
				}
				return nil, nil
			},
			after:  func() time.Duration { return time.Duration(after.Load()) },
			pinned: func() (func(string) bool, error) { return nil, nil },
			moved:  func([]string) { mu.Lock(); moved++; mu.Unlock() },
			logger: slog.New(slog.DiscardHandler),
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { a.run(ctx); close(done) }()

		time.Sleep(9 * time.Minute)
		if got, _ := seen(); len(got) != 0 {
			t.Error("a pass at the start")
		}
		time.Sleep(100 * time.Hour)
		first := 10 * time.Minute
		want := []time.Duration{first, first + 24*time.Hour, first + 78*time.Hour}
		got, _ := seen()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		after.Store(0)
		time.Sleep(240 * time.Hour)
		if got, moved := seen(); len(got) != len(want) || moved != 1 {
			t.Errorf("%d passes after it was switched off, moved %d times", len(got), moved)
		}
		cancel()
		<-done
	})
}

func TestPinnedSessionsAreNotArchived(t *testing.T) {
	dir := t.TempDir()
	b := open(t, Options{Environ: environ(dir, "OLLAMA_HOST="+server(t).Addr())})
	for _, name := range []string{"cpu-pinned", "cpu-old"} {
		old := transcript.Block{Kind: transcript.KindUser, Time: time.Now().Add(-60 * 24 * time.Hour), Text: "hello"}
		if _, err := b.Store.Append(t.Context(), name, old); err != nil {
			t.Fatal(err)
		}
	}
	archived := func() []string {
		b.house.archivist().pass(t.Context())
		list, err := b.Store.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, info := range list {
			if info.Archived {
				names = append(names, info.Name)
			}
		}
		return names
	}
	marks := filepath.Join(b.Paths.Home, "session", "state.json")
	write(t, marks, "cut of")
	if got := archived(); got != nil {
		t.Errorf("archived while the pins can't be read: %v", got)
	}
	if err := b.Store.State().SetPinned(t.Context(), "cpu-pinned", true); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"cpu-old"}, archived()); diff != "" {
		t.Error(diff)
	}
}

func TestIdleSessionsAreReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		rests := 0
		done := make(chan struct{})
		go func() {
			restIdle(ctx, func(idle time.Duration) int {
				if idle != 30*time.Minute {
					t.Errorf("idle is %v", idle)
				}
				rests++
				return 0
			})
			close(done)
		}()
		time.Sleep(time.Hour + time.Second)
		cancel()
		<-done
		if rests != 6 {
			t.Errorf("%d times within an hour", rests)
		}
	})
}

func TestAPrivateChatIsWrittenNowhere(t *testing.T) {
	for name, settings := range map[string]string{
		"a private chat": "", "session.in_memory_only": "[session]\nin_memory_only = true\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if settings != "" {
				if err := os.MkdirAll(filepath.Join(dir, "data"), 0o700); err != nil {
					t.Fatal(err)
				}
				write(t, filepath.Join(dir, "data", "config.toml"), settings)
			}
			b := open(t, Options{Environ: environ(dir, "OLLAMA_HOST="+server(t).Addr(), "DEBUG="), Watch: true})
			if settings == "" {
				b.Store.SetPrivate("cpu-p")
			}
			for _, text := range []string{"my xyzzy secret", "once more xyzzy"} {
				run := b.Engine.Start(t.Context(), agents.Request{Session: "cpu-p", Text: text})
				if _, err := run.Wait(); err != nil {
					t.Fatal(err)
				}
			}
			window, err := b.Store.Context(t.Context(), "cpu-p")
			if err != nil || len(window.Messages) != 4 {
				t.Fatalf("the chat itself goes on: %+v, %v", window, err)
			}
			edited := agents.Request{Session: "cpu-p", Edit: window.Messages[0].ID, Text: "an edited xyzzy"}
			if _, err := b.Engine.Start(t.Context(), edited).Wait(); err != nil {
				t.Fatal(err)
			}
			if err := b.Store.SetTitle(t.Context(), "cpu-p", "xyzzy"); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Store.Archive(t.Context(), sessionmem.ArchiveRule{After: 1}); err != nil {
				t.Fatal(err)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			files := 0
			err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() {
					return err
				}
				files++
				data, err := os.ReadFile(path)
				if bytes.Contains(data, []byte("xyzzy")) || strings.Contains(path, "xyzzy") || strings.Contains(path, "cpu-p") {
					t.Errorf("%s tells of it", path)
				}
				return err
			})
			if err != nil || files < 3 {
				t.Errorf("%d files read, %v", files, err)
			}
		})
	}
}
