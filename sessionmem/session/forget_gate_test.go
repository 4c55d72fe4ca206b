package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/transcript"
)

// BenchmarkForgotten measures what past forgetting costs: opening a session of 10,000 messages
// unchanged and changed, an append, a list.
func BenchmarkForgotten(b *testing.B) {
	for _, forgot := range []bool{false, true} {
		root, cache := b.TempDir(), b.TempDir()
		longSession(b, root, 10_000)
		open := func() *sessionmem.Store {
			s, err := sessionmem.Open(sessionmem.Config{Root: root, CacheDir: cache})
			must(b, err)
			return s
		}
		if forgot {
			f := forgotten.NewRecord(root, nil)
			for i := range 20 {
				tr, err := f.New(true, false)
				must(b, err)
				tr.AddWords(fmt.Sprint("the quagga sleeps below stone ", i))
				if i%4 == 0 {
					tr.AddSession(fmt.Sprint("cli-gone", i))
				}
				must(b, f.Begin(tr))
				must(b, f.Done(tr.Traces, nil))
			}
		}
		resume := func(b *testing.B) {
			if c, err := open().Context(b.Context(), "cli-a"); err != nil || c.Total != 10_000 {
				b.Fatal(err)
			}
		}
		name := fmt.Sprintf("%v/", forgot)
		b.Run(name+"resume", func(b *testing.B) {
			resume(b)
			for b.Loop() {
				resume(b)
			}
		})
		b.Run(name+"resume a changed file", func(b *testing.B) {
			path := filepath.Join(root, transcript.SessionDir, "session-memory-cli-a-20261121-101502-x.md")
			for b.Loop() {
				b.StopTimer()
				data, err := os.ReadFile(path)
				must(b, err)
				must(b, os.WriteFile(path, data, 0o600))
				b.StartTimer()
				resume(b)
			}
		})
		b.Run(name+"append", func(b *testing.B) {
			s := open()
			mustAppend(b, s, "cli-b", user("warm"))
			text := strings.Repeat("word ", 60)
			for b.Loop() {
				mustAppend(b, s, "cli-b", assistant(text))
			}
		})
		text := writeBlocks(b, user("hello there"), assistant(strings.Repeat("word ", 200)), user("more"), assistant("yes"))
		for i := range 1000 {
			writeFile(b, filepath.Join(root, transcript.SessionDir, fmt.Sprintf("session-memory-cli-s%d-20261121-101502-x.md", i)), text)
		}
		for _, what := range []string{"list, first", "list, again"} {
			b.Run(name+what, func(b *testing.B) {
				s := open()
				for b.Loop() {
					if what == "list, first" {
						b.StopTimer()
						must(b, os.RemoveAll(cache))
						s = open()
						b.StartTimer()
					}
					if l, err := s.List(b.Context()); err != nil || len(l) != 1002 {
						b.Fatal(len(l), err)
					}
				}
			})
		}
	}
}
