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
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/lesson"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// slowEmbedder makes vectors slowly.
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

// The work under way has an end, so that on a busy machine a forgetting doesn't run after files
// that grow faster than it reads them.
const (
	turns     = 20
	summaries = 40
	learnings = 4
)

// parrot answers turn after turn in a session, like a model that quotes what its prompt
// holds.
func parrot(ctx context.Context, s *sessionmem.Store, session string) error {
	for turn := range turns {
		lock, err := s.Session(session).LockTurn(ctx, "window", nil)
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
	reply := "nothing new"
	for _, b := range prompt.Messages {
		if strings.Contains(b.Text, "zebra") {
			reply = "You said: " + b.Text
		}
	}
	c := s.Session(session).Checkpoint(ctx, transcript.Block{Kind: transcript.KindAssistant, Parent: asked.ID})
	c.SetText(reply)
	time.Sleep(time.Duration(turn%7) * time.Millisecond)
	_, err = c.Commit(ctx, transcript.Block{Kind: transcript.KindAssistant, Parent: asked.ID, Text: reply})
	return err
}

// retelling summarises like a model that repeats its input, and learns the same from it.
type retelling struct{}

func (retelling) Summarize(ctx context.Context, _ string, previous *transcript.Block, messages []transcript.Block) (compact.Digest, error) {
	text := "They said:"
	if previous != nil {
		text += " " + previous.Text
	}
	for _, m := range messages {
		text += "\n\n" + m.Text
	}
	select {
	case <-ctx.Done():
		return compact.Digest{}, ctx.Err()
	case <-time.After(4 * time.Millisecond):
	}
	return compact.Digest{Context: text, By: "small:1b", Lessons: []memory.Lesson{{Text: "It matters that " + messages[0].Text, Confidence: 1}}}, nil
}

// summarising summarises a session again and again, and makes what a forgetting cut again.
func summarising(ctx context.Context, c *compact.Compaction, name string) error {
	for range summaries {
		time.Sleep(3 * time.Millisecond)
		snap, _, err := c.Snapshot(ctx, name, "")
		if err == nil && len(snap.Messages) > 2 {
			_, err = c.Compact(ctx, snap, 2)
		}
		if err == nil {
			_, err = c.Renew(ctx, name)
		}
		switch {
		case err == nil, errors.Is(err, session.ErrStale), errors.Is(err, compact.ErrBusy), errors.Is(err, session.ErrNothing):
		default:
			return err
		}
	}
	return nil
}

// learning writes lessons from what it read earlier, as work in the background does.
func learning(ctx context.Context, s *sessionmem.Store, m *memory.Memory, session string) error {
	for n := range learnings {
		c, err := s.Context(ctx, session)
		if err != nil {
			return err
		}
		for _, b := range c.Messages {
			time.Sleep(time.Millisecond)
			_, err := m.Append(ctx, memory.Lesson{Text: fmt.Sprintf("Number %d: %.200s", n, b.Text), Confidence: 1, Session: session})
			if err != nil && !errors.Is(err, memory.ErrDuplicate) && !errors.Is(err, lesson.ErrRejected) && ctx.Err() == nil {
				return err
			}
			if n%3 == 0 {
				_, err = m.Propose(ctx, memory.Proposal{Text: fmt.Sprintf("Perhaps %d: %.200s", n, b.Text), Session: session})
				if err != nil && !errors.Is(err, memory.ErrDuplicate) && !errors.Is(err, lesson.ErrRejected) && ctx.Err() == nil {
					return err
				}
			}
		}
	}
	return nil
}

// load is everything that may be under way in another process while something is forgotten.
type load struct {
	r      *rig
	store  *sessionmem.Store
	index  *recall.Index
	writes sync.WaitGroup
	reads  sync.WaitGroup
	stop   context.CancelFunc
}

func (r *rig) underLoad() *load {
	r.t.Helper()
	store, err := sessionmem.Open(sessionmem.Config{Root: r.root, CacheDir: r.cache})
	must(r.t, err)
	index, err := recall.Open(recall.Config{
		Root: r.root, CacheDir: r.cache, Store: store, Memory: r.memory, Embedder: slowEmbedder{},
		Settings:  func() recall.Settings { return recall.Settings{TopK: 8, Strategy: recall.Hybrid} },
		Forgotten: func() corpus.Tombstones { return store.Forgotten() },
	})
	must(r.t, err)
	memory := memory.New(memory.Config{Root: r.root})
	compaction := compact.New(compact.Config{
		Store: store, Summarizer: retelling{}, Policy: func() compact.Policy { return compact.Policy{} },
		Lessons: compact.MemoryLessons{Memory: memory, Store: store, Write: func() string { return "auto" }},
	})
	l := &load{r: r, store: store, index: index}
	ctx, stop := context.WithCancel(r.t.Context())
	l.stop = stop
	l.reads.Go(func() { index.Run(ctx) })
	l.reads.Go(func() {
		for ctx.Err() == nil {
			if _, err := index.Sync(ctx); err != nil && ctx.Err() == nil {
				r.t.Errorf("indexing: %v", err)
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
	for _, name := range []string{"cpu-a", "cpu-s3"} {
		l.begin(ctx, "a turn in "+name, func() error { return parrot(ctx, store, name) })
	}
	l.begin(ctx, "a compaction", func() error { return summarising(ctx, compaction, "cpu-a") })
	l.begin(ctx, "lessons", func() error { return learning(ctx, store, memory, "cpu-s4") })
	return l
}

func (l *load) begin(ctx context.Context, what string, work func() error) {
	l.writes.Go(func() {
		if err := work(); err != nil && ctx.Err() == nil {
			l.r.t.Errorf("%s: %v", what, err)
		}
	})
}

// end stops what reads and closes what it had open.
func (l *load) end() {
	l.stop()
	l.reads.Wait()
	must(l.r.t, errors.Join(l.index.Close(), l.store.Close()))
}

// A forgetting leaves no residue while turns are answered, sessions summarised, lessons
// learned, files indexed and vectors made.
func TestForgettingUnderLoadLeavesNoResidue(t *testing.T) {
	for round, s := range []Selection{{Text: "blue zebra sleeps"}, {Since: time.Now().Add(-time.Hour), Copies: true, Lessons: true}} {
		r := newRig(t)
		r.say("cpu-a", user(secret), answer("I see."), user(secret+" still"), answer("So it does."))
		for i := range 30 {
			r.say(fmt.Sprintf("cpu-s%d", i), user(secret+fmt.Sprintf(" %d", i)), answer("I see"))
		}
		l := r.underLoad()
		time.Sleep(time.Duration(20+30*round) * time.Millisecond)
		report, err := r.f.Do(t.Context(), r.plan(s))
		must(t, err)
		l.writes.Wait()
		if report.Left() > 0 { // a turn held it all the time: the app tries again
			report, err = r.f.Resume(t.Context())
			must(t, err)
		}
		l.end()
		if report.Left() > 0 {
			t.Errorf("left: %+v", report)
		}
		r.clean("zebra")
	}
}

// childFolder names the data folder in which a child process forgets.
const childFolder = "MAC_STATS_FORGET_TEST"

// TestForgetChild is the process that is killed. Run by itself, it is skipped.
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
	rounds := 6
	if testing.Short() {
		rounds = 3
	}
	for round := range rounds {
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
		if r.store.Forgotten().Last().IsZero() { // it was killed before it began: nothing has changed
			r.forget(Selection{Text: "blue zebra sleeps"})
		}
		r.clean(secretWords...)
	}
}
