//go:build unix

package compact

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// slowlyVariable names the data folder in which the test binary, running itself, compacts slowly.
const slowlyVariable = "COMPACT_TEST_SLOWLY"

func TestMain(m *testing.M) {
	root := os.Getenv(slowlyVariable)
	if root == "" {
		os.Exit(m.Run())
	}
	if err := compactSlowly(context.Background(), root); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// compactSlowly runs a process whose model never answers.
func compactSlowly(ctx context.Context, root string) error {
	s, err := sessionmem.Open(sessionmem.Config{Root: root})
	if err != nil {
		return err
	}
	c := New(Config{
		Store: s, Policy: func() Policy { return Policy{} },
		Lessons: MemoryLessons{Memory: memory.New(memory.Config{Root: root}), Store: s, Write: func() string { return "auto" }},
		Summarizer: summarizeFunc(func(ctx context.Context, _ *transcript.Block, _ []transcript.Block) (Digest, error) {
			fmt.Println("asked")
			buf := make([]byte, 1)
			_, err := os.Stdin.Read(buf) // until it is killed
			return Digest{}, errors.Join(err, ctx.Err())
		}),
	})
	snap, p, err := c.Snapshot(ctx, "cli-a", "")
	if err != nil {
		return err
	}
	_, err = c.Compact(ctx, snap, p.KeepRecent)
	return err
}

func TestTwoProcessesNeverCompactOneSession(t *testing.T) {
	t.Parallel()
	r := newCompactRig(t, told("So far.", memory.Lesson{Text: "The user drinks tea.", Confidence: 1, Target: global}))
	r.addMessages("cli-a", 0, 8)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), slowlyVariable+"="+r.root)
	_, err := cmd.StdinPipe()
	must(t, err)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	out := bufio.NewScanner(stdout)
	if !out.Scan() || out.Text() != "asked" {
		t.Fatalf("the other process said %q", out.Text())
	}
	if _, err := r.compact("cli-a"); !errors.Is(err, ErrBusy) {
		t.Errorf("meanwhile: %v", err)
	}
	if err := r.c.Pass(t.Context()); err != nil || len(r.done) != 0 {
		t.Errorf("a pass meanwhile: %v, %+v", err, r.done)
	}
	r.addMessages("cli-a", 8, 10) // others may write to it
	must(t, cmd.Process.Kill())
	_ = cmd.Wait() // returns "killed"
	done, err := r.compact("cli-a")
	if err != nil || done.Messages != 6 || done.Lessons.Remembered() != 1 {
		t.Errorf("after it died: %+v, %v", done, err)
	}
}
