package recall

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

// victimRoot and victimCache name the folders for the process that is killed.
const victimRoot, victimCache = "RECALL_VICTIM_ROOT", "RECALL_VICTIM_CACHE"

// TestMain runs the victim if asked to: it indexes again and again.
func TestMain(m *testing.M) {
	root := os.Getenv(victimRoot)
	if root == "" {
		os.Exit(m.Run())
	}
	store, err := sessionmem.Open(sessionmem.Config{Root: root})
	if err != nil {
		panic(err)
	}
	x, err := Open(Config{Root: root, CacheDir: os.Getenv(victimCache), Store: store})
	if err != nil {
		panic(err)
	}
	fmt.Println("running")
	for i := 0; ; i++ {
		begin := x.Sync
		if i%3 == 2 {
			begin = x.Rebuild
		}
		if _, err := begin(context.Background()); err != nil {
			panic(err)
		}
	}
}

func TestAKilledProcessLeavesAUsableIndex(t *testing.T) {
	b := newBench(t)
	for i := range 40 {
		b.talk(fmt.Sprintf("cpu-s%d", i), fmt.Sprintf("the otter number %d swims", i), "it swims well", "what about herons?", "they stand in main.go:42")
	}
	r := rand.New(rand.NewPCG(5, 5))
	for round := range 6 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), victimRoot+"="+b.root, victimCache+"="+b.cache)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 7)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.IntN(60)) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		b.say("cpu-s0", transcript.KindUser, fmt.Sprintf("round %d", round))
		x := b.open()
		if _, err := x.Search(t.Context(), Query{Text: "otter", Now: b.now}); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if _, err := x.Sync(t.Context()); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if s, err := x.Status(t.Context()); err != nil || s.Chunks != 161+round {
			t.Fatalf("round %d: %d chunks, %v, want %d", round, s.Chunks, err, 161+round)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
