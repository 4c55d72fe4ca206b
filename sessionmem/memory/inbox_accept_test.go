package memory

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// held is the memory that the proposals of these tests change.
const held = "- Likes tea\n- Uses Go 1.25\n"

var acceptedKinds = []struct {
	name string
	p    Proposal
	want string // the texts afterwards
}{
	{"an addition", Proposal{Text: "Lives in Oslo"}, "Likes tea|Uses Go 1.25|Lives in Oslo"},
	{"a replacement", Proposal{Kind: ProposeReplace, Old: "Uses Go 1.25", Text: "Uses Go 1.26"}, "Likes tea|Uses Go 1.26"},
	{"a removal", Proposal{Kind: ProposeRemove, Old: "Uses Go 1.25"}, "Likes tea"},
}

func bulletTexts(t testing.TB, m *Memory) string {
	t.Helper()
	f, err := m.Load(global)
	must(t, err)
	var texts []string
	for _, b := range f.Bullets {
		texts = append(texts, b.Text)
	}
	return strings.Join(texts, "|")
}

// After a crash in any step of Accept, the next Accept finishes the work and does nothing
// twice.
func TestAcceptAfterACrash(t *testing.T) {
	for _, kind := range acceptedKinds {
		for _, step := range []string{"before anything", "after the mark", "after the memory"} {
			t.Run(kind.name+" "+step, func(t *testing.T) {
				m := New(Config{Root: t.TempDir()})
				writeFile(t, m.Path(global), held)
				p := propose(t, m, kind.p)
				if step != "before anything" {
					_, err := m.waiting.mark(p.ID)
					must(t, err)
				}
				if step == "after the memory" {
					_, err := m.changeMemory(p)
					must(t, err)
				}
				again := New(Config{Root: string(m.root)})
				waiting, err := again.Inbox()
				if err != nil || len(waiting) != 1 || waiting[0].Accepting != (step != "before anything") {
					t.Fatalf("waiting %+v, %v", waiting, err)
				}
				w, err := again.Accept(t.Context(), p.ID)
				must(t, err)
				if w.Text != kind.p.Text || w.Old != kind.p.Old && kind.p.Kind != "" || w.Path == "" {
					t.Errorf("written %+v", w)
				}
				if got := bulletTexts(t, again); got != kind.want {
					t.Errorf("memory %q, want %q", got, kind.want)
				}
				if left, err := again.Inbox(); err != nil || len(left) != 0 {
					t.Errorf("left %+v, %v", left, err)
				}
				mustUndo(t, again, "")
				if got := readFile(t, again.Path(global)); got != held {
					t.Errorf("after undo:\n%s", got)
				}
			})
		}
	}
}

// A proposal that was marked and then edited, in the window or by hand, is a new one.
func TestAMarkedProposalCanBeEdited(t *testing.T) {
	m := New(Config{Root: t.TempDir()})
	writeFile(t, m.Path(global), held)
	p := propose(t, m, Proposal{Text: "Lives in Oslo"})
	_, err := m.waiting.mark(p.ID)
	must(t, err)
	edited, err := m.Edit(t.Context(), p.ID, "Lives in Bergen")
	if err != nil || edited.Accepting {
		t.Errorf("%+v, %v", edited, err)
	}
	_, err = m.Accept(t.Context(), p.ID)
	must(t, err)
	if got := bulletTexts(t, m); got != "Likes tea|Uses Go 1.25|Lives in Bergen" {
		t.Errorf("memory %q", got)
	}
}

// Two processes and the user's editor decide at the same time. Each proposal is accepted at
// most once, and everything that isn't a proposal stays.
func TestConcurrentDecisionsAcceptEachProposalOnce(t *testing.T) {
	root := t.TempDir()
	m := New(Config{Root: root})
	writeFile(t, m.InboxPath(), "my own words\n\n- [zz] ## \x00 broken => \n")
	var ids []string
	for i := range 8 {
		ids = append(ids, propose(t, m, Proposal{Text: fmt.Sprintf("fact number %d of them", i)}).ID)
	}
	var mu sync.Mutex
	accepted, discarded := map[string]int{}, map[string]int{}
	var work sync.WaitGroup
	for worker := range 4 {
		other := New(Config{Root: root})
		work.Go(func() {
			for i := range ids {
				id := ids[(i+worker*2)%len(ids)]
				var err error
				into := accepted
				if (i+worker)%4 == 3 {
					into = discarded
					_, err = other.Discard(t.Context(), id)
				} else {
					_, err = other.Accept(t.Context(), id)
				}
				mu.Lock()
				switch {
				case err == nil:
					into[id]++
				case !errors.Is(err, ErrNoProposal):
					t.Errorf("deciding about %s: %v", id, err)
				}
				mu.Unlock()
			}
		})
	}
	work.Wait()
	for i, id := range ids {
		n := strings.Count(bulletTexts(t, m), fmt.Sprintf("fact number %d of them", i))
		if accepted[id]+discarded[id] != 1 || n != accepted[id] {
			t.Errorf("%s: accepted %d, discarded %d, in the memory %d", id, accepted[id], discarded[id], n)
		}
	}
	if got := readFile(t, m.InboxPath()); got != "my own words\n\n- [zz] ## \x00 broken => \n" {
		t.Errorf("the inbox:\n%q", got)
	}
}

// An editor saves the inbox while a proposal is being accepted. What was typed stays, and
// the proposal is carried out once, whether or not the editor's text still holds it.
func TestAcceptWhileAnEditorSavesTheInbox(t *testing.T) {
	for name, edit := range map[string]func(text string) string{
		"a line more":           func(text string) string { return text + "\nand my words\n" },
		"without the proposal":  func(string) string { return "only my words\n" },
		"a copy of all, longer": func(text string) string { return "typed above\n\n" + text },
	} {
		t.Run(name, func(t *testing.T) {
			m := New(Config{Root: t.TempDir()})
			writeFile(t, m.Path(global), held)
			p := propose(t, m, Proposal{Text: "Lives in Oslo"})
			text := edit(readFile(t, m.InboxPath())) // the editor read this
			_, err := m.waiting.mark(p.ID)
			must(t, err)
			_, err = m.changeMemory(p)
			must(t, err)
			writeFile(t, m.InboxPath(), text) // it saves late: the mark is gone
			must(t, m.waiting.takeOut(p.ID))
			if got := bulletTexts(t, m); got != "Likes tea|Uses Go 1.25|Lives in Oslo" {
				t.Errorf("memory %q", got)
			}
			if left, err := m.Inbox(); err != nil || len(left) != 0 {
				t.Errorf("left %+v, %v", left, err)
			}
			for _, line := range []string{"my words", "typed above"} {
				if strings.Contains(text, line) && !strings.Contains(readFile(t, m.InboxPath()), line) {
					t.Errorf("%q is gone", line)
				}
			}
		})
	}
}

// Changes of all kinds are undone newest first, and a single one out of order by its ID.
func TestSeveralChangesAreUndoneInOrder(t *testing.T) {
	m := New(Config{Root: t.TempDir()})
	writeFile(t, m.Path(global), held+"\n## Notes\n\n- last\n")
	states := []string{readFile(t, m.Path(global))}
	var ids []string
	for _, p := range []Proposal{
		{Text: "Lives in Oslo"},
		{Kind: ProposeReplace, Old: "Likes tea", Text: "Likes coffee"},
		{Kind: ProposeRemove, Old: "Uses Go 1.25"},
		{Kind: ProposeReplace, Old: "Likes coffee", Text: "Likes water"},
		{Text: "Has a dog"},
		{Kind: ProposeRemove, Old: "Lives in Oslo"},
	} {
		w, err := m.Accept(t.Context(), propose(t, m, p).ID)
		must(t, err)
		states, ids = append(states, readFile(t, m.Path(global))), append(ids, w.UndoID)
	}
	for i := len(ids) - 1; i >= 0; i-- {
		id := ""
		if i%2 == 0 {
			id = ids[i]
		}
		mustUndo(t, m, id)
		if got := readFile(t, m.Path(global)); got != states[i] {
			t.Errorf("after undoing change %d:\n%s\nwant:\n%s", i, got, states[i])
		}
	}
	w, err := m.Append(t.Context(), Lesson{Text: "one of them"})
	must(t, err)
	_, err = m.Append(t.Context(), Lesson{Text: "another fact"})
	must(t, err)
	mustUndo(t, m, w.UndoID) // not the newest
	if got := bulletTexts(t, m); got != "Likes tea|Uses Go 1.25|last|another fact" {
		t.Errorf("memory %q", got)
	}
}
