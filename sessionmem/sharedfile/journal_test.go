package sharedfile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/lesson"
	"mac-stats/sessionmem/sharedfile"
)

const origin = " <!-- 2026-11-21 cpu-a -->"

// The journal has the lessons that the app wrote, until the app removes them. What other
// programs remove stays in it.
func TestTheJournalHasWhatTheAppWrote(t *testing.T) {
	r := newRig(t)
	saved(t, r.path, "# Mine\n\n- one\n")
	r.add("- cats purr" + origin)
	r.add("- by hand") // has no origin
	r.add("- dogs bark" + origin)
	if got := lines(r.Files); got != "cats purr|dogs bark" {
		t.Fatalf("the journal has %q", got)
	}
	l := r.Journal().Lines()[1]
	if l.File != "agents/memory.md" || r.Journal().PathOf(l) != r.path || l.Line != "- dogs bark"+origin || time.Since(l.At) > time.Minute {
		t.Errorf("%+v", l)
	}
	saved(t, r.path, "- one\n") // another program's
	r.add("- two" + origin)
	if got := lines(r.again()); got != "cats purr|dogs bark|two" {
		t.Errorf("after a late save: %q", got)
	}
	must(t, r.edit(func(text string) string { return strings.Replace(text, "- two"+origin+"\n", "", 1) }))
	r.Journal().Drop(r.path, "cats purr")
	if got := lines(r.Files); got != "dogs bark" {
		t.Errorf("after an edit in the app: %q", got)
	}
	other := filepath.Join(r.root, "agents", "inbox.md")
	must(t, r.Edit(other, func([]byte) ([]byte, error) { return []byte("- proposed" + origin + "\n"), nil }))
	if got := lines(r.Files); got != "dogs bark" {
		t.Errorf("a file that isn't journaled: %q", got)
	}
}

func TestTheJournalKeepsTheNewestLines(t *testing.T) {
	r := newRig(t)
	var all strings.Builder
	for i := range 1010 {
		fmt.Fprintf(&all, "- fact %d%s\n", i, origin)
	}
	must(t, r.edit(func(string) string { return all.String() }))
	if l := r.Journal().Lines(); len(l) != 1000 || l[0].Text() != "fact 10" {
		t.Errorf("%d lines from %q on", len(l), l[0].Text())
	}
}

// What the user wants to stay removed is recognised, and its words are in no file.
func TestLinesThatStayRemoved(t *testing.T) {
	r := newRig(t)
	r.add("- the locker opens with zebra" + origin)
	must(t, r.Journal().CheckRemoved("the locker opens with zebra"))
	must(t, r.Journal().KeepRemoved(r.Journal().Lines()))
	if got := lines(r.Files); got != "" {
		t.Errorf("the journal has %q", got)
	}
	if data := readFile(t, filepath.Join(r.root, "agents", ".memory-journal")); strings.Contains(data, "zebra") {
		t.Errorf("its words are in %s", data)
	}
	j := r.again().Journal()
	for text, want := range map[string]error{"The locker  opens with ZEBRA": lesson.ErrRejected, "The locker opens with zebras": nil} {
		if err := j.CheckRemoved(text); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
	saved(t, r.path, "- one\n")
	r.add("- the locker opens with zebra" + origin) // the user's own decision
	must(t, r.Journal().CheckRemoved("the locker opens with zebra"))
}

// A journal that is damaged or can't be written never stops an edit.
func TestABrokenJournalStopsNoEdit(t *testing.T) {
	for name, harm := range map[string]func(journal string){
		"damaged":  func(journal string) { writeFile(t, journal, "{half") },
		"a folder": func(journal string) { must(t, os.MkdirAll(journal, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			journal := filepath.Join(r.root, "agents", ".memory-journal")
			harm(journal)
			r.add("- cats purr" + origin)
			if got := readFile(t, r.path); got != "- cats purr"+origin+"\n" {
				t.Errorf("%q", got)
			}
			if !strings.Contains(r.log.String(), "can't be put back") {
				t.Errorf("the log doesn't say so: %s", r.log)
			}
			if want := map[string]string{"damaged": "cats purr"}[name]; lines(r.again()) != want {
				t.Errorf("the journal has %q", lines(r.again()))
			}
		})
	}
}

func TestForgettingInTheJournal(t *testing.T) {
	matches := func(text string) bool { return strings.Contains(text, "zebra") }
	m := sharedfile.Matcher{
		Line: func(l sharedfile.Line) bool { return matches(l.Line) },
		Raw:  func(raw []byte) bool { return matches(string(raw)) },
	}
	r := newRig(t)
	journal := filepath.Join(r.root, "agents", ".memory-journal")
	forget := func(dry bool, want string) {
		t.Helper()
		if got, err := r.Journal().Forget(m, dry); err != nil || got != want {
			t.Errorf("found in %q, %v; want %q", got, err, want)
		}
	}
	forget(false, "") // there is none
	r.add("- the zebra sleeps" + origin)
	r.add("- cats purr" + origin)
	whole := readFile(t, journal)
	forget(true, journal)
	if readFile(t, journal) != whole {
		t.Error("a dry run changed it")
	}
	forget(false, journal)
	if l := r.Journal().Lines(); len(l) != 1 || l[0].Text() != "cats purr" || matches(readFile(t, journal)) {
		t.Errorf("left: %+v", l)
	}
	forget(false, "")
	// A backup brings it back: nobody reads it, and the next look removes it.
	r.sieve.word = "zebra"
	saved(t, journal, whole)
	if l := r.Journal().Lines(); len(l) != 1 || !r.Unsettled() {
		t.Errorf("read: %+v", l)
	}
	if pending, err := r.TakeOver(); err != nil || pending || matches(readFile(t, journal)) || r.Unsettled() {
		t.Errorf("pending %v, %v", pending, err)
	}
	// Version 0.2 kept the line above each line too.
	r.sieve.word = ""
	saved(t, journal, strings.Replace(readFile(t, journal), `"line":`, `"after":"- the zebra sleeps","line":`, 1))
	forget(false, journal)
	if l := r.Journal().Lines(); len(l) != 1 || matches(readFile(t, journal)) {
		t.Errorf("left: %s", readFile(t, journal))
	}
	saved(t, journal, "{a zebra")
	forget(false, journal) // damaged, it is begun anew
	if matches(readFile(t, journal)) {
		t.Errorf("left: %s", readFile(t, journal))
	}
}
