package prompt

import (
	"strings"
	"testing"

	"github.com/ollama/ollama/api"
)

func TestContextLinesAreRemovedFromAnAnswer(t *testing.T) {
	line := Context("it is Mon 2026-11-23 00:12 +00:00 · CPU 13 %")
	asked := []api.Message{{Role: "user", Content: "Why is it so loud?\n\n" + line}}
	for answer, want := range map[string]string{
		"It is the fan.":                    "It is the fan.",
		line + "\nIt is the fan.":           "\nIt is the fan.",
		"The fan. " + line:                  "The fan. ",
		"a" + line + "b" + line + "c":       "abc",
		"Cut: [Context, not from the user:": "Cut: [Context, not from the user:",
		line[:len(line)-1] + "\nThe fan.":   "\nThe fan.",
		"[Context] and [[Context, not me]":  "[Context] and [[Context, not me]",
		strings.Repeat("[", 40) + "done":    strings.Repeat("[", 40) + "done",
	} {
		for size := 1; size <= len(answer); size++ {
			e, got := NewEcho(asked), ""
			for at := 0; at < len(answer); at += size {
				got += e.Write(answer[at:min(at+size, len(answer))])
			}
			if got += e.Finish(); got != want {
				t.Fatalf("%q in pieces of %d gives %q, want %q", answer, size, got, want)
			}
		}
	}
	if e := NewEcho([]api.Message{{Role: "user", Content: "What does " + line + " mean?"}}); e.Write(line)+e.Finish() != line {
		t.Error("an answer about such a line lost it")
	}
}
