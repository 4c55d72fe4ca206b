// Package filetest does with files what people and their editors do with them, and has texts
// to fold, to search and to measure with. Only tests import it.
package filetest

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mac-stats/sessionmem/transcript"
)

// Random returns how many random steps a test takes, and the seed of its numbers. Without being
// told otherwise the seed is fixed, so that a run before a change can't fail by chance.
// MAC_STATS_MODEL_STEPS sets the steps and takes any seed (make model does); with
// MAC_STATS_MODEL_SEED the steps that a failure names are taken again.
func Random(t testing.TB, steps int) (n int, seed uint64) {
	t.Helper()
	seed = 1
	if v := os.Getenv("MAC_STATS_MODEL_STEPS"); v != "" {
		seed = rand.Uint64()
		var err error
		steps, err = strconv.Atoi(v)
		Must(t, err)
	}
	if v := os.Getenv("MAC_STATS_MODEL_SEED"); v != "" {
		var err error
		seed, err = strconv.ParseUint(v, 10, 64)
		Must(t, err)
	}
	return steps, seed
}

// Must ends the test on an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Read returns the text of a file.
func Read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	Must(t, err)
	return string(data)
}

// Write writes a file in place and creates its folder.
func Write(t testing.TB, path, text string) {
	t.Helper()
	Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	Must(t, os.WriteFile(path, []byte(text), 0o600))
}

// Replace saves a file as most editors do: a new file takes the name of the old one.
func Replace(t testing.TB, path, text string) {
	t.Helper()
	Write(t, path+".new", text)
	Must(t, os.Rename(path+".new", path))
}

// WriteEarlier is Write a minute ago: whoever sees the file takes it for saved.
func WriteEarlier(t testing.TB, path, text string) {
	t.Helper()
	Write(t, path, text)
	at := time.Now().Add(-time.Minute)
	Must(t, os.Chtimes(path, at, at))
}

// Until waits for something that another goroutine or program does. Only the time that the
// tests have as a whole limits it, so that a busy machine fails no test.
func Until(t testing.TB, what string, done func() bool) {
	t.Helper()
	var end time.Time
	if limited, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		end, _ = limited.Deadline()
	}
	for ; !done(); time.Sleep(time.Millisecond) {
		if !end.IsZero() && time.Until(end) < 10*time.Second { // soon the tests are ended, without a word about what they wait for
			t.Fatal("waited in vain for " + what)
		}
	}
}

// Await waits until exactly one file matches the pattern, and returns its path.
func Await(t testing.TB, pattern string) string {
	t.Helper()
	var files []string
	Until(t, "one "+pattern, func() bool {
		var err error
		files, err = filepath.Glob(pattern)
		Must(t, err)
		return len(files) == 1
	})
	return files[0]
}

// Lacks tests that no file below a folder holds one of the words, or has it in its name, in
// any case.
func Lacks(t testing.TB, root string, words ...string) {
	t.Helper()
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		data, err := os.ReadFile(path)
		Must(t, err)
		text := strings.ToLower(string(data) + " " + filepath.Base(path))
		for _, word := range words {
			if strings.Contains(text, strings.ToLower(word)) {
				t.Errorf("%s still holds %q:\n%s", path, word, text)
			}
		}
		return nil
	})
}

// EditorSaves are the ways editors replace a file's content.
var EditorSaves = map[string]func(t testing.TB, path, text string){
	"in place":    Write,
	"rename over": Replace,
	"delete and create": func(t testing.TB, path, text string) {
		t.Helper()
		Must(t, os.Remove(path))
		time.Sleep(5 * time.Millisecond)
		Write(t, path, text)
	},
	"backup and create": func(t testing.TB, path, text string) {
		t.Helper()
		Must(t, os.Rename(path, path+"~"))
		time.Sleep(5 * time.Millisecond)
		Write(t, path, text)
	},
}

// WithoutBlock returns a transcript without the block of this ID, as if a person had deleted it.
func WithoutBlock(t testing.TB, text, id string) string {
	t.Helper()
	tr, err := transcript.Parse(strings.NewReader(text))
	Must(t, err)
	tr.Blocks = slices.DeleteFunc(tr.Blocks, func(b transcript.Block) bool { return b.ID == id })
	var out strings.Builder
	Must(t, transcript.Write(&out, tr))
	return out.String()
}

// InTime runs a test whose pauses take no time: in a bubble (package synctest) whose clock
// begins with the time of the files.
func InTime(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	began := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(began))
		test(t)
	})
}
