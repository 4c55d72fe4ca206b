package session_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

func TestAppendAfterAnEditorsSave(t *testing.T) {
	for name, save := range editorSaves {
		t.Run("given a save "+name+", then the edit stays and the append follows it", func(t *testing.T) {
			root := t.TempDir()
			s := openStore(t, root)
			mustAppend(t, s, "cli-a", user("one"))
			mustAppend(t, s, "cli-a", user("two"))
			path := onlyFile(t, root)
			save(t, path, strings.Replace(readFile(t, path), "two", "zwei", 1))
			mustAppend(t, s, "cli-a", user("three"))
			if diff := cmp.Diff([]string{"one", "zwei", "three"}, texts(t, s, "cli-a")); diff != "" {
				t.Error(diff)
			}
			storetest.SameAfterRestart(t, s, root, "cli-a")
		})
		t.Run("given a late save "+name+" in a turn, then what it dropped of the turn stands again, once", func(t *testing.T) {
			root := t.TempDir()
			s := openStore(t, root)
			mustAppend(t, s, "cli-a", user("one"))
			turn, err := s.Session("cli-a").LockTurn(t.Context(), "test", nil)
			must(t, err)
			defer turn.Unlock()
			path := onlyFile(t, root)
			stale := readFile(t, path)
			mustAppend(t, s, "cli-a", user("two"))
			mustAppend(t, s, "cli-a", assistant("three"))
			save(t, path, strings.Replace(stale, "\none\n", "\neins\n", 1))
			mustAppend(t, s, "cli-a", user("four"))
			if diff := cmp.Diff([]string{"eins", "two", "three", "four"}, texts(t, s, "cli-a")); diff != "" {
				t.Fatal(diff)
			}
			if n := strings.Count(readFile(t, path), "note=restored"); n != 1 {
				t.Errorf("%d notes", n)
			}
			storetest.SameAfterRestart(t, s, root, "cli-a")

			save(t, path, stale) // now the user wants it
			mustAppend(t, s, "cli-a", user("five"))
			if diff := cmp.Diff([]string{"one", "four", "five"}, texts(t, s, "cli-a")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAppendKeepsTheUsersDeletions(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	for _, text := range []string{"one", "two", "three"} {
		mustAppend(t, s, "cli-a", user(text))
	}
	path := onlyFile(t, root)
	blocks := strings.Split(readFile(t, path), "\n## ")
	edited := blocks[0] + "\n## " + blocks[1] + "\n## " + blocks[3]
	writeFile(t, path, edited)
	mustAppend(t, s, "cli-a", user("four"))
	if diff := cmp.Diff([]string{"one", "three", "four"}, texts(t, s, "cli-a")); diff != "" {
		t.Error(diff)
	}
	writeFile(t, path, edited) // the last one too
	mustAppend(t, s, "cli-a", user("five"))
	if diff := cmp.Diff([]string{"one", "three", "five"}, texts(t, s, "cli-a")); diff != "" {
		t.Error(diff)
	}
}

func TestAppendSeesWhatOthersAppended(t *testing.T) {
	root := t.TempDir()
	s, other := openStore(t, root), openStore(t, root)
	mustAppend(t, s, "cli-a", user("one"))
	mustAppend(t, other, "cli-a", user("two"))
	mustAppend(t, s, "cli-a", user("three"))
	if diff := cmp.Diff([]string{"one", "two", "three"}, texts(t, s, "cli-a")); diff != "" {
		t.Error(diff)
	}
	storetest.SameAfterRestart(t, s, root, "cli-a")
	onlyFile(t, root)
}

func TestAppendAfterEditedEndings(t *testing.T) {
	for _, tc := range []struct {
		name, end string
		want      []string
	}{
		{"given a file cut off in a heading, then the next block begins on a fresh line", "\n## Assis", []string{"one\n\n## Assis", "next"}},
		{"given a file cut off in a comment", "\n## User · " + stampText + "\n<!-- id=ab task=\"c", []string{"one", "<!-- id=ab task=\"c", "next"}},
		{"given a file cut off in a text", "\n## User · " + stampText + "\n<!-- id=ab -->\n\nhal", []string{"one", "hal", "next"}},
		{"given words added to the last block by hand", "more", []string{"one\nmore", "next"}},
		{"given a block added by hand", "\n## User · " + stampText + "\n\nmine\n", []string{"one", "mine", "next"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := t.TempDir()
			s := openStore(t, root)
			mustAppend(t, s, "cli-a", user("one"))
			path := onlyFile(t, root)
			writeFile(t, path, readFile(t, path)+tc.end)
			mustAppend(t, s, "cli-a", user("next"))
			if diff := cmp.Diff(tc.want, texts(t, s, "cli-a")); diff != "" {
				t.Error(diff)
			}
			storetest.SameAfterRestart(t, s, root, "cli-a")
		})
	}
}

func TestAppendToARenamedOrDeletedFile(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cli-a", user("one"))
	path := onlyFile(t, root)
	renamed := filepath.Join(filepath.Dir(path), strings.Replace(filepath.Base(path), "-one.md", "-other-topic.md", 1))
	must(t, os.Rename(path, renamed))
	mustAppend(t, s, "cli-a", user("two"))
	if got := onlyFile(t, root); got != renamed {
		t.Errorf("written to %s", got)
	}
	must(t, os.Remove(renamed))
	mustAppend(t, s, "cli-a", user("three"))
	if diff := cmp.Diff([]string{"three"}, texts(t, s, "cli-a")); diff != "" {
		t.Errorf("a deleted transcript came back: %s", diff)
	}
}

func TestAppendErrorsSayWhatToDo(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cli-a", user("one"))
	dir := filepath.Join(root, transcript.SessionDir)
	must(t, os.Rename(filepath.Join(dir, transcript.LocksDir), filepath.Join(dir, "gone")))
	writeFile(t, filepath.Join(dir, transcript.LocksDir), "a file")
	_, err := s.Append(t.Context(), "cli-a", user("two"))
	if err == nil || !strings.Contains(err.Error(), "move it away") {
		t.Errorf("error without a next step: %v", err)
	}
	if diff := cmp.Diff([]string{"one"}, texts(t, s, "cli-a")); diff != "" {
		t.Errorf("reading needs no lock: %s", diff)
	}
}

func TestTurnLockAcrossGoroutines(t *testing.T) {
	for _, name := range []string{"on disk", "in memory"} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t, t.TempDir())
			if name == "in memory" {
				s.SetPrivate("cli-a")
			}
			l, err := s.Session("cli-a").LockTurn(t.Context(), "window", func(session.Holder) { t.Error("waited for nobody") })
			must(t, err)
			told := make(chan session.Holder, 2)
			got := make(chan error, 1)
			go func() {
				l, err := s.Session("cli-a").LockTurn(t.Context(), "command line", func(h session.Holder) { told <- h })
				if err == nil {
					l.Unlock()
					l.Unlock()
				}
				got <- err
			}()
			if h := <-told; h.Who != "window" || h.PID != os.Getpid() {
				t.Errorf("told %+v", h)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := s.Session("cli-a").LockTurn(ctx, "third", nil); !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled waiting: %v", err)
			}
			select {
			case err := <-got:
				t.Fatalf("did not wait: %v", err)
			case <-time.After(20 * time.Millisecond):
			}
			l.Unlock()
			must(t, <-got)
		})
	}
}

func TestCheckpointIsWrittenEveryTwoSecondsAtMost(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	synctest.Test(t, func(t *testing.T) {
		c := s.Session("cli-a").Checkpoint(t.Context(), assistant(""))
		var seen []string
		last := ""
		for i := range 50 { // 5 seconds
			c.SetText(fmt.Sprint("text ", i))
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
			files, err := filepath.Glob(filepath.Join(root, transcript.SessionDir, transcript.PartialDir, "*.md"))
			must(t, err)
			if len(files) == 1 {
				if text := parse(t, readFile(t, files[0])).Blocks[0].Text; text != last {
					seen, last = append(seen, text), text
				}
			}
		}
		if diff := cmp.Diff([]string{"text 0", "text 19", "text 39"}, seen); diff != "" {
			t.Error(diff)
		}
		c.Discard()
		c.SetText("late")
		time.Sleep(3 * time.Second)
	})
	if files, err := os.ReadDir(filepath.Join(root, transcript.SessionDir, transcript.PartialDir)); err != nil || len(files) != 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

func TestOrphanedCheckpointIsAppendedOnce(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	u := mustAppend(t, s, "cli-a", user("q"))
	c := s.Session("cli-a").Checkpoint(t.Context(), transcript.Block{Kind: transcript.KindAssistant, Parent: u.ID})
	c.SetText("half an answ")
	partial := filetest.Await(t, filepath.Join(root, transcript.SessionDir, transcript.PartialDir, "*.md"))
	saved := readFile(t, partial)
	writeFile(t, partial+".tmp", saved[:len(saved)/2]) // died while writing the next one
	for range 2 {                                      // the second time as if the process had died between append and remove
		writeFile(t, partial, saved)
		l, err := s.Session("cli-a").LockTurn(t.Context(), "test", nil)
		must(t, err)
		l.Unlock()
		if _, err := os.Stat(partial); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the checkpoint stays: %v", err)
		}
	}
	if _, err := os.Stat(partial + ".tmp"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("half a checkpoint stays: %v", err)
	}
	if diff := cmp.Diff([]string{"q", "half an answ"}, texts(t, s, "cli-a")); diff != "" {
		t.Error(diff)
	}
	if n := strings.Count(readFile(t, onlyFile(t, root)), "note=interrupted"); n != 1 {
		t.Errorf("%d notes", n)
	}
}

func TestFailedCommitKeepsTheTextAndCanBeRepeated(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cli-a", user("q"))
	c := s.Session("cli-a").Checkpoint(t.Context(), assistant(""))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Commit(ctx, assistant("the answer")); err == nil {
		t.Fatal("committed although cancelled")
	}
	partial := filetest.Await(t, filepath.Join(root, transcript.SessionDir, transcript.PartialDir, "*.md"))
	if !strings.Contains(readFile(t, partial), "the answer") {
		t.Error("the text is nowhere")
	}
	_, err := c.Commit(t.Context(), assistant("the answer"))
	must(t, err)
	if diff := cmp.Diff([]string{"q", "the answer"}, texts(t, s, "cli-a")); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(partial); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the checkpoint stays: %v", err)
	}
}

// BenchmarkAppend measures one acknowledged append. In a session of 10,000 messages it may
// take 1.5 times as long as in one of 10.
func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		b.Run(fmt.Sprintf("to %d messages", n), func(b *testing.B) {
			root := b.TempDir()
			longSession(b, root, n)
			s := openStore(b, root)
			mustAppend(b, s, "cli-a", user("warm"))
			text := strings.Repeat("word ", 60)
			for b.Loop() {
				mustAppend(b, s, "cli-a", assistant(text))
			}
		})
	}
}

// longSession writes a session of n messages at once.
func longSession(b *testing.B, root string, n int) {
	b.Helper()
	blocks := make([]transcript.Block, n)
	for i := range blocks {
		blocks[i] = transcript.Block{ID: fmt.Sprint("b", i), Kind: transcript.KindUser, Time: stamp, Text: strings.Repeat("word ", 60)}
		if i%2 == 1 {
			blocks[i].Kind, blocks[i].Agent, blocks[i].Model = transcript.KindAssistant, "orchestrator", "qwen3:8b"
		}
	}
	writeFile(b, filepath.Join(root, transcript.SessionDir, "session-memory-cli-a-20261121-101502-x.md"), writeBlocks(b, blocks...))
}

func BenchmarkLoad10000(b *testing.B) {
	root := b.TempDir()
	longSession(b, root, 10_000)
	s := openStore(b, root)
	for b.Loop() {
		if tr, err := s.Load(b.Context(), "cli-a"); err != nil || len(tr.Blocks) != 10_000 {
			b.Fatal(err)
		}
	}
}

// BenchmarkResume10000 is the first Context of a process; the later ones are below.
func BenchmarkResume10000(b *testing.B) {
	root := b.TempDir()
	longSession(b, root, 10_000)
	for b.Loop() {
		s := openStore(b, root)
		if c, err := s.Context(b.Context(), "cli-a"); err != nil || c.Total != 10_000 {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms")
	b.ReportMetric(50, "ms-promised")
}

func BenchmarkContextOfARunningSession(b *testing.B) {
	root := b.TempDir()
	longSession(b, root, 10_000)
	s := openStore(b, root)
	for b.Loop() {
		if c, err := s.Context(b.Context(), "cli-a"); err != nil || c.Total != 10_000 {
			b.Fatal(err)
		}
	}
}

func BenchmarkList(b *testing.B) {
	root := b.TempDir()
	text := writeBlocks(b, user("hello there"), assistant(strings.Repeat("word ", 200)), user("more"), assistant("yes"))
	for i := range 1000 {
		writeFile(b, filepath.Join(root, transcript.SessionDir, fmt.Sprintf("session-memory-cli-s%d-20261121-101502-x.md", i)), text)
	}
	b.Run("1000 files, first", func(b *testing.B) {
		for b.Loop() {
			if l, err := openStore(b, root).List(b.Context()); err != nil || len(l) != 1000 {
				b.Fatal(err)
			}
		}
	})
	b.Run("1000 files, again", func(b *testing.B) {
		s := openStore(b, root)
		for b.Loop() {
			if l, err := s.List(b.Context()); err != nil || len(l) != 1000 {
				b.Fatal(err)
			}
		}
	})
}

// What somebody said on Discord is in no name of a file and in no front matter, so that neither
// tells of it after they deleted it there.
func TestWhatIsSaidOnDiscordNamesNoFile(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	said := user("My secret plan")
	said.ID = "m1"
	mustAppend(t, s, "discord-4711", said)
	mustAppend(t, s, "discord-4711", transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteDeleted, Parent: "m1"})
	mustAppend(t, s, "discord-4711", user("What is for dinner?"))
	path := onlyFile(t, root)
	front, _, _ := strings.Cut(readFile(t, path), "\n## ")
	if strings.Contains(filepath.Base(path), "secret") || strings.Contains(front, "secret") || strings.Contains(front, "title") {
		t.Errorf("%s begins with %q", path, front)
	}
	list, err := s.List(t.Context())
	if err != nil || len(list) != 1 || list[0].Title != "What is for dinner?" {
		t.Errorf("%+v, %v", list, err)
	}
	storetest.SameAfterRestart(t, s, root, "discord-4711")
}
