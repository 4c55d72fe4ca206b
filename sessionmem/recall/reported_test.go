package recall

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/sessionmem/transcript"
)

// keepUp does what Run does when it is woken.
func (b *bench) keepUp() {
	b.Helper()
	if _, err := b.x.indexer.KeepUp(b.Context()); err != nil {
		b.Fatal(err)
	}
}

func TestReportedChangesAreIndexedWithoutCheckingOtherFiles(t *testing.T) {
	for _, c := range []struct {
		what  string
		tell  func(b *bench)
		alone bool // the session that nobody reported isn't checked
	}{
		{"a file by its path", func(b *bench) { b.x.Changed(b.transcript("cpu-a")) }, true},
		{"a file below the data folder", func(b *bench) { b.x.Changed("session/" + filepath.Base(b.transcript("cpu-a"))) }, true},
		{"a session", func(b *bench) { b.x.SessionChanged("cpu-a") }, true},
		{"a memory file", func(b *bench) { b.x.Changed(filepath.Join(b.root, "agents", "memory.md"), b.transcript("cpu-a")) }, true},
		{"anything", func(b *bench) { b.x.Changed() }, false},
		{"a session, and anything", func(b *bench) { b.x.SessionChanged("cpu-a"); b.x.Changed() }, false},
		{"a file that is new", func(b *bench) {
			b.talk("cpu-c", "the wombat digs")
			b.x.Changed(b.transcript("cpu-c"))
		}, false},
		{"a session of which no known file changed", func(b *bench) { b.x.SessionChanged("cpu-still") }, false},
		{"a session that is not known", func(b *bench) { b.x.SessionChanged("cpu-none") }, false},
		{"a file that is gone", func(b *bench) {
			file := b.transcript("cpu-still")
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			b.x.Changed(file)
		}, false},
		{"a file that is none of these", func(b *bench) { b.x.Changed(filepath.Join(b.root, "config.toml")) }, false},
	} {
		b := newBench(t)
		b.talk("cpu-a", "the otter swims", "it does")
		b.talk("cpu-b", "the badger sleeps")
		b.talk("cpu-still", "nothing happens")
		if err := os.MkdirAll(filepath.Join(b.root, "agents"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(b.root, "agents", "memory.md"), []byte("- likes quolls\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		b.sync()
		b.rewrite(b.transcript("cpu-a"), func(s string) string { return strings.ReplaceAll(s, "otter", "heron") })
		b.rewrite(b.transcript("cpu-b"), func(s string) string { return strings.ReplaceAll(s, "badger", "weasel") })
		b.rewrite(filepath.Join(b.root, "agents", "memory.md"), func(s string) string { return strings.ReplaceAll(s, "quolls", "numbats") })
		c.tell(b)
		b.keepUp()
		if b.first("heron") != "the heron swims" {
			t.Errorf("%s: %q is found", c.what, b.first("heron"))
		}
		if got := b.first("weasel") == ""; got != c.alone {
			t.Errorf("%s: the other session was left alone: %v, want %v", c.what, got, c.alone)
		}
		if c.what == "a memory file" && b.first("numbats") != "likes numbats" {
			t.Errorf("%s: %q is found", c.what, b.first("numbats"))
		}
		b.x.Changed()
		b.keepUp()
		if b.first("weasel") != "the weasel sleeps" || b.first("badger") != "" {
			t.Errorf("%s: after a look at all the other session is not what it is now", c.what)
		}
	}
}

func TestReportedTurnsAreFoundOneAfterTheOther(t *testing.T) {
	b := newBench(t)
	b.x.limits = tinyLimits()
	b.talk("cpu-a", "the otter swims", "it does")
	b.sync()
	for i, word := range strings.Fields("aardvark bison caracal dingo echidna fossa gecko hyena ibex jackal kudu lemur marmot numbat ocelot") {
		b.say("cpu-a", transcript.KindUser, "now a "+word)
		b.x.SessionChanged("cpu-a")
		b.keepUp()
		if got := b.first(word); got != "now a "+word {
			t.Errorf("turn %d: %q is found", i, got)
		}
	}
	if r := b.sync(); r.Changed != 0 {
		t.Errorf("a check of all files finds %d changed, want 0", r.Changed)
	}
}
