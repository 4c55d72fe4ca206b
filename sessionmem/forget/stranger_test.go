package forget

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/memory"
)

// People who write on Discord may have themselves forgotten. By typing what the owner's own
// files say, they must not be able to empty these.
func TestAStrangerCannotForgetTheOwnersText(t *testing.T) {
	const guess = "Always deploy the billing service from the release branch only."
	const channel = "discord-123456789012345678"
	today := time.Now().Format(time.DateOnly)
	r := newRig(t)
	owned := r.say("cpu-k1", user("How do we deploy?"), answer(guess+" Tell Bob."))
	memory := r.write(filepath.Join(r.root, "agents", "memory.md"), "# Memory\n\n- "+guess+" <!-- 2026-11-01 cpu-k1 -->\n- Mallory likes purple unicorn stickers best <!-- "+today+" "+channel+" -->\n")
	config := r.write(filepath.Join(r.root, "config.toml"), "# "+guess+"\n")
	past := time.Now().Add(-time.Hour)
	said := user(guess)
	said.Time, said.Attrs = past, map[string]string{"author": "666", "msg": "1"}
	likes := user("I like purple unicorn stickers best, says Mallory.")
	likes.Time, likes.Attrs = past, map[string]string{"author": "666", "msg": "2"}
	confirmed := answer("Noted: " + guess)
	confirmed.Time = past
	r.say(channel, said, confirmed, likes)

	r.forget(Selection{Author: "666", Lessons: true})

	if b, _, err := r.store.Session("cpu-k1").Message(t.Context(), owned.ID); err != nil || !strings.Contains(b.Text, guess) {
		t.Errorf("the owner's answer is %q, %v; want it as it was", b.Text, err)
	}
	if got := r.read(memory); !strings.Contains(got, guess) || strings.Contains(got, "unicorn") {
		t.Errorf("the owner's memory is %q; want it without what was learnt of the stranger alone", got)
	}
	if got := r.read(config); !strings.Contains(got, guess) {
		t.Errorf("config.toml is %q", got)
	}
	if left := r.f.forgotten.Unfinished(); len(left) > 0 {
		t.Errorf("%d forgettings are unfinished, want 0", len(left))
	}
	if again := r.say("cpu-k1", answer("Once more: "+guess)); !strings.Contains(again.Text, guess) {
		t.Errorf("a later answer became %q", again.Text)
	}
	window, err := r.store.Context(t.Context(), channel)
	must(t, err)
	for _, b := range window.Messages {
		if strings.Contains(b.Text, "billing") || strings.Contains(b.Text, "unicorn") {
			t.Errorf("on Discord %q is left", b.Text)
		}
	}
}

// A word in a file that nobody here can change is reported, but that word must not be
// removed from every answer from then on.
func TestAFileOfTheOwnersDoesNotKeepAForgettingOpen(t *testing.T) {
	r := newRig(t)
	r.say("cpu-k1", user("The gearbox hums."))
	r.write(filepath.Join(r.root, "config.toml"), "# the gearbox\n")
	report, err := r.f.Do(t.Context(), r.plan(Selection{Text: "gearbox"}))
	must(t, err)
	if report.Refused != 1 {
		t.Errorf("%d places were refused, want config.toml", report.Refused)
	}
	turn, err := r.store.Session("cpu-k1").LockTurn(t.Context(), "window", nil)
	must(t, err)
	defer turn.Unlock()
	if b := r.say("cpu-k1", answer("A gearbox has gears.")); !strings.Contains(b.Text, "gears") {
		t.Errorf("what is said later became %q", b.Text)
	}
}

func TestAPersonIsForgottenInMessagesSharedWithOthers(t *testing.T) {
	r := newRig(t)
	said := user("Anna: the gearbox hums\nBen: oil it")
	said.Time = time.Now().Add(-time.Hour)
	said.Attrs = map[string]string{"author": "222", "authors": "111222333444555666 222", "msg": "2"}
	r.say("discord-7", said)
	r.forget(Selection{Author: "111222333444555666", Lessons: true})
	r.clean("gearbox")
	r.clean("111222333444555666")
}

// A line that the owner wrote stays, wherever it is and whoever types the same.
func TestAStrangerCannotForgetTheOwnersLines(t *testing.T) {
	const guess = "The wifi password of the club is swordfish seven."
	today := time.Now().Format(time.DateOnly)
	learnt := "- Mallory likes purple unicorn stickers best <!-- " + today + " discord-7 -->\n"
	for _, file := range []string{"agents/memory-discord-7.md", "memory/server-1.md", "memory/user-666.md", "memory/user-777.md"} {
		for name, line := range map[string]string{
			"a bullet": "- " + guess + "\n", "a paragraph": guess + "\n", "a heading": "## " + guess + "\n\n- x\n",
			"a bullet that goes on": "- Wifi\n  " + guess + "\n", "a bullet from the owner's own session": "- " + guess + " <!-- 2026-11-01 cpu-k1 -->\n",
			"across two bullets": "- The wifi password of the club\n- is swordfish seven.\n",
		} {
			t.Run(file+" "+name, func(t *testing.T) {
				r := newRig(t)
				memory := r.write(filepath.Join(r.root, file), "# Ours\n\n"+line+learnt)
				for i, text := range []string{guess, "I like purple unicorn stickers best, says Mallory."} {
					said := user(text)
					said.Time, said.Attrs = time.Now().Add(-time.Hour), map[string]string{"author": "666", "msg": fmt.Sprint(i)}
					r.say("discord-7", said)
				}
				r.forget(Selection{Author: "666", Lessons: true})
				if got := r.read(memory); got != "# Ours\n\n"+line {
					t.Errorf("the memory is %q", got)
				}
			})
		}
	}
}

// What was learned about a person leaves no copy, even if it doesn't use their words, and
// what the owner wrote about them stays.
func TestLessonsAboutAPersonLeaveNoCopy(t *testing.T) {
	r := newRig(t)
	target := memory.Target{Kind: memory.TargetPerson, ID: "666"}
	said := user("Good morning, everybody.")
	said.Time, said.Attrs = time.Now().Add(-time.Hour), map[string]string{"author": "666", "msg": "1"}
	r.say("discord-7", said)
	for _, text := range []string{"Mallory likes oolong in the afternoon", "Mallory keeps bees behind the shed"} {
		p, err := r.memory.Propose(t.Context(), memory.Proposal{Kind: memory.ProposeAdd, Target: target, Text: text, Session: "discord-7"})
		must(t, err)
		_, err = r.memory.Accept(t.Context(), p.ID)
		must(t, err)
	}
	file := r.memory.Path(target)
	r.write(file, r.read(file)+"- owes me ten euros\n")
	r.forget(Selection{Author: "666", Lessons: true})
	r.clean("oolong")
	r.clean("bees")
	if got := r.read(file); !strings.Contains(got, "- owes me ten euros\n") {
		t.Errorf("the file is %q", got)
	}
}
