package pages

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mac-stats/sessionmem/memory"
)

// edited returns the memory of a data folder with one file, and that file opened.
func edited(t *testing.T, text string) (*memory.Memory, memory.Owned) {
	t.Helper()
	m := memory.New(memory.Config{Root: t.TempDir()})
	path := m.Path(memory.Target{Kind: memory.TargetGlobal})
	writeOutside(t, path, text)
	return m, opened(t, m, path)
}

func writeOutside(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func opened(t *testing.T, m *memory.Memory, path string) memory.Owned {
	t.Helper()
	o, err := m.OpenOwned(path)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestAnEditIsNeverLostToAnEditOutside(t *testing.T) {
	for name, tc := range map[string]struct {
		mine, theirs string
		choice       choice
		want         string
	}{
		"mine":   {"a\nmine\n", "a\ntheirs\n", takeMine, "a\nmine\n"},
		"theirs": {"a\nmine\n", "a\ntheirs\n", takeTheirs, "a\ntheirs\n"},
		"both":   {"a\nmine\n", "a\ntheirs\n", takeBoth, "a\ntheirs\nmine\n"},
	} {
		t.Run(name, func(t *testing.T) {
			m, o := edited(t, "a\n")
			b := newEditBuffer(o)
			b.edit(tc.mine)
			writeOutside(t, o.Path, tc.theirs)
			if _, err := m.SaveOwned(t.Context(), b.base, b.text); !errors.Is(err, memory.ErrChangedOutside) {
				t.Fatalf("saving over an edit made outside gives %v", err)
			}
			b.readAgain(opened(t, m, o.Path))
			if b.theirs == nil || b.text != tc.mine || b.theirs.Text != tc.theirs {
				t.Fatalf("mine is %q, theirs %v", b.text, b.theirs)
			}
			b.choose(tc.choice)
			if b.text != tc.want || b.theirs != nil {
				t.Fatalf("chosen is %q", b.text)
			}
			now, err := m.SaveOwned(t.Context(), b.base, b.text)
			if err != nil || now.Text != tc.want {
				t.Errorf("%v: the file is %q", err, now.Text)
			}
			b.undoChoice()
			if b.text != tc.mine || b.theirs == nil || b.theirs.Text != tc.theirs {
				t.Errorf("taken back, mine is %q", b.text)
			}
		})
	}
}

func TestAnUneditedFileFollowsAChangeOutside(t *testing.T) {
	m, o := edited(t, "a\n")
	b := newEditBuffer(o)
	writeOutside(t, o.Path, "b\n")
	b.readAgain(opened(t, m, o.Path))
	if b.dirty() || b.text != "b\n" {
		t.Errorf("dirty %v, the text is %q", b.dirty(), b.text)
	}
	b.edit("c\n")
	writeOutside(t, o.Path, "c\n")
	b.readAgain(opened(t, m, o.Path))
	if b.dirty() {
		t.Error("the same edit on both sides is a conflict")
	}
}

func TestWhatIsTypedWhileSavingStays(t *testing.T) {
	m, o := edited(t, "a\n")
	b := newEditBuffer(o)
	b.edit("ab\n")
	now, err := m.SaveOwned(t.Context(), b.base, b.text)
	if err != nil {
		t.Fatal(err)
	}
	b.edit("abc\n")
	b.saved("ab\n", now)
	if b.text != "abc\n" || !b.dirty() || b.base.Text != "ab\n" {
		t.Errorf("the text is %q against %q", b.text, b.base.Text)
	}
}

func TestUnsavedEditsAreRestoredAfterARestart(t *testing.T) {
	for name, tc := range map[string]struct {
		outside  string
		conflict bool
	}{"the file is the same": {"a\n", false}, "the file was changed meanwhile": {"z\n", true}} {
		t.Run(name, func(t *testing.T) {
			m, o := edited(t, "a\n")
			s := NewEdits(quiet{t: t}, m)
			b := s.open(o)
			b.edit("a\nb\n")
			s.changed(b)
			s.Flush()
			writeOutside(t, o.Path, tc.outside)

			later := NewEdits(quiet{t: t}, m)
			all, err := m.AllUnsaved()
			if err != nil {
				t.Fatal(err)
			}
			later.stored = all
			if !later.dirty(o.Path) {
				t.Error("nothing waits")
			}
			back := later.open(opened(t, m, o.Path))
			if back.text != "a\nb\n" || (back.theirs != nil) != tc.conflict {
				t.Errorf("back is %q, theirs %v", back.text, back.theirs)
			}
			back.discard()
			later.changed(back)
			later.Flush()
			if all, _ := m.AllUnsaved(); len(all) != 0 {
				t.Errorf("after Discard there is %v", all)
			}
		})
	}
}

func TestEditsAreStoredSoonAfterTyping(t *testing.T) {
	m, o := edited(t, "a\n")
	synctest.Test(t, func(t *testing.T) {
		s := NewEdits(quiet{t: t}, m)
		b := s.open(o)
		for _, text := range []string{"b", "bc", "bcd"} {
			b.edit(text)
			s.changed(b)
		}
		synctest.Wait()
		if all, _ := m.AllUnsaved(); len(all) != 0 {
			t.Error("each keystroke is written")
		}
		time.Sleep(storeDelay)
		synctest.Wait()
		if all, _ := m.AllUnsaved(); all[o.Path].Text != "bcd" {
			t.Errorf("kept is %v", all)
		}
	})
}

func TestTextPartsAreWholeLinesAndCoverTheText(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "short": "a\nb", "many lines": strings.Repeat("- a line of a memory\n", 3000),
		"one long line": strings.Repeat("x", 3*partBytes), "a long line between": "a\n" + strings.Repeat("x", 3*partBytes) + "\nb\n",
	} {
		t.Run(name, func(t *testing.T) {
			at, line := 0, 1
			for i, p := range textParts(text) {
				if p.from != at || p.line != line || p.to < p.from {
					t.Fatalf("part %d is %+v, want it at %d, line %d", i, p, at, line)
				}
				if p.to < len(text) && text[p.to-1] != '\n' {
					t.Errorf("part %d ends within a line", i)
				}
				line += strings.Count(text[p.from:p.to], "\n")
				at = p.to
			}
			if at != len(text) {
				t.Errorf("%d of %d bytes are there", at, len(text))
			}
		})
	}
}

// quiet is a host for edits that must not report anything.
type quiet struct {
	Host
	t *testing.T
}

func (quiet) Do(f func()) { f() }

func (quiet) EditsChanged() {}

func (q quiet) Notify(words, more string) { q.t.Error(words, more) }
