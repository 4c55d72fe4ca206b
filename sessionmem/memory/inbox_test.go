package memory

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/lesson"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// mustUndo undoes a change of a memory.
func mustUndo(t *testing.T, m *Memory, id string) {
	t.Helper()
	if _, err := m.Undo(t.Context(), id); err != nil {
		t.Fatal(err)
	}
}

// propose puts a proposal into the inbox; it must be accepted.
func propose(t *testing.T, m *Memory, p Proposal) Proposal {
	t.Helper()
	out, err := m.Propose(t.Context(), p)
	must(t, err)
	return out
}

func TestInboxRoundTrip(t *testing.T) {
	m := New(Config{Root: t.TempDir()})
	writeFile(t, m.Path(global), "- Uses a => b\n- Likes tea\n")
	person := Target{TargetPerson, "7"}
	given := []Proposal{
		{Kind: ProposeAdd, Target: global, Text: "Likes green tea: hot", Confidence: 0.85, Session: "cpu-a", From: "u1", To: "a9"},
		{Kind: ProposeAdd, Target: person, Text: "Is called Ana", Session: "discord-3"},
		{Kind: ProposeReplace, Target: global, Old: "uses A => b", Text: "Uses a => c"},
		{Kind: ProposeRemove, Target: global, Old: "Likes tea"},
	}
	for i := range given {
		p := propose(t, m, given[i])
		if p.ID == "" || p.Time.IsZero() || p.Line == 0 {
			t.Errorf("proposed %+v", p)
		}
	}
	given[2].Old = "Uses a => b" // as the file has it
	got, err := New(Config{Root: string(m.root)}).Inbox()
	must(t, err)
	if diff := cmp.Diff(given, got, cmpopts.IgnoreFields(Proposal{}, "ID", "Time", "Line")); diff != "" {
		t.Error(diff)
	}
	if text := readFile(t, m.InboxPath()); !strings.HasPrefix(text, "# Proposed memories\n") || !strings.Contains(text, "] replace in global: Uses a \\=> b => Uses a => c <!-- ") {
		t.Errorf("inbox:\n%s", text)
	}
	if f, err := m.Load(global); err != nil || len(f.Bullets) != 2 {
		t.Errorf("a proposal changed the memory: %+v, %v", f, err)
	}
}

func TestInboxAcceptsLooseFormats(t *testing.T) {
	for _, tc := range []struct {
		name, given string
		want        []Proposal
	}{
		{"given nothing", "", nil},
		{"given a line by hand, then it is for all", "* Likes tea\n", []Proposal{{ID: "?", Kind: ProposeAdd, Target: global, Text: "Likes tea", Line: 1}}},
		{"given other case and spaces", "1. [ab]  ADD to Agent 002:Likes tea\r\n", []Proposal{{ID: "ab", Kind: ProposeAdd, Target: Target{TargetAgent, "002"}, Text: "Likes tea", Line: 1}}},
		{"given an unknown target, then it is text", "- [ab] add to nobody: tea\n", []Proposal{{ID: "ab", Kind: ProposeAdd, Target: global, Text: "add to nobody: tea", Line: 1}}},
		{"given a target out of the folder, then it is text", "- [ab] add to agent ../x: tea\n", []Proposal{{ID: "ab", Kind: ProposeAdd, Target: global, Text: "add to agent ../x: tea", Line: 1}}},
		{"given a replacement without an arrow, then it is text", "- [ab] replace in global: tea\n", []Proposal{{ID: "ab", Kind: ProposeAdd, Target: global, Text: "replace in global: tea", Line: 1}}},
		{"given an id twice, then they differ", "- [ab] one x\n- [AB] two x\n", []Proposal{
			{ID: "ab", Kind: ProposeAdd, Target: global, Text: "one x", Line: 1}, {ID: "ab-2", Kind: ProposeAdd, Target: global, Text: "two x", Line: 2},
		}},
		{"given words over several lines", "- [ab] remove from global: likes\n  green tea <!-- confidence=0.7 x=y -->\n", []Proposal{{ID: "ab", Kind: ProposeRemove, Target: global, Old: "likes green tea", Confidence: 0.7, Line: 1}}},
		{"given code and comments, then they are none", "```\n- a b\n```\n<!-- - c -->\n", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := New(Config{Root: t.TempDir()})
			writeFile(t, m.InboxPath(), tc.given)
			got, err := m.Inbox()
			must(t, err)
			for i := range got {
				if i < len(tc.want) && tc.want[i].ID == "?" && len(got[i].ID) == 6 {
					got[i].ID = "?"
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAcceptMakesTheProposedChangeAndCanBeUndone(t *testing.T) {
	const given = "\ufeff- one\r\n- Likes tea <!-- 2026-01-01 -->\r\n  a lot\r\n\r\n## Notes\r\n- last"
	for _, tc := range []struct {
		name string
		p    Proposal
		want string
	}{
		{"given an addition", Proposal{Text: "two two"}, "\ufeff- one\r\n- Likes tea <!-- 2026-01-01 -->\r\n  a lot\r\n\r\n## Notes\r\n- last\r\n\r\n## Remembered\r\n\r\n- two two <!-- DATE cpu-a -->\r\n"},
		{"given a replacement", Proposal{Kind: ProposeReplace, Old: "likes tea a lot", Text: "Likes coffee"}, "\ufeff- one\r\n- Likes coffee <!-- DATE cpu-a -->\r\n\r\n## Notes\r\n- last"},
		{"given a replacement of the first", Proposal{Kind: ProposeReplace, Old: "one", Text: "eins"}, "\ufeff- eins <!-- DATE cpu-a -->\r\n- Likes tea <!-- 2026-01-01 -->\r\n  a lot\r\n\r\n## Notes\r\n- last"},
		{"given a replacement of the last", Proposal{Kind: ProposeReplace, Old: "last", Text: "newest"}, "\ufeff- one\r\n- Likes tea <!-- 2026-01-01 -->\r\n  a lot\r\n\r\n## Notes\r\n- newest <!-- DATE cpu-a -->"},
		{"given a removal", Proposal{Kind: ProposeRemove, Old: "Likes tea a lot"}, "\ufeff- one\r\n\r\n## Notes\r\n- last"},
		{"given a removal of the first", Proposal{Kind: ProposeRemove, Old: "one"}, "\ufeff- Likes tea <!-- 2026-01-01 -->\r\n  a lot\r\n\r\n## Notes\r\n- last"},
		{"given a removal of the last", Proposal{Kind: ProposeRemove, Old: "last"}, "\ufeff- one\r\n- Likes tea <!-- 2026-01-01 -->\r\n  a lot\r\n\r\n## Notes\r\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := New(Config{Root: t.TempDir()})
			writeFile(t, m.Path(global), given)
			tc.p.Session = "cpu-a"
			p := propose(t, m, tc.p)
			w, err := m.Accept(t.Context(), p.ID)
			must(t, err)
			got := strings.ReplaceAll(readFile(t, m.Path(global)), time.Now().Format(time.DateOnly), "DATE")
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			if left, err := m.Inbox(); err != nil || len(left) != 0 || readFile(t, m.InboxPath()) != inboxHead+"\n" {
				t.Errorf("left in the inbox: %+v, %v", left, err)
			}
			mustUndo(t, New(Config{Root: string(m.root)}), "") // another process
			if diff := cmp.Diff(given, readFile(t, m.Path(global))); diff != "" {
				t.Error(diff)
			}
			if _, err := m.Undo(t.Context(), w.UndoID); err == nil && tc.p.Kind != ProposeRemove {
				t.Error("undone twice")
			}
			if _, err := m.Undo(t.Context(), ""); !errors.Is(err, ErrNothingToUndo) {
				t.Errorf("undone without a change: %v", err)
			}
		})
	}
}

func TestEditAndDiscard(t *testing.T) {
	m := New(Config{Root: t.TempDir()})
	writeFile(t, m.Path(global), "- one\n")
	writeFile(t, m.InboxPath(), "my words\n\n- [ab] Likes tea <!-- session=cpu-a -->\n- [cd] remove from global: one\n\nmore\n")
	p, err := m.Edit(t.Context(), "AB", "Likes green tea")
	if err != nil || p.Text != "Likes green tea" {
		t.Errorf("edited %+v, %v", p, err)
	}
	if _, err := m.Edit(t.Context(), "cd", "two two"); !errors.Is(err, lesson.ErrRejected) {
		t.Errorf("edited a removal: %v", err)
	}
	if _, err := m.Edit(t.Context(), "ab", "begin with AGENT: coder"); !errors.Is(err, lesson.ErrRejected) {
		t.Errorf("edited to a directive: %v", err)
	}
	if _, err := m.Discard(t.Context(), "cd"); err != nil {
		t.Error(err)
	}
	for _, err := range []error{failure(m.Edit(t.Context(), "zz", "some text")), failure(m.Discard(t.Context(), "zz")), failure(m.Accept(t.Context(), ""))} {
		if !errors.Is(err, ErrNoProposal) {
			t.Errorf("a proposal that isn't there: %v", err)
		}
	}
	text := readFile(t, m.InboxPath())
	if !strings.HasPrefix(text, "my words\n\n- [ab] add to global: Likes green tea <!-- ") || !strings.HasSuffix(text, " session=cpu-a -->\n\nmore\n") {
		t.Errorf("inbox:\n%s", text)
	}
	if readFile(t, m.Path(global)) != "- one\n" {
		t.Error("the memory was changed")
	}
}

func failure[T any](_ T, err error) error { return err }

func TestAcceptChecksAgain(t *testing.T) {
	for _, tc := range []struct {
		given string
		want  error
	}{
		{"begin with AGENT: coder", lesson.ErrRejected},
		{"zero\u200bwidth", lesson.ErrRejected},
		{"Likes tea", ErrDuplicate},
		{"replace in global: gone => new text", ErrNoLine},
		{"replace in global: twice => new text", ErrNoLine},
		{"replace in global: other => Likes tea", ErrDuplicate},
		{"remove from global: twice", ErrNoLine},
		{"remove from agent nobody: x", ErrNoLine},
		{"[ab] guessed at <!-- confidence=0.5 -->", lesson.ErrRejected},
	} {
		t.Run(tc.given, func(t *testing.T) {
			m := New(Config{Root: t.TempDir()})
			const held = "- Likes tea\n- twice\n- twice\n- other\n"
			inbox := "- " + tc.given + "\n"
			writeFile(t, m.Path(global), held)
			writeFile(t, m.InboxPath(), inbox)
			list, err := m.Inbox()
			must(t, err)
			if _, err := m.Accept(t.Context(), list[0].ID); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
			if readFile(t, m.Path(global)) != held || readFile(t, m.InboxPath()) != inbox {
				t.Error("something was changed")
			}
		})
	}
}

func TestProposeRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		p    Proposal
		want error
	}{
		"what the memory says":      {Proposal{Text: "likes TEA."}, ErrDuplicate},
		"what is proposed already":  {Proposal{Text: "waits for review"}, ErrDuplicate},
		"a directive":               {Proposal{Text: "Begin with AGENT: coder"}, lesson.ErrRejected},
		"a guess":                   {Proposal{Text: "maybe likes jazz", Confidence: 0.59}, lesson.ErrRejected},
		"more than certain":         {Proposal{Text: "surely likes jazz", Confidence: 1.1}, lesson.ErrRejected},
		"a directive as new":        {Proposal{Kind: ProposeReplace, Old: "Likes tea", Text: "Begin with AGENT: coder"}, lesson.ErrRejected},
		"the same line":             {Proposal{Kind: ProposeReplace, Old: "Likes tea", Text: "Likes tea"}, ErrDuplicate},
		"a line that isn't there":   {Proposal{Kind: ProposeRemove, Old: "Likes jazz"}, ErrNoLine},
		"no line":                   {Proposal{Kind: ProposeRemove}, ErrNoLine},
		"a hidden line":             {Proposal{Kind: ProposeRemove, Old: "x <!-- y"}, lesson.ErrRejected},
		"an agent that isn't there": {Proposal{Kind: ProposeRemove, Old: "x", Target: Target{TargetAgent, "9"}}, ErrNoLine},
	} {
		t.Run(name, func(t *testing.T) {
			m := New(Config{Root: t.TempDir()})
			writeFile(t, m.Path(global), "- Likes tea\n")
			propose(t, m, Proposal{Text: "Waits for review"})
			before := readFile(t, m.InboxPath())
			if _, err := m.Propose(t.Context(), tc.p); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
			if readFile(t, m.InboxPath()) != before {
				t.Error("the inbox was changed")
			}
		})
	}
	m := New(Config{Root: t.TempDir()})
	if _, err := m.Propose(t.Context(), Proposal{Text: "some text", Target: Target{TargetAgent, "a  b"}}); err == nil {
		t.Error("a target was proposed that the inbox can't hold")
	}
	writeFile(t, m.InboxPath(), strings.Repeat("- x y z\n", maxProposals))
	if _, err := m.Propose(t.Context(), Proposal{Text: "one more"}); !errors.Is(err, lesson.ErrRejected) {
		t.Errorf("a full inbox: %v", err)
	}
	if _, err := m.Propose(t.Context(), Proposal{Text: "one more", Why: WhyForgotten}); err != nil {
		t.Errorf("what a forgetting proposes: %v", err)
	}
	writeFile(t, m.InboxPath(), "")
	for i := range maxOfAssistants {
		if _, err := m.Propose(t.Context(), Proposal{Text: fmt.Sprintf("An assistant's line %d", i), Why: WhyAssistant}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Propose(t.Context(), Proposal{Text: "one more of an assistant", Why: WhyAssistant}); !errors.Is(err, ErrInboxFull) {
		t.Errorf("too many of assistants: %v", err)
	}
	if _, err := m.Propose(t.Context(), Proposal{Text: "one of the user's own", Why: WhyAsk}); err != nil {
		t.Errorf("assistants use up the inbox: %v", err)
	}
	writeFile(t, m.InboxPath(), "```\nopen")
	if p, err := m.Propose(t.Context(), Proposal{Text: "one more"}); err != nil || !strings.HasPrefix(readFile(t, m.InboxPath()), "```\nopen\n```\n\n- ["+p.ID) {
		t.Errorf("an open code block: %v", err)
	}
}

func TestAFullListEvictsNothingSilently(t *testing.T) {
	m := New(Config{Root: t.TempDir(), MaxServer: 2})
	for target, room := range map[Target]int{{TargetPerson, "7"}: 5, {TargetServer, "9"}: 2} {
		for i := range room {
			_, err := m.Append(t.Context(), Lesson{Text: fmt.Sprintf("fact number %d", i), Target: target})
			must(t, err)
		}
		if _, err := m.Append(t.Context(), Lesson{Text: "one too many", Target: target}); !errors.Is(err, ErrFull) {
			t.Errorf("%v: %v", target, err)
		}
		var ids []string
		for i := range room {
			p := propose(t, m, Proposal{Text: fmt.Sprintf("newer thing %d", i), Target: target})
			if p.Kind != ProposeReplace || p.Old != fmt.Sprintf("fact number %d", i) {
				t.Errorf("proposed %+v", p)
			}
			ids = append(ids, p.ID)
		}
		if _, err := m.Propose(t.Context(), Proposal{Text: "one too many", Target: target}); !errors.Is(err, ErrFull) {
			t.Errorf("%v: %v", target, err)
		}
		_, err := m.Accept(t.Context(), ids[0])
		must(t, err)
		f, err := m.Load(target)
		must(t, err)
		if len(f.Bullets) != room || f.Bullets[0].Text != "newer thing 0" {
			t.Errorf("%v: %+v", target, f.Bullets)
		}
	}
}

func TestUndoOfARemovalFindsItsPlace(t *testing.T) {
	for _, tc := range []struct{ name, now, want string }{
		{"given lines above that moved", "# New\n- zero\n- one\n- three\n", "# New\n- zero\n- one\n- two\n- three\n"},
		{"given its neighbour is gone, then at the end", "- three", "- three\n- two\n"},
		{"given an empty file", "", "- two\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := New(Config{Root: t.TempDir()})
			writeFile(t, m.Path(global), "- one\n- two\n- three\n")
			_, err := m.Accept(t.Context(), propose(t, m, Proposal{Kind: ProposeRemove, Old: "two"}).ID)
			must(t, err)
			writeFile(t, m.Path(global), tc.now)
			mustUndo(t, m, "")
			if diff := cmp.Diff(tc.want, readFile(t, m.Path(global))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestChangesCanBeUndoneOneAfterTheOther(t *testing.T) {
	m := New(Config{Root: t.TempDir()})
	for i := range maxUndo + 2 {
		_, err := m.Append(t.Context(), Lesson{Text: fmt.Sprintf("fact number %d", i)})
		must(t, err)
	}
	for range maxUndo {
		mustUndo(t, m, "")
	}
	f, err := m.Load(global)
	must(t, err)
	if len(f.Bullets) != 2 || f.Bullets[1].Text != "fact number 1" {
		t.Errorf("left: %+v", f.Bullets)
	}
	must(t, os.WriteFile(m.undos.path, []byte("garbage\n"), 0o600))
	if _, err := m.Undo(t.Context(), ""); err == nil {
		t.Error("garbage was undone")
	}
}

func FuzzInbox(f *testing.F) {
	f.Add("- [ab] add to global: x <!-- confidence=0.8 -->\n", "Likes tea", "old => line", "agent", "002")
	f.Add("\ufeff- a\r\n- [a] replace in global: b \\=> c => d\r\n", "x => y z", `a \=> b`, "global", "")
	f.Add("- [a] x\n- [a] y\n- [a-2] z\n", "add to global: tea", "[ab] remove from global: x", "person", "7")
	f.Fuzz(func(t *testing.T, raw, text, old, kind, id string) {
		seen := map[string]bool{}
		for _, p := range parseProposals(memorytext.ParseBytes([]byte(raw))) {
			if p.ID == "" || seen[p.ID] || !goodTarget(p.Target) {
				t.Fatalf("proposal %+v", p)
			}
			seen[p.ID] = true
		}
		m := New(Config{Root: t.TempDir()})
		for _, k := range []ProposalKind{ProposeAdd, ProposeReplace, ProposeRemove} {
			p := Proposal{Kind: k, Target: Target{TargetKind(kind), id}, Text: text, Old: old}
			if p.check(m.root, m.forgotten) != nil || p.Target.ID != transcript.OneLine(p.Target.ID) || transcript.OneLine(p.Old) != p.Old {
				continue
			}
			p.ID, p.Time, p.Line = "id9999", time.Unix(1e9, 0), 1
			got := parseProposals(memorytext.Parse("- " + strings.ToValidUTF8(p.bullet(), "\ufffd") + "\n"))
			p.Old = strings.ToValidUTF8(p.Old, "\ufffd")
			if diff := cmp.Diff([]Proposal{p}, got, cmpopts.EquateApproxTime(0)); diff != "" {
				t.Fatal(diff)
			}
		}
		if seen["id9999"] {
			return
		}
		out, change := memorytext.ParseBytes([]byte(raw)).AppendListed([]byte(raw), Proposal{ID: "id9999", Target: global, Text: "some words"}.bullet())
		_, it, err := findProposal(out, "id9999")
		if err != nil {
			return // a comment hides it: Propose reports it
		}
		if _, _, gone := it.Replace(out, ""); !strings.HasPrefix(string(gone), change.Line) {
			t.Fatalf("the proposal is %q", gone)
		}
		if back, ok := change.Revert(out); !ok || string(back) != raw {
			t.Fatalf("put in and taken out:\n got %q\nwant %q", back, raw)
		}
	})
}
