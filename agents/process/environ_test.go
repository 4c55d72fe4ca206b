package process

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A program gets no key or password of the app's environment.
func TestEnviron(t *testing.T) {
	got := Environ([]string{"PATH=/bin", "HOME=/home/me", "LC_TIME=C", "Path=/x", "OPENAI_API_KEY=secret", "LD_PRELOAD=x", "PATHOLOGY=1", "="}, "MORE=1")
	if diff := cmp.Diff([]string{"PATH=/bin", "HOME=/home/me", "LC_TIME=C", "Path=/x", "MORE=1"}, got); diff != "" {
		t.Error(diff)
	}
}

// A program that isn't there is an error of Start, and a killed one ends.
func TestStartAndKill(t *testing.T) {
	if flag.Arg(0) == "sleep" { // the program that is killed
		time.Sleep(time.Hour)
	}
	if _, err := Start(exec.CommandContext(t.Context(), "/no/such/program"), Usual()); err == nil {
		t.Error("started nothing")
	}
	ctx, stop := context.WithCancel(t.Context())
	p, err := Start(exec.CommandContext(ctx, os.Args[0], "-test.run=^TestStartAndKill$", "sleep"), Usual())
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(10*time.Millisecond, stop)
	if err := p.Cmd.Wait(); err == nil {
		t.Error("it wasn't killed")
	}
	p.Kill() // again
}
