package catalog_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

func openCached(t testing.TB, root, cache string) *sessionmem.Store {
	t.Helper()
	s, err := sessionmem.Open(sessionmem.Config{Root: root, CacheDir: cache, MaxFileBytes: func() int64 { return 100_000 }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// settledSessions writes enough transcripts for a cache to be written, dated an hour ago, and
// one more.
func settledSessions(t testing.TB, root string) (files []string) {
	t.Helper()
	s := openStore(t, root)
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	for i := range catalog.CacheAfter + 1 {
		mustAppend(t, s, fmt.Sprintf("cpu-%02d", i), transcript.Block{Kind: transcript.KindUser, Time: at, Text: fmt.Sprintf("question %02d", i)})
	}
	for _, f := range transcripts(t, root) {
		files = append(files, filepath.Join(root, transcript.SessionDir, f))
		setTime(t, files[len(files)-1], at)
	}
	return files
}

func setTime(t testing.TB, file string, at time.Time) {
	t.Helper()
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
}

func titles(t testing.TB, s *sessionmem.Store) string {
	t.Helper()
	list, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, i := range list {
		if i.Err != nil {
			t.Errorf("%s: %v", i.Name, i.Err)
		}
		out = append(out, i.Title)
	}
	return strings.Join(out, "\n")
}

func cacheText(t testing.TB, s *sessionmem.Store) string {
	t.Helper()
	data, err := os.ReadFile(s.Catalog().CacheFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(data)
}

// editInPlace replaces text by text of the same length in the same file.
func editInPlace(t testing.TB, file, old, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(readFile(t, file), old, text)), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestListCacheMatchesTheFiles(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	files := settledSessions(t, root)
	first := openCached(t, root, cache)
	want, err := openStore(t, root).List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*sessionmem.Store{first, openCached(t, root, cache)} {
		got, err := s.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}

	fi, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	editInPlace(t, files[0], "question 00", "QUESTION 00")
	setTime(t, files[0], fi.ModTime())
	if got := titles(t, openCached(t, root, cache)); strings.Contains(got, "QUESTION 00") {
		t.Error("the cache is not used: a file that looks as before was read")
	}
	setTime(t, files[0], fi.ModTime().Add(time.Millisecond))
	if got := titles(t, openCached(t, root, cache)); !strings.Contains(got, "QUESTION 00") {
		t.Error("an edit in place, of the same size, is not seen")
	}
}

func TestFreshFileIsNotReadFromTheCache(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	files := settledSessions(t, root)
	now := time.Now()
	for _, f := range files {
		setTime(t, f, now)
	}
	if titles(t, openCached(t, root, cache)); cacheText(t, openCached(t, root, cache)) != "" {
		t.Error("files that may still change within their time's step are in the cache")
	}
}

func TestUnusableListCacheIsRebuilt(t *testing.T) {
	for name, spoil := range map[string]func(text string) string{
		"empty":           func(string) string { return "" },
		"cut off":         func(text string) string { return text[:len(text)/2] },
		"a flipped bit":   func(text string) string { return text[:200] + string(text[200]^1) + text[201:] },
		"another version": func(text string) string { return strings.Replace(text, "list/1", "list/9", 1) },
		"another folder": func(text string) string {
			head, rest, _ := strings.Cut(text[len(catalog.CacheFormat):len(text)-4], "\n")
			out := []byte(catalog.CacheFormat + head + "x\n" + rest)
			return string(binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(out)))
		},
		"no cache at all": func(string) string { return "# notes\n" },
	} {
		t.Run(name, func(t *testing.T) {
			root, cache := t.TempDir(), t.TempDir()
			settledSessions(t, root)
			s := openCached(t, root, cache)
			want := titles(t, s)
			good := cacheText(t, s)
			if err := os.WriteFile(s.Catalog().CacheFile(), []byte(spoil(good)), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := titles(t, openCached(t, root, cache)); got != want {
				t.Errorf("got %s", got)
			}
			if cacheText(t, s) != good {
				t.Error("it was not made anew")
			}
		})
	}
	t.Run("a folder in its place, or a file in its folder's", func(t *testing.T) {
		root, cache := t.TempDir(), t.TempDir()
		settledSessions(t, root)
		s := openCached(t, root, cache)
		if err := os.Mkdir(s.Catalog().CacheFile(), 0o700); err != nil {
			t.Fatal(err)
		}
		other := openCached(t, root, filepath.Join(root, transcript.SessionDir, filepath.Base(onlyOf(t, root)), "x"))
		for _, store := range []*sessionmem.Store{s, other} {
			if got := titles(t, store); strings.Count(got, "\n") != catalog.CacheAfter {
				t.Errorf("got %s", got)
			}
			if err := store.Delete(t.Context(), "cpu-00"); err != nil && store == s {
				t.Error(err)
			}
			if store == s {
				if _, err := s.Undelete(t.Context(), ""); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func onlyOf(t testing.TB, root string) string { return transcripts(t, root)[5] }

func TestTitlesLeaveTheCacheWithTheirSessions(t *testing.T) {
	setUp := func(t *testing.T) (root, cache string, files []string) {
		root, cache = t.TempDir(), t.TempDir()
		files = settledSessions(t, root)
		s := openCached(t, root, cache)
		titles(t, s)
		if !strings.Contains(cacheText(t, s), "question 07") {
			t.Fatal("it is not in the cache to begin with")
		}
		return root, cache, files
	}
	t.Run("deleted, by a program that never listed", func(t *testing.T) {
		root, cache, _ := setUp(t)
		s := openCached(t, root, cache)
		if err := s.Delete(t.Context(), "cpu-07"); err != nil {
			t.Fatal(err)
		}
		if text := cacheText(t, s); strings.Contains(text, "question-07") || strings.Contains(text, "question 07") || !strings.Contains(text, "question 08") {
			t.Error("its title is still there, or others went")
		}
	})
	t.Run("removed by hand: at the next look", func(t *testing.T) {
		root, cache, files := setUp(t)
		if err := os.Remove(files[7]); err != nil {
			t.Fatal(err)
		}
		s := openCached(t, root, cache)
		if titles(t, s); strings.Contains(cacheText(t, s), "question 07") {
			t.Error("its title is still there")
		}
	})
	t.Run("another title, by hand: at the next look", func(t *testing.T) {
		root, cache, files := setUp(t)
		editInPlace(t, files[7], "question 07", "nothing")
		s := openCached(t, root, cache)
		if titles(t, s); strings.Contains(cacheText(t, s), "question 07") {
			t.Error("its title is still there")
		}
	})
	t.Run("renamed: what was said first isn't shown", func(t *testing.T) {
		root, cache, files := setUp(t)
		s := openCached(t, root, cache)
		if err := s.SetTitle(t.Context(), "cpu-07", "A new name"); err != nil {
			t.Fatal(err)
		}
		setTime(t, files[7], time.Now().Add(-time.Minute))
		again := openCached(t, root, cache)
		if titles(t, again); strings.Contains(cacheText(t, again), "question 07") || !strings.Contains(cacheText(t, again), "A new name") {
			t.Error("its first message is still there")
		}
	})
}

func TestListCacheHoldsNoPrivateSession(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	settledSessions(t, root)
	s := openCached(t, root, cache)
	s.SetPrivate("cpu-secret")
	mustAppend(t, s, "cpu-secret", user("xyzzy"))
	if got := titles(t, s); !strings.Contains(got, "xyzzy") {
		t.Fatalf("it is not listed: %s", got)
	}
	if text := cacheText(t, s); text == "" || strings.Contains(text, "xyzzy") || strings.Contains(text, "secret") {
		t.Error("it is in the cache, or there is none")
	}
	fi, err := os.Stat(s.Catalog().CacheFile())
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("others may read the cache: %v, %v", fi.Mode(), err)
	}
}

func TestPartsInTheCache(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	settledSessions(t, root)
	writer := openLimited(t, root, storetest.PartLimit)
	threeParts(t, writer)
	if err := writer.SetTitle(t.Context(), "cpu-a", "Renamed"); err != nil {
		t.Fatal(err)
	}
	for _, f := range transcripts(t, root) {
		setTime(t, filepath.Join(root, transcript.SessionDir, f), time.Now().Add(-time.Minute))
	}
	want, err := openStore(t, root).List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	titles(t, openCached(t, root, cache))
	s := openCached(t, root, cache)
	got, err := s.List(t.Context())
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if strings.Contains(cacheText(t, s), "message 0 x") || strings.Contains(cacheText(t, s), "message 2") {
		t.Error("what the list doesn't show is in the cache")
	}
	if err := os.Remove(filepath.Join(root, transcript.SessionDir, transcripts(t, root)[catalog.CacheAfter+1])); err != nil {
		t.Fatal(err)
	}
	fresh, cached := titles(t, openStore(t, root)), titles(t, openCached(t, root, cache))
	if fresh != cached {
		t.Errorf("without its first part: %s, from the cache %s", fresh, cached)
	}
}

func TestTwoProgramsWriteTheCache(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	settledSessions(t, root)
	var work sync.WaitGroup
	for i := range 6 {
		s := openCached(t, root, cache)
		work.Go(func() {
			if _, err := s.List(t.Context()); err != nil {
				t.Error(err)
			}
			if i%2 == 0 {
				if err := s.Delete(t.Context(), fmt.Sprintf("cpu-%02d", i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	s := openCached(t, root, cache)
	lines, err := s.Catalog().CacheLines()
	if err != nil || lines != catalog.CacheAfter+1-3 {
		t.Errorf("%d lines, %v", lines, err)
	}
	for _, gone := range []string{"question 00", "question 02", "question 04"} {
		if strings.Contains(cacheText(t, s), gone) {
			t.Errorf("%s is back", gone)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "*.tmp")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
