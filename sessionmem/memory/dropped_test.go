package memory

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/lesson"

	"github.com/google/go-cmp/cmp"
)

// dropped returns the texts of the missing lines.
func dropped(m *Memory) []string {
	var texts []string
	for _, d := range m.Dropped() {
		texts = append(texts, d.Text)
	}
	return texts
}

// Lines that another program's save dropped are listed, and the user decides about each.
func TestDroppedLinesComeBackOrStayRemoved(t *testing.T) {
	m := New(Config{Root: t.TempDir()})
	path := m.Path(global)
	const given = "# Mine\n\n- one\n- two\n"
	saved(t, path, given)
	if err := m.KeepRemoved(t.Context()); !errors.Is(err, ErrNothingDropped) {
		t.Errorf("nothing is missing: %v", err)
	}
	for _, text := range []string{"Cats purr at night", "Dogs bark by day", "Birds sing at dawn"} {
		learn(t, m, text)
	}
	saved(t, path, given)
	again := New(Config{Root: string(m.root)}) // another process
	list := again.Dropped()
	if diff := cmp.Diff([]string{"Cats purr at night", "Dogs bark by day", "Birds sing at dawn"}, dropped(again)); diff != "" {
		t.Fatal(diff)
	}
	if d := list[0]; d.Path != path || d.Target != global || d.From != time.Now().Format(time.DateOnly)+" cpu-a" {
		t.Errorf("missing is %+v", d)
	}
	if _, err := again.Restore(t.Context(), list[0].ID, "nonsense"); !errors.Is(err, ErrUnknownDropped) {
		t.Errorf("an unknown ID: %v", err)
	}
	must(t, again.KeepRemoved(t.Context(), list[1].ID))
	if err := again.KeepRemoved(t.Context(), list[1].ID); !errors.Is(err, ErrUnknownDropped) {
		t.Errorf("decided twice: %v", err)
	}
	for _, removed := range []string{"Dogs bark by day", "dogs  BARK by day"} {
		if _, err := m.Append(t.Context(), Lesson{Text: removed, Confidence: 1}); !errors.Is(err, lesson.ErrRejected) {
			t.Errorf("a model may write it again: %v", err)
		}
		if _, err := m.Propose(t.Context(), Proposal{Text: removed}); !errors.Is(err, lesson.ErrRejected) {
			t.Errorf("a model may propose it again: %v", err)
		}
	}
	written, err := again.Restore(t.Context())
	must(t, err)
	if len(written) != 2 || written[0].Text != "Cats purr at night" || written[0].Line != 8 || written[1].Line != 9 {
		t.Errorf("restored %+v", written)
	}
	if got := bulletTexts(t, m); got != "one|two|Cats purr at night|Birds sing at dawn" {
		t.Errorf("the file has %q", got)
	}
	if _, err := again.Restore(t.Context()); !errors.Is(err, ErrNothingDropped) {
		t.Errorf("restored twice: %v", err)
	}
	mustUndo(t, m, written[0].UndoID) // both at once
	if got := readFile(t, path); got != given {
		t.Errorf("after the undo:\n%s", got)
	}
	if left := dropped(m); len(left) > 0 {
		t.Errorf("what was undone is missing: %q", left)
	}
	must(t, second(m.Append(t.Context(), Lesson{Text: "Dogs bark by day", Hand: true}))) // the user's own decision
	saved(t, path, given)
	if diff := cmp.Diff([]string{"Dogs bark by day"}, dropped(m)); diff != "" {
		t.Error(diff)
	}
}

// A dropped line comes back below the app's own heading, with the file's line ends.
func TestADroppedLineComesBackAtTheEnd(t *testing.T) {
	const own = "## Remembered\n\n- cats purr <!-- C -->\n"
	for _, tc := range []struct{ name, after, want string }{
		{"there is no heading", "- one\n- two\n- three\n", "- one\n- two\n- three\n\n" + own},
		{"there is one", "- one\n\n## Remembered\n\n- mine\n", "- one\n\n## Remembered\n\n- mine\n- cats purr <!-- C -->\n"},
		{"the line above it occurs twice", "- two\n\n## Remembered\n\n- two\n", "- two\n\n## Remembered\n\n- two\n- cats purr <!-- C -->\n"},
		{"with Windows line ends", "- one\r\n", "- one\r\n\r\n" + strings.ReplaceAll(own, "\n", "\r\n")},
		{"behind an open code block", "```\ncode", "```\ncode\n```\n\n" + own},
	} {
		t.Run(tc.name, func(t *testing.T) {
			filetest.InTime(t, func(t *testing.T) {
				m := New(Config{Root: t.TempDir()})
				saved(t, m.Path(global), "- one\n- two\n")
				learn(t, m, "cats purr")
				saved(t, m.Path(global), tc.after)
				_, err := m.Restore(t.Context())
				must(t, err)
				got := strings.ReplaceAll(readFile(t, m.Path(global)), time.Now().Format(time.DateOnly)+" cpu-a", "C")
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// Lines that the user rewords, moves, undoes or has forgotten aren't missing, and neither
// are those of a file that can't be judged now.
func TestLinesThatAreNotMissing(t *testing.T) {
	agent := Target{TargetAgent, "002"}
	for _, tc := range []struct {
		name string
		edit func(t *testing.T, r *forgetRig, text string)
		want []string
	}{
		{"dropped", func(t *testing.T, r *forgetRig, _ string) { saved(t, r.m.Path(global), "- one\n") }, []string{"Cats purr at night"}},
		{"reworded", func(t *testing.T, r *forgetRig, text string) {
			saved(t, r.m.Path(global), strings.Replace(text, "purr at night", "sing all day long night", 1))
		}, nil},
		{"said in other words", func(t *testing.T, r *forgetRig, _ string) {
			saved(t, r.m.Path(global), "- one\n- cats PURR at night.\n")
		}, nil},
		{"another thing learned in the same session", func(t *testing.T, r *forgetRig, text string) {
			saved(t, r.m.Path(global), strings.Replace(text, "Cats purr at night", "Lives in Bergen", 1))
		}, []string{"Cats purr at night"}},
		{"moved to an agent's memory", func(t *testing.T, r *forgetRig, _ string) {
			saved(t, r.m.Path(agent), "- Cats purr at night\n")
			saved(t, r.m.Path(global), "- one\n")
		}, nil},
		{"without its comment", func(t *testing.T, r *forgetRig, _ string) {
			saved(t, r.m.Path(global), "- one\n- Cats purr at night\n")
		}, nil},
		{"with Windows line ends", func(t *testing.T, r *forgetRig, text string) {
			saved(t, r.m.Path(global), strings.ReplaceAll(text, "\n", "\r\n"))
		}, nil},
		{"undone", func(t *testing.T, r *forgetRig, _ string) { mustUndo(t, r.m, "") }, nil},
		{"forgotten", func(t *testing.T, r *forgetRig, _ string) {
			saved(t, r.m.Path(global), "- one\n")
			r.text("purr at night")
		}, nil},
		{"its folder is gone", func(t *testing.T, r *forgetRig, _ string) {
			must(t, os.RemoveAll(filepath.Dir(r.m.Path(global))+"/agent-003"))
		}, nil},
		{"being saved", func(t *testing.T, r *forgetRig, text string) {
			filetest.Write(t, r.m.Path(global), "")
			go func() {
				time.Sleep(300 * time.Millisecond)
				filetest.Replace(t, r.m.Path(global), text)
			}()
		}, nil},
		{"no text any more", func(t *testing.T, r *forgetRig, _ string) {
			saved(t, r.m.Path(global), "\x00\x00\x00")
		}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newForgetRig(t)
			saved(t, r.m.Path(global), "- one\n")
			if tc.name == "its folder is gone" {
				other := Target{TargetAgent, "003"}
				must(t, os.MkdirAll(filepath.Dir(r.m.Path(other)), 0o700))
				must(t, second(r.m.Append(t.Context(), Lesson{Text: "Cats purr at night", Target: other})))
			} else {
				learn(t, r.m, "Cats purr at night")
			}
			tc.edit(t, r, readFile(t, r.m.Path(global)))
			if diff := cmp.Diff(tc.want, dropped(r.m)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The newest change isn't undone, and no older one in its place, while its line is missing
// because of another program's save.
func TestUndoOfADroppedLine(t *testing.T) {
	m := New(Config{Root: t.TempDir()})
	learn(t, m, "Dogs bark by day")
	before := readFile(t, m.Path(global))
	w := learn(t, m, "Cats purr at night")
	saved(t, m.Path(global), before)
	for range 2 {
		if done, err := m.Undo(t.Context(), ""); !errors.Is(err, ErrMissing) || len(done) > 0 || !strings.Contains(err.Error(), "Cats purr") {
			t.Errorf("undone %+v, %v", done, err)
		}
	}
	if steps := m.Undoable(); len(steps) != 1 || steps[0].Added != "Dogs bark by day" {
		t.Errorf("undoable: %+v", steps)
	}
	mustUndo(t, m, w.UndoID) // asked for by its ID, the line stays out
	if left := dropped(m); len(left) > 0 || readFile(t, m.Path(global)) != before {
		t.Errorf("missing %q in\n%s", left, readFile(t, m.Path(global)))
	}
	saved(t, m.Path(global), "# empty\n")
	if _, err := m.Undo(t.Context(), w.UndoID); err == nil || !strings.Contains(err.Error(), "nothing to take back") {
		t.Errorf("a line that was removed by hand: %v", err)
	}
}

// A lesson for several files is one change.
func TestALessonForSeveralFiles(t *testing.T) {
	m := New(Config{Root: t.TempDir(), MaxPerson: 1})
	full, says, bad := Target{TargetPerson, "7"}, Target{TargetChannel, "5"}, Target{TargetAgent, ".."}
	writeFile(t, m.Path(full), "- is kind\n")
	writeFile(t, m.Path(says), "- likes green tea\n")
	writeFile(t, m.Path(global), "- one\n")
	written, noRoom, err := m.AppendTo(t.Context(), Lesson{Text: "Likes green tea", Session: "cpu-a"}, []Target{global, {TargetServer, "9"}, full, says, bad})
	if err == nil || !strings.Contains(err.Error(), "no memory is called") {
		t.Errorf("a target that is none: %v", err)
	}
	if len(written) != 2 || written[0].Target != global || written[1].Target.ID != "9" || !slices.Equal(noRoom, []Target{full}) {
		t.Errorf("written %+v, full %+v", written, noRoom)
	}
	if written[0].UndoID != written[1].UndoID {
		t.Error("two changes")
	}
	done, err := m.Undo(t.Context(), "")
	must(t, err)
	if len(done) != 2 || readFile(t, m.Path(global)) != "- one\n" || readFile(t, m.Path(says)) != "- likes green tea\n" {
		t.Errorf("undone %+v:\n%s", done, readFile(t, m.Path(global)))
	}
}

// A lesson that waited for another program's save is written as soon as it is possible,
// or the user decides.
func TestLessonsThatWaitedForASave(t *testing.T) {
	waiting := func(text string) string {
		return "- [k3x9qa] add to global: " + text + " <!-- " + time.Now().Format(time.RFC3339) + " session=cpu-a confidence=1 why=saving -->\n"
	}
	for _, tc := range []struct {
		name, memory, inbox, want string
		why                       []string // of the proposals that are left
		pending                   bool
	}{
		{"nothing", "- one\n", "", "one", nil, false},
		{"it is written", "- one\n", waiting("Cats purr at night"), "one|Cats purr at night", nil, false},
		{"the file says so already", "- Cats purr at night\n", waiting("cats purr at night"), "Cats purr at night", nil, false},
		{"no lesson any more", "- one\n", waiting("Begin with AGENT: coder"), "one", nil, false},
		{"no room any more", "- one\n- " + strings.Repeat("x", 60) + "\n", waiting("Cats purr at night"), "one|" + strings.Repeat("x", 60), []string{WhyFull}, false},
		{"still being saved", "", waiting("Cats purr at night"), "", []string{WhySaving}, true},
		{"an ordinary proposal", "- one\n", strings.Replace(waiting("Cats purr at night"), "saving", "ask", 1), "one", []string{WhyAsk}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := New(Config{Root: t.TempDir(), Budget: func(Target) int { return 70 }})
			learn(t, m, "something else") // the file is known
			if tc.pending {
				filetest.Write(t, m.Path(global), "")
			} else {
				saved(t, m.Path(global), tc.memory)
			}
			saved(t, m.InboxPath(), tc.inbox)
			s, err := m.Settle(t.Context())
			must(t, err)
			if s.Pending != tc.pending || bulletTexts(t, m) != tc.want && !tc.pending {
				t.Errorf("pending %v, memory %q", s.Pending, bulletTexts(t, m))
			}
			var why []string
			left, err := m.Inbox()
			must(t, err)
			for _, p := range left {
				why = append(why, p.Why)
			}
			if diff := cmp.Diff(tc.why, why); diff != "" {
				t.Errorf("the inbox has %s", diff)
			}
			if (len(s.Written) > 0) != (tc.name == "it is written") {
				t.Errorf("written %+v", s.Written)
			}
			for _, w := range s.Written {
				mustUndo(t, m, w.UndoID)
			}
		})
	}
}

// What another program writes into the file that the app replaced is its user's text.
func TestSettleTakesOverWhatAReplacedFileReceives(t *testing.T) {
	filetest.InTime(t, func(t *testing.T) {
		m := New(Config{Root: t.TempDir()})
		path := m.Path(global)
		saved(t, path, "- one\n")
		editor, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		must(t, err)
		then := time.Now().Add(-time.Minute)
		time.Sleep(1100 * time.Millisecond) // an open file is trusted when it has been quiet for a second
		learn(t, m, "Cats purr at night")
		if len(m.Replaced()) != 0 {
			t.Fatalf("a line is added in place, but watched are %q", m.Replaced())
		}
		time.Sleep(1100 * time.Millisecond)
		mustUndo(t, m, "")
		if len(m.Replaced()) != 1 {
			t.Fatalf("watched: %q", m.Replaced())
		}
		_, err = editor.WriteString("- two\n")
		must(t, errors.Join(err, editor.Close()))
		for _, link := range m.Replaced() {
			must(t, os.Chtimes(filepath.Join(filepath.Dir(path), link), then, then.Add(time.Second)))
		}
		s, err := m.Settle(t.Context())
		must(t, err)
		if got := bulletTexts(t, m); got != "one|two" || s.Pending || len(m.Replaced()) > 0 {
			t.Errorf("%q, %+v, watched %q", got, s, m.Replaced())
		}
	})
}

func TestReasonsOfProposals(t *testing.T) {
	for _, why := range []string{WhyAsk, WhyStrangers, WhyFull, WhyUnsure, WhyForgotten, WhyAssistant, WhyChange, WhySaving} {
		if (Proposal{Why: why}).Reason() == "" {
			t.Errorf("%s has no reason", why)
		}
	}
	if got := (Proposal{Why: "made up by hand"}).Reason(); got != "" {
		t.Errorf("an unknown one is %q", got)
	}
}

// A key of the data folder stays, for the other programs too, and without a place for it nothing
// fails.
func TestTheKeyOfTheFolderStays(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "agents"), 0o700); err != nil {
		t.Fatal(err)
	}
	first := New(Config{Root: root}).Key(t.Context())
	if again := New(Config{Root: root}).Key(t.Context()); first == "" || again != first {
		t.Errorf("%q, then %q", first, again)
	}
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m := New(Config{Root: file})
	if key := m.Key(t.Context()); key == "" || key == first || key != m.Key(t.Context()) {
		t.Errorf("without a folder: %q", key)
	}
}
