package forget

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/recall"
)

// slowEmbedder makes vectors, and takes its time.
type slowEmbedder struct{}

func (slowEmbedder) Model(context.Context) (recall.EmbedModel, error) {
	return recall.EmbedModel{Name: "embed", Digest: "d1", Dims: 4}, nil
}

func (slowEmbedder) Embed(ctx context.Context, _ recall.EmbedModel, _ recall.EmbedAs, texts []string) ([][]float32, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(2 * time.Millisecond):
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = []float32{1, float32(len(text) % 7), float32(len(text) % 5), 1}
	}
	return out, nil
}

// parrot answers turn after turn in a session, as a model does that quotes what its
// prompt holds.
func parrot(ctx context.Context, s *sessionmem.Store, session string) error {
	for turn := 0; ctx.Err() == nil; turn++ {
		lock, err := s.LockTurn(ctx, session, "window", nil)
		if err != nil {
			return fmt.Errorf("turn: %w", err)
		}
		err = parrotTurn(ctx, s, session, turn)
		lock.Unlock()
		if err != nil {
			return err
		}
		time.Sleep(60 * time.Millisecond) // a person reads the answer
	}
	return nil
}

func parrotTurn(ctx context.Context, s *sessionmem.Store, session string, turn int) error {
	asked, err := s.Append(ctx, session, user(fmt.Sprintf("question %d", turn)))
	if err != nil {
		return err
	}
	prompt, err := s.Context(ctx, session)
	if err != nil {
		return err
	}
	says := "nothing new"
	for _, b := range prompt.Messages {
		if strings.Contains(b.Text, "zebra") {
			says = "You said: " + b.Text
		}
	}
	c := s.Checkpoint(ctx, session, sessionmem.Block{Kind: sessionmem.KindAssistant, Parent: asked.ID})
	c.SetText(says)
	time.Sleep(time.Duration(turn%7) * time.Millisecond)
	_, err = c.Commit(ctx, sessionmem.Block{Kind: sessionmem.KindAssistant, Parent: asked.ID, Text: says})
	return err
}

// While turns are answered, files indexed and vectors made, a forgetting leaves no
// residue.
func TestForgettingUnderLoadLeavesNoResidue(t *testing.T) {
	for round := range 2 {
		r := newRig(t)
		store, err := sessionmem.Open(sessionmem.Config{Root: r.root, CacheDir: r.cache})
		must(t, err)
		index, err := recall.Open(recall.Config{
			Root: r.root, CacheDir: r.cache, Store: store, Memory: r.memory, Embedder: slowEmbedder{},
			Settings:  func() recall.Settings { return recall.Settings{TopK: 8, Strategy: recall.Hybrid} },
			Forgotten: func() recall.Tombstones { return store.Forgotten() },
		})
		must(t, err)
		r.say("cpu-a", user(secret))
		for i := range 30 {
			r.say(fmt.Sprintf("cpu-s%d", i), user(secret+fmt.Sprintf(" %d", i)), answer("I see"))
		}
		ctx, stop := context.WithCancel(t.Context())
		var work sync.WaitGroup
		work.Go(func() { index.Run(ctx) })
		work.Go(func() {
			for ctx.Err() == nil {
				if _, err := index.Sync(ctx); err != nil && ctx.Err() == nil {
					t.Errorf("indexing: %v", err)
					return
				}
			}
		})
		for _, name := range []string{"cpu-a", "cpu-s3"} {
			work.Go(func() {
				if err := parrot(ctx, store, name); err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		time.Sleep(time.Duration(20+30*round) * time.Millisecond)
		report, err := r.f.Do(t.Context(), r.plan(Selection{Text: "blue zebra sleeps"}))
		must(t, err)
		if report.Left() > 0 { // a turn held it all the time: it is tried again
			report, err = r.f.Resume(t.Context())
			must(t, err)
		}
		time.Sleep(30 * time.Millisecond)
		stop()
		work.Wait()
		if report.Left() > 0 {
			t.Errorf("left: %+v", report)
		}
		r.clean("zebra")
		must(t, errors.Join(index.Close(), store.Close()))
		r.clean("zebra")
	}
}

// childFolder names the data folder that a child process forgets in.
const childFolder = "MAC_STATS_FORGET_TEST"

// TestForgetChild is the process that is killed; by itself it only says that it is not
// asked for.
func TestForgetChild(t *testing.T) {
	root := os.Getenv(childFolder)
	if root == "" {
		t.Log("this is only run as a process of another test")
		return
	}
	r := &rig{t: t, root: filepath.Join(root, "data"), cache: filepath.Join(root, "cache")}
	r.open()
	p := r.plan(Selection{Text: "blue zebra sleeps"})
	must(t, os.WriteFile(filepath.Join(root, "planned"), nil, 0o600))
	must(t, second(r.f.Do(t.Context(), p)))
}

func TestAKilledForgettingIsFinishedByTheNextStart(t *testing.T) {
	for round := range 6 {
		root := t.TempDir()
		r := &rig{t: t, root: filepath.Join(root, "data"), cache: filepath.Join(root, "cache")}
		must(t, os.MkdirAll(r.cache, 0o700))
		r.open()
		r.aDay()
		for i := range 40 {
			r.say(fmt.Sprintf("cpu-s%d", i), user(fmt.Sprintf("%s %d", secret, i)), answer("I see, "+secret))
		}
		must(t, second(r.index.Sync(t.Context())))
		child := exec.Command(os.Args[0], "-test.run=^TestForgetChild$")
		child.Env = append(os.Environ(), childFolder+"="+root)
		must(t, child.Start())
		for {
			if _, err := os.Stat(filepath.Join(root, "planned")); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(round*round*4) * time.Millisecond)
		_ = child.Process.Kill() // it may have ended
		_ = child.Wait()
		begun := len(r.store.Forgotten().Unfinished())
		t.Logf("killed with %d files left, %d forgettings unfinished", len(r.residue("zebra")), begun)
		r.open()
		must(t, second(r.f.Resume(t.Context())))
		if r.store.Forgotten().Last().IsZero() { // it was killed before it began: nothing is changed
			r.forget(Selection{Text: "blue zebra sleeps"})
		}
		r.clean(secretWords...)
	}
}
