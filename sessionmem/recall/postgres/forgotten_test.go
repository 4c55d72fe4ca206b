package postgres_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/recall/recalltest"
)

// meet makes machines copy in turn until each has learned what the others forgot.
func meet(all ...*machine) {
	for range 2 {
		for _, m := range all {
			m.sync()
		}
	}
}

// TestWhatOneMachineForgetsGoesFromAll: the server loses it at once, an offline machine when
// it is back, and no backup restores it.
func TestWhatOneMachineForgetsGoesFromAll(t *testing.T) {
	address := recalltest.SharedPostgres(t).Database(t)
	a, b := newMachine(t, address, "desk"), newMachine(t, address, "lap")
	a.say("cpu-one", "my locker code is otter zanzibar", "the weather is fine")
	b.say("cpu-two", "the code of my locker: otter zanzibar, remember", "a walk by the sea")
	meet(a, b)
	b.offline = true
	b.say("cpu-two", "again otter zanzibar is the code")
	before, err := os.ReadFile(b.file("cpu-two"))
	if err != nil {
		t.Fatal(err)
	}

	done := a.forget(forget.Selection{Text: "otter zanzibar"})
	if done.Action != forgotten.Removed || !strings.Contains(done.Why, "lap") || !strings.Contains(done.Why, "replicas") {
		t.Errorf("%+v, want that it is off the server, that lap has to be on, and what isn't reached", done)
	}
	if left := holding(t, address, "zanzibar"); left != nil {
		t.Errorf("the server has it in %v", left)
	}
	if len(b.holds("zanzibar")) == 0 {
		t.Fatal("the other machine has forgotten it already: this proves nothing")
	}
	b.offline = false
	b.sync() // it learns of what was there, and copies what it said meanwhile
	a.sync() // which goes too
	if left := holding(t, address, "zanzibar"); left != nil {
		t.Errorf("the server has it in %v", left)
	}
	b.sync()
	if in := b.holds("zanzibar"); in != nil {
		t.Errorf("it is in %v", in)
	}
	b.sync()
	a.finds("walk", "a walk by the sea @lap")
	if err := os.WriteFile(b.file("cpu-two"), before, 0o600); err != nil { // from a backup
		t.Fatal(err)
	}
	meet(b, a)
	if left := holding(t, address, "zanzibar"); left != nil || b.holds("zanzibar") != nil {
		t.Errorf("a backup brought it back to %v, %v", left, b.holds("zanzibar"))
	}
	b.finds("walk", "a walk by the sea")
}

// TestADataFolderFromAnOldBackupForgetsAgain: its record of forgettings is old as well.
func TestADataFolderFromAnOldBackupForgetsAgain(t *testing.T) {
	address := recalltest.SharedPostgres(t).Database(t)
	a, b := newMachine(t, address, "desk"), newMachine(t, address, "lap")
	b.say("cpu-two", "a walk by the sea")
	a.say("cpu-one", "my locker code is otter zanzibar", "the weather is fine")
	meet(a, b)
	backup := map[string][]byte{}
	files, _ := filepath.Glob(filepath.Join(a.Root, "session", "*.md"))
	for _, f := range files {
		backup[f], _ = os.ReadFile(f)
	}
	a.forget(forget.Selection{Text: "otter zanzibar"})
	meet(b, a)
	for _, f := range []string{"forgotten.jsonl", "forgotten.key"} {
		if err := os.Remove(filepath.Join(a.Root, f)); err != nil {
			t.Fatal(err)
		}
	}
	for f, data := range backup {
		if err := os.WriteFile(f, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	meet(a)
	if in := a.holds("zanzibar"); in != nil || holding(t, address, "zanzibar") != nil {
		t.Errorf("it is back in %v, %v", in, holding(t, address, "zanzibar"))
	}
	a.finds("weather", "the weather is fine")
}

// TestForgettingIsPendingUntilTheServerHasIt.
func TestForgettingIsPendingUntilTheServerHasIt(t *testing.T) {
	address := recalltest.SharedPostgres(t).Database(t)
	a := newMachine(t, address, "desk")
	a.say("cpu-one", "my locker code is otter zanzibar", "the weather is fine")
	a.offline = true
	done := a.forget(forget.Selection{Text: "otter zanzibar"})
	if done.Action != forgotten.Pending || !strings.Contains(done.Why, "no network here") {
		t.Errorf("%+v, want that the server still has it, and why", done)
	}
	if len(a.Store.Forgotten().Unfinished()) != 1 {
		t.Error("nobody tries again")
	}
	a.offline = false
	if r, err := a.forgetter.Resume(t.Context()); err != nil || r.Left() > 0 { // as after a restart
		t.Fatal(r, err)
	}
	if left := holding(t, address, "zanzibar"); left != nil || len(a.Store.Forgotten().Unfinished()) != 0 {
		t.Errorf("it is left in %v", left)
	}
}

// TestAnotherSessionWithTheSameNameStays: only a copy of the forgotten session goes.
func TestAnotherSessionWithTheSameNameStays(t *testing.T) {
	address := recalltest.SharedPostgres(t).Database(t)
	a, b, c := newMachine(t, address, "desk"), newMachine(t, address, "lap"), newMachine(t, address, "copy")
	a.say("cli-work", "the plan of the garden shed")
	b.say("cli-work", "numbers of the year")
	data, err := os.ReadFile(a.file("cli-work"))
	if err == nil {
		err = os.MkdirAll(filepath.Join(c.Root, "session"), 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(c.Root, "session", filepath.Base(a.file("cli-work"))), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	meet(a, b, c)
	a.forget(forget.Selection{Session: "cli-work"})
	meet(b, c)
	if b.holds("numbers of the year") == nil {
		t.Error("another conversation is gone that only has the name")
	}
	if in := c.holds("garden shed"); in != nil {
		t.Errorf("a copy stays in %v", in)
	}
}

// TestTheServerLearnsNoHashThatCanBeGuessed: what it keeps of a forgotten text, of a file's name and of
// the machine's secret are hashes with a key that only the machine has.
func TestTheServerLearnsNoHashThatCanBeGuessed(t *testing.T) {
	address := recalltest.SharedPostgres(t).Database(t)
	a := newMachine(t, address, "desk")
	a.say("cpu-one", "my locker code is otter zanzibar", "the weather is fine")
	a.forget(forget.Selection{Text: "otter zanzibar"})
	a.sync()
	dump := dumped(t, address, "mirror", "mirror_machine", "mirror_forgotten")
	if n := strings.Count(dumped(t, address, "mirror_forgotten"), "\\x"); n != 1 || !strings.Contains(dump, "weather") {
		t.Fatalf("%d texts are noted; this proves nothing: %s", n, dump)
	}
	for _, text := range []string{"my locker code is otter zanzibar", filepath.Base(a.file("cpu-one")), "session/" + filepath.Base(a.file("cpu-one")), "desk"} {
		sum := sha256.Sum256([]byte(text))
		h := index.Hash(text)
		for _, guess := range []string{hex.EncodeToString(sum[:])[:12], fmt.Sprint(h), fmt.Sprint(int64(h)), filepath.Base(a.file("cpu-one"))} { //nolint:gosec // bits are what is wanted
			if strings.Contains(dump, guess) {
				t.Errorf("the server has %s of %q", guess, text)
			}
		}
	}
}

// TestMemoryLinesAreForgottenTogether: what goes of a machine's memory is what it copied as one piece, and
// nothing beside it.
func TestMemoryLinesAreForgottenTogether(t *testing.T) {
	const secret = "The locker code is otter zanzibar."
	long := strings.Repeat("She told me about the herons of the lower pond. ", 20)
	for name, tt := range map[string]struct{ has, left string }{
		"a line":                  {"- " + secret + "\n- likes herons\n", "- likes herons\n"},
		"a line with its comment": {"- " + secret + " <!-- 2026-05-01 cpu-a -->\n- likes herons\n", "- likes herons\n"},
		"a line that goes on":     {"- Of the shed:\n  " + secret + "\n- likes herons\n", "- likes herons\n"},
		"a long line":             {"- " + long + secret + " " + long + "\n- likes herons\n", "- likes herons\n"},
		"prose":                   {"Seen.\n\n" + secret + "\n\n- likes herons\n", "Seen.\n\n- likes herons\n"},
		"a paragraph": {
			"Seen.\n\n" + secret + "\nMy daughter was born in Omsk.\n\n- My daughter was born in Omsk.\n- likes herons\n",
			"Seen.\n\n- My daughter was born in Omsk.\n- likes herons\n",
		},
		"a long paragraph": {long + "\n" + secret + "\n" + long + "\n\n- likes herons\n", "- likes herons\n"},
		"a heading":        {"# Mine\n\n- likes herons\n\n# " + secret + "\n", "# Mine\n\n- likes herons\n"},
		"a row":            {"| what | is |\n|---|---|\n| sea | blue |\n| locker | otter zanzibar |\n\n- sea\n- likes herons\n", "- sea\n- likes herons\n"},
		"code":             {"```\nopen otter zanzibar\n```\n\n- likes herons\n", "- likes herons\n"},
		"a quote":          {"> " + secret + "\n> Yes.\n\n- Yes.\n- likes herons\n", "- Yes.\n- likes herons\n"},
		"lines with CR LF": {"Seen.\r\n\r\n" + secret + "\r\nYes.\r\n\r\n- Yes.\r\n- likes herons\r\n", "Seen.\r\n\r\n- Yes.\r\n- likes herons\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			address := recalltest.SharedPostgres(t).Database(t)
			a, b := newMachine(t, address, "desk"), newMachine(t, address, "lap")
			memoryOf := func(m *machine) string { return filepath.Join(m.Root, "agents", "memory.md") }
			write := func(m *machine, text string) {
				if err := errors.Join(os.MkdirAll(filepath.Dir(memoryOf(m)), 0o700), os.WriteFile(memoryOf(m), []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			write(a, "- "+secret+"\n- likes tea\n")
			write(b, tt.has)
			meet(a, b)
			a.forget(forget.Selection{Text: "otter zanzibar"})
			meet(b, a)
			left := func() string {
				data, err := os.ReadFile(memoryOf(b))
				if err != nil {
					t.Fatal(err)
				}
				return strings.Join(slices.DeleteFunc(strings.SplitAfter(string(data), "\n"), func(l string) bool { return strings.TrimSpace(l) == "" }), "")
			}
			want := strings.Join(slices.DeleteFunc(strings.SplitAfter(tt.left, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" }), "")
			if there := holding(t, address, "zanzibar"); there != nil || b.holds("zanzibar") != nil || left() != want {
				t.Errorf("it is in %v and in %v; left is %q", there, b.holds("zanzibar"), left())
			}
			write(b, tt.has) // from a backup
			meet(b, a)
			if b.holds("zanzibar") != nil || left() != want {
				t.Errorf("a backup brought it back to %v; left is %q", b.holds("zanzibar"), left())
			}
		})
	}
}

// TestMachinesThatForgetWhileApartAgreeInTheEnd, including one that joined later.
func TestMachinesThatForgetWhileApartAgreeInTheEnd(t *testing.T) {
	address := recalltest.SharedPostgres(t).Database(t)
	a, b := newMachine(t, address, "desk"), newMachine(t, address, "lap")
	for _, m := range []*machine{a, b} {
		m.say("cpu-of-"+m.Root[len(m.Root)-1:], "the code is zanzibar", "the aunt is called hortensia", "the weather is fine")
	}
	a.offline, b.offline = true, true
	a.forget(forget.Selection{Text: "zanzibar"})
	b.forget(forget.Selection{Text: "hortensia"})
	a.offline, b.offline = false, false
	c := newMachine(t, address, "late")
	c.say("cpu-three", "zanzibar and hortensia", "a walk by the sea")
	for range 3 {
		for _, m := range []*machine{a, b, c} {
			if _, err := m.forgetter.Resume(t.Context()); err != nil {
				t.Fatal(err)
			}
			m.sync()
		}
	}
	for _, word := range []string{"zanzibar", "hortensia"} {
		if left := holding(t, address, word); left != nil {
			t.Errorf("%s is on the server, in %v", word, left)
		}
		for _, m := range []*machine{a, b, c} {
			if in := m.holds(word); in != nil {
				t.Errorf("%s is in %v", word, in)
			}
		}
	}
	for _, m := range []*machine{a, b, c} {
		if n := len(m.Store.Forgotten().Unfinished()); n != 0 {
			t.Errorf("%d forgettings are not over", n)
		}
	}
}
