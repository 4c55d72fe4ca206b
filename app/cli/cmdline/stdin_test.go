package cmdline_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"mac-stats/agents/testkit"
	"mac-stats/app/cli"
	"mac-stats/app/cli/clitest"
)

func TestAskReadsStdin(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, stdin string
		piped       bool
		args        []string
		want        string // "" means an error
	}{
		{"beside text stdin is a file", "diff --git\n+x\n", true, []string{"ask", "review this", "-"}, ">>>\nFile: stdin\n\ndiff --git\n+x\n<<<end "},
		{"a - alone is stdin", "what is up?\n", true, []string{"ask", "-"}, "what is up?"},
		{"piped and no text", "what is up?\n", true, []string{"ask"}, "what is up?"},
		{"text without - leaves stdin alone", "not read", true, []string{"ask", "hello"}, "hello"},
		{"flags may stand behind", "", false, []string{"ask", "hello", "--no-tools"}, "hello"},
		{"nothing on stdin", "\n", true, []string{"ask", "-"}, ""},
		{"no text at all", "", false, []string{"ask"}, ""},
		{"a binary file", "\xff\xfe\x00", true, []string{"ask", "-"}, ""},
		{"too much", strings.Repeat("x", 8<<20+1), true, []string{"ask", "-"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := clitest.New(t, clitest.Answering("ok"))
			e.Piped = tt.piped
			o := e.RunWith(t.Context(), tt.stdin, tt.args...)
			if tt.want == "" {
				if o.Code == clitest.Done || len(e.Server.Chats()) > 0 || !clitest.OneLineOn(o.Stderr, "mac-stats: ") {
					t.Errorf("accepted: %+v", o)
				}
				return
			}
			if o.Code != clitest.Done || len(e.Server.Chats()) != 1 {
				t.Fatalf("got %+v", o)
			}
			if got := testkit.LastUser(*e.Server.Chats()[0].Chat); !strings.Contains(got, tt.want) || strings.Contains(got, "not read") {
				t.Errorf("the model was asked %q", got)
			}
		})
	}
}

func TestCtrlCWhileReadingStdin(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("x"))
	ctx, cancel := context.WithCancel(t.Context())
	read, write := io.Pipe()
	defer write.Close()
	p := e.Params("", io.Discard, io.Discard)
	p.Stdin = read
	time.AfterFunc(50*time.Millisecond, cancel)
	if code := cli.Run(ctx, p, []string{"ask", "-"}); code != clitest.Interrupted {
		t.Errorf("exit %d", code)
	}
}

func TestNothingPipedInIsRefused(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("ok"))
	e.Piped = true
	for _, args := range [][]string{{"ask", "review this", "-"}, {"memory", "add", "Something", "-"}} {
		if o := e.RunWith(t.Context(), "", args...); o.Code != clitest.WrongUsage || !strings.Contains(o.Stderr, "Stdin was empty") || len(e.Server.Chats()) > 0 {
			t.Errorf("%q: %+v", args, o)
		}
	}
}
