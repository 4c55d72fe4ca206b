package forgotten

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestTheKeyIsASeparateFileAndBothArePrivate(t *testing.T) {
	r := newRig(t)
	r.forget("Zebra seven opens my locker", "zebra seven opens")
	hashes, keys := filepath.Join(r.root, forgottenFile), filepath.Join(r.root, keyFile)
	_, text, _ := strings.Cut(strings.TrimSpace(readFile(t, keys)), " ")
	key, err := hex.DecodeString(text)
	if err != nil || len(key) != keyBytes {
		t.Fatalf("the key is %q, %v", text, err)
	}
	for _, form := range []string{text, base64.StdEncoding.EncodeToString(key), string(key)} {
		if strings.Contains(readFile(t, hashes), form) {
			t.Error("the key stands beside the hashes")
		}
	}
	must(t, os.Chmod(hashes, 0o644)) // as a copy does
	must(t, os.Chmod(keys, 0o644))
	r.forget("Camel eight opens my garage", "camel eight opens")
	if fi, err := os.Stat(hashes); runtime.GOOS != "windows" && (err != nil || fi.Mode().Perm() != 0o600) {
		t.Errorf("%v %v, want 0600 again", fi.Mode(), err)
	}
	if n := len(bytes.Fields([]byte(readFile(t, keys)))); n != 2 {
		t.Errorf("%d words in the file of the key, want one key", n)
	}
	for _, words := range []string{"zebra seven opens", "camel eight opens"} {
		if again := NewRecord(r.root, nil); !again.Has("my " + words) {
			t.Errorf("%q is not known to be forgotten by another process", words)
		}
	}
}

// A file of an older version, with the key beside the hashes, still works. The next
// forgetting moves the key.
func TestAnOlderFileStillMatchesAndItsKeyIsMoved(t *testing.T) {
	r := newRig(t)
	r.forget("Zebra seven opens my locker", "zebra seven opens")
	hashes, keys := filepath.Join(r.root, forgottenFile), filepath.Join(r.root, keyFile)
	all, last, err := NewRecord(r.root, nil).ring.read()
	must(t, err)
	head, err := json.Marshal(forgottenLine{Format: forgottenBefore, Key: all[last]})
	must(t, err)
	_, rest, _ := strings.Cut(readFile(t, hashes), "\n")
	writeFile(t, hashes, string(head)+"\n"+rest)
	must(t, os.Remove(keys))
	if !NewRecord(r.root, nil).Has("zebra seven opens") {
		t.Error("what an older version noted does not bind")
	}
	r.forget("Camel eight opens my garage", "camel eight opens")
	if strings.Contains(readFile(t, hashes), base64.StdEncoding.EncodeToString(all[last])) {
		t.Error("the key is still beside the hashes")
	}
	again := NewRecord(r.root, nil)
	if !again.Has("zebra seven opens") || !again.Has("camel eight opens") {
		t.Error("once the key is moved, something does not bind")
	}
}

func TestWithoutItsKeyNothingMatchesUntilTheNextForgetting(t *testing.T) {
	r := newRig(t)
	r.forget("Zebra seven opens my locker", "zebra seven opens")
	must(t, os.Remove(filepath.Join(r.root, keyFile)))
	if NewRecord(r.root, nil).Has("zebra seven opens") {
		t.Error("a hash was told without its key")
	}
	r.forget("Camel eight opens my garage", "camel eight opens")
	if !NewRecord(r.root, nil).Has("camel eight opens") {
		t.Error("a new key does not bind")
	}
}

func FuzzForgottenFiles(f *testing.F) {
	f.Add([]byte(`{"format":"mac-stats-forgotten/2","key_id":"aa"}`), []byte("aa 00"))
	f.Add([]byte("{\"format\":\"mac-stats-forgotten/1\",\"key\":\"AAAA\"}\n{\"begin\":{\"id\":\"x\"}}\n{\"kind\":\"text\",\"n\":1,\"sum\":\"AAAA\",\"of\":\"x\"}\n{\"done\":\"x\"}"), []byte("\n\n"))
	f.Fuzz(func(t *testing.T, hashes, keys []byte) {
		root := t.TempDir()
		must(t, os.WriteFile(filepath.Join(root, forgottenFile), hashes, 0o600))
		must(t, os.WriteFile(filepath.Join(root, keyFile), keys, 0o600))
		record := NewRecord(root, nil)
		record.Has("any words that stand here")
		traces, err := record.New(true, false)
		must(t, err)
		traces.AddWords("the zebra sleeps")
		must(t, record.Begin(traces))
		if !NewRecord(root, nil).Has("the zebra sleeps") {
			t.Error("a forgetting behind damaged lines does not bind")
		}
	})
}

// asOlder writes a file of the previous version, in which the tags of traces have no key.
func asOlder(t *testing.T, f *Record) {
	t.Helper()
	data := readFile(t, f.Path())
	all, _ := f.parse([]byte(data))
	var out strings.Builder
	for line := range strings.Lines(data) {
		var l forgottenLine
		must(t, json.Unmarshal([]byte(line), &l))
		if l.Format != "" {
			l.Format = forgottenOpen
		}
		if l.Kind == traceText {
			l.traceLine = l.open(all.at[0])
		}
		text, err := json.Marshal(l)
		must(t, err)
		out.Write(append(text, '\n'))
	}
	writeFile(t, f.Path(), out.String())
}

// narrowed returns how many of all four-digit PINs remain possible with the file alone.
func narrowed(t *testing.T, root string) int {
	t.Helper()
	tags := map[uint16]bool{}
	for line := range strings.Lines(readFile(t, filepath.Join(root, forgottenFile))) {
		var l forgottenLine
		must(t, json.Unmarshal([]byte(line), &l))
		if l.Kind != traceText {
			continue
		}
		if l.Words != 0 {
			t.Errorf("the number of words stands open: %s", line)
		}
		tags[l.Tag] = true
	}
	tr, left := tracesFor(t, true), 0
	for pin := range 10000 {
		w := tr.f().WordsOf(fmt.Appendf(nil, "%04d", pin), false)
		if tags[w.Tag(0, 1)] || tags[0] && len(tags) == 1 {
			left++
		}
	}
	return left
}

func TestTheFileAloneDoesNotNarrowDownAPIN(t *testing.T) {
	r := newRig(t)
	r.forget("my PIN is 4711", "4711")
	if n := narrowed(t, r.root); n != 10000 {
		t.Errorf("the file alone leaves %d PINs of 10000", n)
	}
}

// The first program that opens a file of the previous version seals it in one step, and
// what it records still matches.
func TestAFileWithOpenTagsIsSealedOnTheFirstOpening(t *testing.T) {
	r := newRig(t)
	r.forget("my PIN is 4711", "4711")
	asOlder(t, NewRecord(r.root, nil))
	before := readFile(t, filepath.Join(r.root, forgottenFile))
	if !NewRecord(r.root, nil).Has("the PIN 4711") {
		t.Error("it doesn't bind")
	}
	if n := narrowed(t, r.root); n != 10000 {
		t.Errorf("the file alone leaves %d PINs of 10000", n)
	}
	if !NewRecord(r.root, nil).Has("the PIN 4711") {
		t.Error("it doesn't bind once it is sealed")
	}
	must(t, filepath.WalkDir(r.root, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && readFile(t, p) == before {
			t.Errorf("%s holds what it was", p)
		}
		return err
	}))
	if fi, err := os.Stat(filepath.Join(r.root, forgottenFile)); err != nil || fi.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Error(fi, err)
	}
}
