package indexing_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/sessionmem/transcript"
)

func TestReportedChangesAreIndexedWithoutCheckingOtherFiles(t *testing.T) {
	for _, c := range []struct {
		what  string
		tell  func(f *folder)
		alone bool // the session that nobody reported isn't checked
	}{
		{"a file by its path", func(f *folder) { f.Changed(f.transcript("cpu-a")) }, true},
		{"a file below the data folder", func(f *folder) { f.Changed("session/" + filepath.Base(f.transcript("cpu-a"))) }, true},
		{"a session", func(f *folder) { f.SessionChanged("cpu-a") }, true},
		{"a memory file", func(f *folder) { f.Changed(filepath.Join(f.root, "agents", "memory.md"), f.transcript("cpu-a")) }, true},
		{"anything", func(f *folder) { f.Changed() }, false},
		{"a session, and anything", func(f *folder) { f.SessionChanged("cpu-a"); f.Changed() }, false},
		{"a file that is new", func(f *folder) {
			f.talk("cpu-c", "the wombat digs")
			f.Changed(f.transcript("cpu-c"))
		}, false},
		{"a session of which no known file changed", func(f *folder) { f.SessionChanged("cpu-still") }, false},
		{"a session that is not known", func(f *folder) { f.SessionChanged("cpu-none") }, false},
		{"a file that is gone", func(f *folder) {
			file := f.transcript("cpu-still")
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			f.Changed(file)
		}, false},
		{"a file that is none of these", func(f *folder) { f.Changed(filepath.Join(f.root, "config.toml")) }, false},
	} {
		f := newFolder(t)
		f.talk("cpu-a", "the otter swims", "it does")
		f.talk("cpu-b", "the badger sleeps")
		f.talk("cpu-still", "nothing happens")
		if err := os.MkdirAll(filepath.Join(f.root, "agents"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(f.root, "agents", "memory.md"), []byte("- likes quolls\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		f.sync()
		f.rewrite(f.transcript("cpu-a"), func(s string) string { return strings.ReplaceAll(s, "otter", "heron") })
		f.rewrite(f.transcript("cpu-b"), func(s string) string { return strings.ReplaceAll(s, "badger", "weasel") })
		f.rewrite(filepath.Join(f.root, "agents", "memory.md"), func(s string) string { return strings.ReplaceAll(s, "quolls", "numbats") })
		c.tell(f)
		f.keepUp()
		if f.first("heron") != "the heron swims" {
			t.Errorf("%s: %q is found", c.what, f.first("heron"))
		}
		if got := f.first("weasel") == ""; got != c.alone {
			t.Errorf("%s: the other session was left alone: %v, want %v", c.what, got, c.alone)
		}
		if c.what == "a memory file" && f.first("numbats") != "likes numbats" {
			t.Errorf("%s: %q is found", c.what, f.first("numbats"))
		}
		f.Changed()
		f.keepUp()
		if f.first("weasel") != "the weasel sleeps" || f.first("badger") != "" {
			t.Errorf("%s: after a look at all the other session is not what it is now", c.what)
		}
	}
}

func TestReportedTurnsAreFoundOneAfterTheOther(t *testing.T) {
	f := newFolder(t)
	f.talk("cpu-a", "the otter swims", "it does")
	f.sync()
	for i, word := range strings.Fields("aardvark bison caracal dingo echidna fossa gecko hyena ibex jackal kudu lemur marmot numbat ocelot") {
		f.say("cpu-a", transcript.KindUser, "now a "+word)
		f.SessionChanged("cpu-a")
		f.keepUp()
		if got := f.first(word); got != "now a "+word {
			t.Errorf("turn %d: %q is found", i, got)
		}
	}
	if r := f.sync(); r.Changed != 0 {
		t.Errorf("a check of all files finds %d changed, want 0", r.Changed)
	}
}
