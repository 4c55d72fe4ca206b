package index_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mac-stats/sessionmem/recall/index"
)

// residue returns which of the words are left in which files of an index.
func residue(t *testing.T, path string, words []string) (left []string) {
	t.Helper()
	for _, end := range []string{"", "-wal", "-shm", "-journal"} {
		data, err := os.ReadFile(path + end)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		for _, w := range words {
			if bytes.Contains(data, []byte(w)) {
				left = append(left, w+" in "+filepath.Base(path)+end)
			}
		}
	}
	return left
}

// secret returns words that occur nowhere else, in the form in which the index keeps them.
func secret(seed uint64, n int) (words []string) {
	r := rand.New(rand.NewPCG(seed, 3))
	for range n {
		word := []byte("zyx")
		for range 6 {
			word = append(word, "bdfgkmpz"[r.IntN(8)], "ou"[r.IntN(2)])
		}
		words = append(words, string(append(word, 'k')))
	}
	return words
}

// common returns sessions of common words, so that rows of the erased ones stand among others.
func common(seed uint64, n int) (all []index.Entry) {
	r := rand.New(rand.NewPCG(seed, 4))
	for i := range n {
		texts := make([]string, 8)
		for j := range texts {
			for range 30 {
				texts[j] += fmt.Sprintf("%c%c%c%c ", 'a'+r.IntN(26), 'a'+r.IntN(26), 'a'+r.IntN(26), 'a'+r.IntN(26))
			}
		}
		all = append(all, session(fmt.Sprintf("common%d-%d", seed, i), texts...))
	}
	return all
}

// secretSession returns a session whose passages are made of the words.
func secretSession(name string, words []string) index.Entry {
	var texts []string
	for some := range slices.Chunk(words, 10) {
		text := ""
		for _, w := range some {
			text += w + " "
		}
		texts = append(texts, text)
	}
	return session(name, texts...)
}

func TestErasedWordsAreNowhere(t *testing.T) {
	for seed := range worlds(2) {
		x, path := newIndex(t)
		words := secret(seed, 200)
		update(t, x, common(seed, 60))
		update(t, x, append(common(seed+100, 60), secretSession("secret", words)))
		update(t, x, append(common(seed+200, 60), common(seed, 10)...))
		if len(residue(t, path, words)) < 150 {
			t.Fatal("the words aren't in the file before they are erased: this proves nothing")
		}
		one := words[10:20] // the second passage
		if err := x.Erase(t.Context(), nil, []index.Place{{Source: "session/secret.md", Number: 1}}); err != nil {
			t.Fatal(err)
		}
		if left := residue(t, path, one); len(left) > 0 {
			t.Errorf("seed %d: of a passage: %q", seed, left)
		}
		if got := blocks(t, x, words[0]); len(got) == 0 || got[0] != "secret-0" {
			t.Errorf("the passage before is found as %q", got)
		}
		if err := x.Erase(t.Context(), []string{"session/secret.md", "session/nothing.md"}, nil); err != nil {
			t.Fatal(err)
		}
		if left := residue(t, path, words); len(left) > 0 {
			t.Errorf("seed %d: of a session: %q", seed, left)
		}
		if got := blocks(t, x, words[0]); len(got) != 0 {
			t.Errorf("what was erased is found: %q", got)
		}
	}
}

func TestWhatAnUpdateRemovesDoesNotStay(t *testing.T) {
	x, path := newIndex(t)
	words := secret(9, 200)
	update(t, x, common(1, 40))
	update(t, x, []index.Entry{secretSession("secret", words)})
	update(t, x, []index.Entry{session("secret", "nothing of it")})
	if left := residue(t, path, words); len(left) > 0 {
		t.Errorf("%q", left)
	}
}

func TestAnErasureIsPendingWhileAnotherReads(t *testing.T) {
	x, path := newIndex(t)
	other := open(t, path, false)
	words := secret(1, 50)
	update(t, x, append(common(1, 20), secretSession("secret", words)))
	reading, end, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- other.Read(t.Context(), func(now *index.Snapshot) error {
			close(reading)
			<-end
			return nil
		})
	}()
	<-reading
	erased := x.Erase(t.Context(), []string{"session/secret.md"}, nil)
	close(end)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if !errors.Is(erased, index.ErrPending) {
		t.Errorf("%v while it is read, want ErrPending", erased)
	}
	if got := blocks(t, x, words[0]); len(got) != 0 {
		t.Errorf("what was erased is found: %q", got)
	}
	if len(residue(t, path, words)) == 0 {
		t.Error("nothing was left: this proves nothing")
	}
	update(t, x, nil)
	if left := residue(t, path, words); len(left) > 0 {
		t.Errorf("after the next update: %q", left)
	}
}

// victimPath names the index file for the process that is killed.
const victimPath = "INDEX_VICTIM_PATH"

// TestMain runs the victim if asked to: it puts a session of secret words into the index and
// erases it, again and again.
func TestMain(m *testing.M) {
	path := os.Getenv(victimPath)
	if path == "" {
		os.Exit(m.Run())
	}
	ctx := context.Background()
	x, err := index.Open(ctx, path, "root", true, index.Options{})
	if err != nil {
		panic(err)
	}
	for n := 0; ; n++ {
		if _, err := x.Update(ctx, []index.Entry{secretSession("secret", secret(5, 100))}, nil); err != nil {
			panic(err)
		}
		if n == 0 { // however long this took, there is something to erase now
			fmt.Println("running")
		}
		if err := x.Erase(ctx, []string{"session/secret.md"}, nil); err != nil {
			panic(err)
		}
	}
}

// TestAKilledErasureIsFinished kills a process at random moments of indexing and erasing. If the
// session was erased when it was killed, opening the file is enough to remove every trace; else
// erasing it again is.
func TestAKilledErasureIsFinished(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recall.db")
	words := secret(5, 100)
	x, err := index.Open(t.Context(), path, "root", true, index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	update(t, x, common(5, 100))
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(6, 6))
	was, traces := map[bool]int{}, 0
	kills := 4 + worlds(16)
	for range kills {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), victimPath+"="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 16)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.IntN(30_000)) * time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		if len(residue(t, path, words)) > 0 {
			traces++
		}
		x, err := index.Open(t.Context(), path, "root", false, index.Options{})
		if err != nil {
			t.Fatal(err)
		}
		erased := true
		err = x.Read(t.Context(), func(now *index.Snapshot) error {
			erased = !slices.ContainsFunc(now.Sources(), func(k *index.Indexed) bool { return k.Session == "secret" })
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if was[erased]++; !erased {
			if err := x.Erase(t.Context(), []string{"session/secret.md"}, nil); err != nil {
				t.Fatal(err)
			}
		}
		if left := residue(t, path, words); len(left) > 0 {
			t.Fatalf("erased before it was opened: %v; left: %q", erased, left)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if traces == 0 || was[false] == 0 {
		t.Errorf("killed with traces of the words %d times, with the session there %d times: this proves little", traces, was[false])
	}
	t.Logf("killed with traces of the words %d times, with the session there %d times, of %d", traces, was[false], kills)
}
