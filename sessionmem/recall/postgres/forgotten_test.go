package postgres_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/recall/recalltest"
)

// meet makes machines push in turn until each has the keys of all.
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
	b.sync()
	if in := b.holds("zanzibar"); in != nil {
		t.Errorf("it is in %v", in)
	}
	b.sync()
	a.sync()
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

// TestAFastClockForgetsTheSame: what was said before the forgetting goes, whatever the clock
// showed, and what is said afterwards stays.
func TestAFastClockForgetsTheSame(t *testing.T) {
	address := recalltest.SharedPostgres(t).Database(t)
	a, b := newMachine(t, address, "desk"), newMachine(t, address, "lap")
	b.ahead = time.Hour
	now := time.Now()
	a.now, b.now = now.Add(-10*time.Minute), now.Add(-10*time.Minute+b.ahead)
	a.say("cpu-one", "my locker code is otter zanzibar")
	b.say("cpu-two", "otter zanzibar is what I need")
	meet(a, b)
	a.forget(forget.Selection{Text: "otter zanzibar"})
	b.now = now.Add(5*time.Minute + b.ahead)
	b.say("cpu-three", "otter zanzibar is said anew")
	meet(b)
	if got := b.holds("is what I need"); got != nil {
		t.Errorf("an hour's difference kept it in %v", got)
	}
	if got := b.holds("otter zanzibar is said anew"); got == nil {
		t.Error("what was typed anew is gone")
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

// TestTheServerLearnsNoHashAndNoKey that would let it check guesses.
func TestTheServerLearnsNoHashAndNoKey(t *testing.T) {
	address := recalltest.SharedPostgres(t).Database(t)
	a, b := newMachine(t, address, "desk"), newMachine(t, address, "lap")
	a.say("cpu-one", "my locker code is otter zanzibar")
	meet(a, b)
	a.forget(forget.Selection{Text: "otter zanzibar"})
	meet(a, b)
	key, err := os.ReadFile(filepath.Join(a.Root, "forgotten.key"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(filepath.Join(b.Root, "forgotten.key"))
	if err != nil || !bytes.Contains(other, bytes.TrimSpace(key)) {
		t.Errorf("the machines share no key: %v", err)
	}
	record, err := os.ReadFile(filepath.Join(a.Root, "forgotten.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	dump := dumped(t, address, "forgotten", "forgotten_key")
	for line := range strings.Lines(string(record)) {
		if _, sum, ok := strings.Cut(line, `"sum":"`); ok && strings.Contains(dump, sum[:12]) {
			t.Error("the server has a plain hash")
		}
	}
	_, hex, _ := strings.Cut(strings.TrimSpace(string(key)), " ")
	if strings.Contains(dump, hex) || len(dump) < 100 {
		t.Errorf("the server has the key, or nothing: %d characters", len(dump))
	}
}

// TestMachinesThatForgetWhileApartAgreeInTheEnd, including one that joined later and had to
// wait for the key.
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
	for range 2 {
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
