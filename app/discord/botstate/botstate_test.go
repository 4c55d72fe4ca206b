package botstate

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem/forgotten"
)

func openState(t *testing.T, cfg Config) *State {
	t.Helper()
	s, err := Open(t.Context(), cfg)
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

func TestWindowKeepsTheNewestOfEachChannelOnce(t *testing.T) {
	s := openState(t, Config{File: filepath.Join(t.TempDir(), "discord", "state.db"), MaxChars: 10, Keep: 4})
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for i := range 10 {
		for _, channel := range []string{"200", "201"} {
			m := Message{ID: fmt.Sprint(100 + i), Channel: channel, Role: RoleUser, Author: "301", Text: "text of " + channel + " much too long", At: at.Add(time.Duration(i) * time.Second)}
			for range 2 { // delivered twice
				if err := s.Put(t.Context(), m); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for _, channel := range []string{"200", "201"} {
		got, err := s.Window(t.Context(), channel)
		if err != nil || len(got) != 4 || got[0].ID != "106" || got[3].ID != "109" || got[0].Text != "text of "+channel[:2] {
			t.Errorf("the window of %s is %+v, %v", channel, got, err)
		}
	}
	if err := s.Clear(t.Context(), "200"); err != nil {
		t.Fatal(err)
	}
	left, err := s.Window(t.Context(), "200")
	other, otherErr := s.Window(t.Context(), "201")
	if err != nil || otherErr != nil || len(left) != 0 || len(other) != 4 {
		t.Errorf("after Clear: %d and %d (%v, %v)", len(left), len(other), err, otherErr)
	}
}

func TestWindowIsInTheOrderOfTheConversation(t *testing.T) {
	s := openState(t, Config{Keep: 4})
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	// The second question arrives while the first is being answered.
	for _, m := range []Message{{ID: "90", Role: RoleUser, At: at}, {ID: "92", Role: RoleAssistant, At: at.Add(9 * time.Second)}, {ID: "91", Role: RoleUser, At: at.Add(time.Second)}, {ID: "93", Role: RoleAssistant, At: at.Add(18 * time.Second)}} {
		m.Channel = "200"
		if err := s.Put(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Window(t.Context(), "200")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range got {
		ids = append(ids, m.ID)
	}
	if want := []string{"90", "92", "91", "93"}; !slices.Equal(ids, want) {
		t.Errorf("the window is %q, want %q", ids, want)
	}
}

func TestSeenSurvivesARestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.db")
	s, err := Open(t.Context(), Config{File: file})
	if err != nil {
		t.Fatal(err)
	}
	if seen, err := s.Seen(t.Context(), "1"); seen || err != nil {
		t.Errorf("the first time: %v, %v", seen, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openState(t, Config{File: file})
	if seen, err := s.Seen(t.Context(), "1"); !seen || err != nil {
		t.Errorf("after a start: %v, %v", seen, err)
	}
	if info, err := os.Stat(file); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
}

func TestForgetAuthorLeavesNoTrace(t *testing.T) {
	dir := t.TempDir()
	s := openState(t, Config{File: filepath.Join(dir, "state.db")})
	for i, author := range []string{"301", "302", "301"} {
		m := Message{ID: fmt.Sprint(i), Channel: "200", Author: author, Text: "words-of-" + author, At: time.Now()}
		if err := s.Put(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.ForgetAuthor(t.Context(), "301"); n != 2 || err != nil {
		t.Fatalf("ForgetAuthor gave %d, %v", n, err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte("words-of-301")) {
			t.Errorf("%s still holds the words", filepath.Base(f))
		}
	}
	if left, err := s.Window(t.Context(), "200"); err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v", left, err)
	}
}

func TestPairing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openState(t, Config{})
		p, fresh, err := s.Pair(t.Context(), "301", "Anna")
		if err != nil || !fresh || len(p.Code) != 9 {
			t.Fatalf("Pair gave %+v, %v, %v", p, fresh, err)
		}
		again, fresh, err := s.Pair(t.Context(), "301", "Anna")
		if err != nil || fresh || again.Code != p.Code {
			t.Errorf("asked again: %+v, %v, %v", again, fresh, err)
		}
		for i := range maxCodes - 1 {
			if _, _, err := s.Pair(t.Context(), fmt.Sprint(400+i), "x"); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := s.Pair(t.Context(), "999", "x"); !errors.Is(err, ErrTooMany) {
			t.Errorf("one too many gave %v", err)
		}
		if _, err := s.Whose(t.Context(), "AAAA-AAAA"); !errors.Is(err, ErrNoCode) {
			t.Errorf("a wrong code gave %v", err)
		}
		typed := " " + strings.ToLower(strings.ReplaceAll(p.Code, "-", "")) + " "
		for range 2 { // reading removes nothing
			if got, err := s.Whose(t.Context(), typed); err != nil || got.User != "301" || got.Name != "Anna" {
				t.Errorf("Whose gave %+v, %v", got, err)
			}
		}
		if err := s.EndPairing(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Whose(t.Context(), p.Code); !errors.Is(err, ErrNoCode) {
			t.Errorf("a code that was used gave %v", err)
		}
		waiting, err := s.Pairings(t.Context())
		if err != nil || len(waiting) != maxCodes-1 {
			t.Fatalf("%d wait, %v", len(waiting), err)
		}
		time.Sleep(CodeLife + time.Second)
		if _, err := s.Whose(t.Context(), waiting[0].Code); !errors.Is(err, ErrNoCode) {
			t.Errorf("a code that is over gave %v", err)
		}
	})
}

func TestAPrivateStateWritesOnlyCodes(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "state.db")
	s := openState(t, Config{File: file, Private: true})
	if err := s.Put(t.Context(), Message{ID: "7001", Channel: "200", Author: "301", Name: "Anna", Text: "xylophone", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if seen, err := s.Seen(t.Context(), "7001"); seen || err != nil {
		t.Fatalf("the first time: %v, %v", seen, err)
	}
	p, _, err := s.Pair(t.Context(), "302", "Ben")
	if err != nil {
		t.Fatal(err)
	}
	if window, err := s.Window(t.Context(), "200"); err != nil || len(window) != 1 {
		t.Errorf("the window holds %v, %v", window, err)
	}
	other := openState(t, Config{File: file}) // a command in another process
	if got, err := other.Whose(t.Context(), p.Code); err != nil || got.User != "302" {
		t.Errorf("another process finds %+v, %v", got, err)
	}
	if window, err := other.Window(t.Context(), "200"); err != nil || len(window) != 0 {
		t.Errorf("another process sees the window %v, %v", window, err)
	}
	if seen, err := other.Seen(t.Context(), "7001"); seen || err != nil {
		t.Errorf("another process knows what was seen: %v, %v", seen, err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte("xylophone")) || bytes.Contains(data, []byte("Anna")) {
			t.Errorf("%s holds what was said", filepath.Base(f))
		}
	}
}

func TestTheWindowKeepsItsOrderIfTheClockIsSetBack(t *testing.T) {
	s := openState(t, Config{Keep: 3})
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for i, hour := range []int{0, 1, -5, -4} {
		if err := s.Put(t.Context(), Message{ID: fmt.Sprint(i), Channel: "200", At: at.Add(time.Duration(hour) * time.Hour)}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Window(t.Context(), "200")
	if err != nil || len(got) != 3 || got[0].ID != "1" || got[2].ID != "3" {
		t.Errorf("the window is %+v, %v", got, err)
	}
}

func TestADamagedFileIsSetAside(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.db")
	if err := os.WriteFile(file, []byte(strings.Repeat("this is no database ", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openState(t, Config{File: file})
	if err := s.Put(t.Context(), Message{ID: "1", Channel: "2", At: time.Now()}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(file + ".damaged"); err != nil {
		t.Error(err)
	}
}

// Forgotten messages that a backup brings back are removed; all others stay.
func TestForgottenMessagesLeaveARestoredState(t *testing.T) {
	root := t.TempDir()
	forgotten := forgotten.NewRecord(root, nil)
	traces, err := forgotten.New(true, false)
	if err != nil {
		t.Fatal(err)
	}
	traces.AddWords("zebra")
	traces.AddPhrase("my zebra", traces.Phrase("zebra"))
	if err := errors.Join(forgotten.Begin(traces), forgotten.Done(traces.Traces, nil)); err != nil {
		t.Fatal(err)
	}
	s := openState(t, Config{File: filepath.Join(root, "discord", "state.db")})
	before := time.Now().Add(-time.Hour)
	for _, m := range []Message{
		{ID: "100", Channel: "200", Role: RoleUser, Author: "301", Text: "my zebra", Block: "a", At: before},
		{ID: "101", Channel: "200", Role: RoleAssistant, Author: "9", Text: "I see.", Block: "b", At: before},
	} {
		if err := s.Put(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Clean(t.Context(), forgotten.HasBlock); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Window(t.Context(), "200"); err != nil || len(got) != 1 || got[0].ID != "101" {
		t.Errorf("left are %+v, %v", got, err)
	}
	for _, name := range []string{"state.db", "state.db-wal"} {
		if data, err := os.ReadFile(filepath.Join(root, "discord", name)); err == nil && bytes.Contains(data, []byte("zebra")) {
			t.Errorf("%s still holds it", name)
		}
	}
}

// forget returns traces of a phrase.
func forget(t *testing.T, root, phrase string) *forgotten.Traces {
	t.Helper()
	traces, err := forgotten.NewRecord(root, nil).New(true, false)
	if err != nil {
		t.Fatal(err)
	}
	traces.AddWords(phrase)
	traces.AddPhrase(phrase, traces.Phrase(phrase))
	return traces.Traces
}

// A Forgetter finds and removes what the bot still sees, whether or not the bot runs.
func TestForgetter(t *testing.T) {
	for name, running := range map[string]bool{"while the bot runs": true, "while it doesn't": false} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			f := Forgetter{File: filepath.Join(root, "discord", "state.db")}
			traces := forget(t, root, "zebra")
			if found, err := f.Forget(t.Context(), traces, false); found != nil || err != nil {
				t.Errorf("without a bot: %v, %v", found, err)
			}
			if _, err := os.Stat(f.File); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("forgetting made the file: %v", err)
			}
			bot, err := Open(t.Context(), Config{File: f.File})
			if err != nil {
				t.Fatal(err)
			}
			at := time.UnixMilli(1_790_000_000_000)
			if err := bot.Put(t.Context(), Message{ID: "100", Channel: "200", Author: "301", Text: "my zebra", Block: "a", At: at}, Message{ID: "101", Channel: "200", Author: "301", Text: "my horse", Block: "b", At: at}); err != nil {
				t.Fatal(err)
			}
			if running {
				t.Cleanup(func() { _ = bot.Close() })
			} else if err := bot.Close(); err != nil {
				t.Fatal(err)
			}
			want := forgotten.Touched{Place: "window", Action: forgotten.Removed, Path: f.File, Session: "discord-200", Block: "a", Time: at}
			for step, count := range []int{1, 1, 0} { // a dry run, then once, then there is nothing left
				found, err := f.Forget(t.Context(), traces, step == 0)
				if err != nil || len(found) != count || count == 1 && !cmp.Equal(found[0], want) {
					t.Errorf("step %d found %+v, %v", step, found, err)
				}
			}
			s := openState(t, Config{File: f.File})
			if left, err := s.Window(t.Context(), "200"); err != nil || len(left) != 1 || left[0].ID != "101" {
				t.Errorf("left are %+v, %v", left, err)
			}
		})
	}
}

func TestMessagesWaitUntilTheyAreSettled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.db")
	s, err := Open(t.Context(), Config{File: file})
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now().Truncate(time.Millisecond)
	for _, q := range []Question{{ID: "3", Channel: "200"}, {ID: "1", Channel: "200"}, {ID: "2", Channel: "201"}, {ID: "4", Channel: "201"}, {ID: "3", Channel: "200"}} {
		if err := s.Wait(t.Context(), q.Channel, q.ID); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openState(t, Config{File: file}) // the app ended before it answered
	waiting := func() string {
		t.Helper()
		list, err := s.Waiting(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, q := range list {
			if q.At.Before(begun) || q.At.After(time.Now()) {
				t.Errorf("%s waits since %v", q.ID, q.At)
			}
			ids = append(ids, q.Channel+"/"+q.ID)
		}
		return strings.Join(ids, " ")
	}
	if got := waiting(); got != "200/3 200/1 201/2 201/4" {
		t.Errorf("waiting: %s", got)
	}
	if err := s.Settle(t.Context(), "201", "2", "9"); err != nil || waiting() != "200/3 200/1 201/4" {
		t.Errorf("settled one: %s, %v", waiting(), err)
	}
	if err := s.Settle(t.Context(), "200"); err != nil || waiting() != "201/4" {
		t.Errorf("settled a channel: %s, %v", waiting(), err)
	}
}

func TestCorrectChangesOrRemovesTheMessageOfABlock(t *testing.T) {
	s := openState(t, Config{MaxChars: 4})
	for _, m := range []Message{{ID: "1", Channel: "200", Text: "old", Block: "a"}, {ID: "2", Channel: "200", Text: "kept", Block: "b"}, {ID: "3", Channel: "201", Text: "far", Block: "a"}} {
		if err := s.Put(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ block, text, want string }{
		{"a", "éclair", "écla kept"},
		{"none", "x", "écla kept"},
		{"a", "", "kept"},
	} {
		if err := s.Correct(t.Context(), "200", tt.block, tt.text); err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, channel := range []string{"200", "201"} {
			list, err := s.Window(t.Context(), channel)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range list {
				texts = append(texts, m.Text)
			}
		}
		if got := strings.Join(texts, " "); got != tt.want+" far" {
			t.Errorf("block %s corrected to %q: %s", tt.block, tt.text, got)
		}
	}
}

// A closed state stands for every failure of the disk: each call says what it was doing.
func TestEveryFailureIsReported(t *testing.T) {
	s, err := Open(t.Context(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for what, do := range map[string]func() error{
		"keeping a message":                    func() error { return s.Put(ctx, Message{ID: "1"}) },
		"noting a message":                     func() error { _, err := s.Seen(ctx, "1"); return err },
		"reading the window":                   func() error { _, err := s.Window(ctx, "1"); return err },
		"changing the window":                  func() error { return s.Correct(ctx, "1", "a", "x") },
		"forgetting a person":                  func() error { _, err := s.ForgetAuthor(ctx, "1"); return err },
		"making a code":                        func() error { _, _, err := s.Pair(ctx, "1", "x"); return err },
		"reading who waits":                    func() error { _, err := s.Whose(ctx, "AAAA-AAAA"); return err },
		"ending a code":                        func() error { return s.EndPairing(ctx, Pairing{}) },
		"reading what waits for an answer":     func() error { _, err := s.Waiting(ctx); return err },
		"":                                     func() error { return s.Clear(ctx, "1") },
		"sql: database":                        func() error { return s.Settle(ctx, "1", "2") },
		"sql: database is":                     func() error { return s.Settle(ctx, "1") },
		"sql: database is closed":              func() error { return s.Wait(ctx, "1", "2") },
		"reading the window: sql: database is": func() error { return s.Clean(ctx, nil) },
	} {
		if err := do(); err == nil || !strings.HasPrefix(err.Error(), what) {
			t.Errorf("%q: %v", what, err)
		}
	}
}

func TestOpenReportsAPlaceThatCannotHoldTheFile(t *testing.T) {
	dir := t.TempDir()
	blocked := filepath.Join(dir, "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{"below a file": filepath.Join(blocked, "state.db"), "a folder": dir} {
		if _, err := Open(t.Context(), Config{File: file}); err == nil || !strings.HasPrefix(err.Error(), "opening the bot's state: ") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := (Forgetter{File: file}).Forget(t.Context(), nil, true); err == nil {
			t.Errorf("%s: forgetting gave no error", name)
		}
	}
}
