package memory

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/forgotten"

	"github.com/google/go-cmp/cmp"
)

// forgetRig is a data folder in which something is forgotten.
type forgetRig struct {
	t    *testing.T
	root string
	m    *Memory
}

func newForgetRig(t *testing.T) *forgetRig {
	t.Helper()
	root := t.TempDir()
	return &forgetRig{t: t, root: root, m: New(Config{Root: root})}
}

// text forgets a phrase wherever it occurs, as package forget does.
func (r *forgetRig) text(phrase string) []forgotten.Touched {
	r.t.Helper()
	tr, err := r.m.Forgotten().New(true, false)
	must(r.t, err)
	tr.AddWords(phrase)
	must(r.t, filepath.WalkDir(r.root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			tr.AddPhrase(readFile(r.t, p), tr.Phrase(phrase))
		}
		return nil
	}))
	return r.forget(tr)
}

func (r *forgetRig) forget(tr *forgotten.Draft) []forgotten.Touched {
	r.t.Helper()
	must(r.t, r.m.Forgotten().Begin(tr))
	found, err := r.m.Forget(r.t.Context(), tr.Traces, false)
	must(r.t, err)
	must(r.t, r.m.Forgotten().Done(tr.Traces, found))
	return found
}

// residue fails if a file below the folder contains the words, or has them in its name.
func (r *forgetRig) residue(words ...string) {
	r.t.Helper()
	filetest.Lacks(r.t, r.root, words...)
}

func actions(found []forgotten.Touched) map[string]int {
	out := map[string]int{}
	for _, t := range found {
		out[t.Place+" "+t.Action]++
	}
	return out
}

func TestForgettingInMemoryFiles(t *testing.T) {
	r := newForgetRig(t)
	remember(t, r.m, "The locker opens with zebra seven")
	remember(t, r.m, "Likes green tea")
	agent := filepath.Join(r.root, "agents", "agent-001", "memory.md")
	writeFile(t, agent, "# Mine\n\nSome words.\n\n- one\n- The ZEBRA\n  seven thing\n- two\n")
	writeFile(t, filepath.Join(r.root, "memory", "user-7.md"), "- knows zebra seven\r\n- is kind\r\n")
	writeFile(t, filepath.Join(r.root, "agents", ".trash", "x", "memory.md"), "- zebra seven\n")
	propose(t, r.m, Proposal{Text: "Opens it with zebra seven each day"})
	propose(t, r.m, Proposal{Text: "Walks to the harbour"})
	must(t, r.m.KeepUnsaved(Unsaved{Path: agent, Base: "- zebra seven\n- two\n", Text: "- zebra seven\n- two\n- three\n"}))
	found := r.text("zebra seven")
	r.residue("zebra", "emVicmE") // and its base64
	if got := readFile(t, agent); got != "# Mine\n\nSome words.\n\n- one\n- two\n" {
		t.Errorf("%q", got)
	}
	if got := readFile(t, filepath.Join(r.root, "memory", "user-7.md")); got != "- is kind\r\n" {
		t.Errorf("%q", got)
	}
	if waiting, err := r.m.Inbox(); err != nil || len(waiting) != 1 {
		t.Errorf("inbox: %v %v", waiting, err)
	}
	if all, err := r.m.AllUnsaved(); err != nil || all[agent].Text != "- two\n- three\n" || all[agent].Base != "- two\n" {
		t.Errorf("unsaved: %+v %v", all, err)
	}
	if steps := r.m.Undoable(); len(steps) != 1 || steps[0].Added != "Likes green tea" {
		t.Errorf("undo: %+v", steps)
	}
	if actions(found)["memory removed"] != 4 {
		t.Errorf("%v", actions(found))
	}
	if _, err := r.m.Append(t.Context(), Lesson{Text: "It opens with zebra seven", Confidence: 1}); err == nil {
		t.Error("a model may remember it again")
	}
	if _, err := r.m.Append(t.Context(), Lesson{Text: "It opens with zebra seven", Hand: true}); err != nil {
		t.Errorf("by hand: %v", err)
	}
}

func TestForgettingProposesOrRemovesLessons(t *testing.T) {
	for _, too := range []bool{false, true} {
		r := newForgetRig(t)
		w, err := r.m.Append(t.Context(), Lesson{Text: "Keeps striped animals in the shed", Confidence: 1, Session: "cli-a"})
		must(t, err)
		tr, err := r.m.Forgotten().New(false, too)
		must(t, err)
		for _, l := range r.m.Learned() {
			if l.Session == "cli-a" && l.Line == w.Line {
				tr.AddLesson(l.Text)
			}
		}
		must(t, r.m.Forgotten().Begin(tr))
		if _, err := r.m.Forget(t.Context(), tr.Traces, false); err != nil {
			t.Fatal(err)
		}
		waiting, err := r.m.Inbox()
		must(t, err)
		if too {
			r.residue("striped")
			continue
		}
		if len(waiting) != 1 || waiting[0].Kind != ProposeRemove || waiting[0].Why != WhyForgotten || waiting[0].Old != w.Text {
			t.Errorf("proposed: %+v", waiting)
		}
		if _, err := r.m.Forget(t.Context(), tr.Traces, false); err != nil { // run again after a crash
			t.Fatal(err)
		}
		if again, _ := r.m.Inbox(); len(again) != 1 {
			t.Errorf("proposed twice: %+v", again)
		}
		must(t, r.m.Forgotten().Tried(tr.Traces, nil)) // something else was refused
		must(t, second(r.m.Discard(t.Context(), waiting[0].ID)))
		for _, left := range r.m.Forgotten().Unfinished() {
			must(t, second(r.m.Forget(t.Context(), left, false)))
		}
		if again, _ := r.m.Inbox(); len(again) != 0 {
			t.Errorf("proposed again when it is tried again, though it was decided: %+v", again)
		}
	}
}

// Forgetting in a paragraph that a person wrote removes the sentence, not the paragraph.
func TestForgettingInAParagraphRemovesTheSentence(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"a sentence in a line", "I sail. The boat lies in zanzibar. I like tea.\n", "I sail. I like tea.\n"},
		{"a sentence across lines", "I sail. The boat\nlies in zanzibar. I like tea.\nEnd.\n", "I sail.\nI like tea.\nEnd.\n"},
		{"lines without a full stop", "Dentist on Monday\nPIN of zanzibar\nMilk\n", "Dentist on Monday\nMilk\n"},
		{"the last sentence", "I sail. To zanzibar!\n\nNext.\n", "I sail.\n\nNext.\n"},
		{"all of it", "To zanzibar\n\nNext.\n", "\nNext.\n"},
		{"with Windows line ends", "I sail.\r\nTo zanzibar.\r\nHome.\r\n", "I sail.\r\nHome.\r\n"},
		{"in a fence", "```\na\nzanzibar\nb\n```\n", "```\na\nb\n```\n"},
		{"in a table", "| a | b |\n|---|---|\n| zanzibar | 1 |\n| tea | 2 |\n", "| a | b |\n|---|---|\n| tea | 2 |\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newForgetRig(t)
			path := filepath.Join(r.root, "agents", "memory.md")
			must(t, os.MkdirAll(filepath.Dir(path), 0o700))
			writeFile(t, path, tc.text)
			r.text("zanzibar")
			if got := readFile(t, path); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// What the user writes again in the app stays and is found; a later forgetting removes it.
func TestLineWrittenAgainInTheAppStays(t *testing.T) {
	r := newForgetRig(t)
	_, err := r.m.Append(t.Context(), Lesson{Text: "The boat lies in zanzibar", Confidence: 1, Hand: true})
	must(t, err)
	r.text("zanzibar")
	r.residue("zanzibar")
	_, err = r.m.Append(t.Context(), Lesson{Text: "The boat lies in Zanzibar", Confidence: 1, Hand: true})
	must(t, err)
	o, err := r.m.OpenOwned(filepath.Join(r.root, "agents", "memory.md"))
	must(t, err)
	_, err = r.m.SaveOwned(t.Context(), o, o.Text+"- Back to zanzibar in May\n")
	must(t, err)
	again := New(Config{Root: r.root})
	f, err := again.Load(global)
	must(t, err)
	if len(f.Bullets) != 2 || again.Forgotten().HasIn("", f.Bullets[1].Text) {
		t.Errorf("%+v", f.Bullets)
	}
	r.text("zanzibar")
	r.residue("zanzibar")
}

// Lines that come with the product weren't said by anybody: they stay, and are reported.
func TestForgettingLeavesShippedLines(t *testing.T) {
	r := newForgetRig(t)
	const skill = "You fix the gearbox.\nBe brief.\n"
	r.m = New(Config{Root: r.root, Shipped: fstest.MapFS{
		"agents/agent-002/skill.md": {Data: []byte(skill)},
		"agents/memory.md":          {Data: []byte("- ask about the gearbox\n")},
	}})
	path := filepath.Join(r.root, "agents", "agent-002", "skill.md")
	writeFile(t, path, "You fix the gearbox.\nMy gearbox hums.\nBe brief.\n")
	writeFile(t, r.m.Path(global), "- ask about the gearbox\n- no gearbox for me\n")
	found := r.text("gearbox")
	if got := readFile(t, path); got != skill {
		t.Errorf("the agent's file: %q", got)
	}
	if got := readFile(t, r.m.Path(global)); got != "- ask about the gearbox\n" {
		t.Errorf("the memory: %q", got)
	}
	shipped := map[string]int{}
	for _, f := range found {
		if f.Final && f.Action == forgotten.Refused && strings.Contains(f.Why, "came with mac-stats") {
			shipped[f.Path] = f.Line
		}
	}
	if diff := cmp.Diff(map[string]int{path: 1, r.m.Path(global): 1}, shipped); diff != "" {
		t.Error(diff)
	}
	if got := string(r.m.Unshipped([]byte("Be brief.\nmine\n"))); got != "\nmine\n" {
		t.Errorf("unshipped is %q", got)
	}
	if got := ShippedTouched("memory", path, 3); !strings.HasPrefix(got.Why, "in 3 lines; ") {
		t.Errorf("%+v", got)
	}
}

// Without the texts that the user typed elsewhere, the files of agents keep the same words,
// and the report says so.
func TestForgettingKeepsTheSameWordsInAgentsFiles(t *testing.T) {
	r := newForgetRig(t)
	path := filepath.Join(r.root, "skills", "boats.md")
	writeFile(t, path, "The boat lies in zanzibar.\n")
	tr, err := r.m.Forgotten().New(false, false)
	must(t, err)
	tr.AddWords("lies in zanzibar")
	if found := r.forget(tr); len(found) != 1 || found[0].Action != forgotten.Kept || found[0].Path != path {
		t.Errorf("found %+v", found)
	}
	if got := readFile(t, path); got != "The boat lies in zanzibar.\n" {
		t.Errorf("%q", got)
	}
}

// Somebody on Discord can have removed what was learned there, and nothing of the owner's.
func TestForgettingForAGuestLeavesTheOwnersText(t *testing.T) {
	r := newForgetRig(t)
	person := Target{TargetPerson, "7"}
	writeFile(t, r.m.Path(person), "- sails to zanzibar <!-- 2026-11-21 discord-5 -->\n- I like zanzibar\n")
	writeFile(t, r.m.Path(global), "Zanzibar is mine.\n\n- sails to zanzibar\n- was in zanzibar <!-- 2026-11-21 cpu-a -->\n")
	own := Unsaved{Path: r.m.Path(global), Base: "", Text: "- zanzibar\n", Time: time.Now().Add(-time.Minute)}
	theirs := Unsaved{Path: r.m.Path(person), Base: "", Text: "- zanzibar <!-- 2026-11-21 discord-5 -->\n", Time: time.Now().Add(-time.Minute)}
	must(t, errors.Join(r.m.KeepUnsaved(own), r.m.KeepUnsaved(theirs)))
	tr, err := r.m.Forgotten().New(true, false)
	must(t, err)
	tr.ForGuest()
	tr.AddWords("zanzibar")
	found := r.forget(tr)
	if diff := cmp.Diff(map[string]int{"memory removed": 1, "unsaved edit removed": 1}, actions(found)); diff != "" {
		t.Error(diff)
	}
	if got := readFile(t, r.m.Path(person)); got != "- I like zanzibar\n" {
		t.Errorf("the person's: %q", got)
	}
	if got := readFile(t, r.m.Path(global)); !strings.Contains(got, "Zanzibar is mine.\n\n- sails to zanzibar\n- was in zanzibar") {
		t.Errorf("the owner's: %q", got)
	}
	edits, err := r.m.AllUnsaved()
	if must(t, err); edits[own.Path].Text != own.Text || edits[theirs.Path].Text != "" {
		t.Errorf("unsaved: %+v", edits)
	}
}

// A lesson learned from what is forgotten goes wherever it stands, if lessons go too.
func TestForgettingALessonReachesEditsAndUndo(t *testing.T) {
	r := newForgetRig(t)
	learn(t, r.m, "Keeps striped animals in the shed")
	propose(t, r.m, Proposal{Kind: ProposeReplace, Old: "Keeps striped animals in the shed", Text: "Sold the shed"})
	must(t, r.m.KeepUnsaved(Unsaved{Path: r.m.Path(global), Base: "- Keeps striped animals in the shed\n- one\n", Text: "- one\n", Time: time.Now()}))
	writeFile(t, filepath.Join(r.root, "agents", "agent-9", "notes.md"), "- Keeps striped animals in the shed\n")
	learned := r.m.Learned()
	texts := map[string]string{}
	for _, l := range learned {
		texts[l.Text] = l.Session
	}
	if diff := cmp.Diff(map[string]string{"Keeps striped animals in the shed": "", "Sold the shed": ""}, texts); diff != "" && len(learned) != 3 {
		t.Errorf("learned: %+v", learned)
	}
	tr, err := r.m.Forgotten().New(true, true)
	must(t, err)
	tr.AddLesson("Keeps striped animals in the shed")
	found := r.forget(tr)
	r.residue("striped")
	if a := actions(found); a["lesson removed"] != 2 || a["proposal removed"] != 1 || a["undo removed"] != 1 || a["unsaved edit removed"] != 1 {
		t.Errorf("found %v", a)
	}
}

// A lesson in a file that the inbox can't name is only reported.
func TestALessonOutsideTheMemoriesIsReported(t *testing.T) {
	r := newForgetRig(t)
	path := filepath.Join(r.root, "agents", "agent-9", "memory.old.md")
	writeFile(t, path, "- Keeps striped animals in the shed\n")
	tr, err := r.m.Forgotten().New(true, false)
	must(t, err)
	tr.AddLesson("Keeps striped animals in the shed")
	found := r.forget(tr)
	if len(found) != 1 || found[0].Action != forgotten.Kept || found[0].Path != path || found[0].Line != 1 || !strings.Contains(found[0].Why, "by hand") {
		t.Errorf("found %+v", found)
	}
}

// What can't be cleaned is reported as refused, and the rest is done.
func TestForgettingReportsWhatItCannotRemove(t *testing.T) {
	r := newForgetRig(t)
	readonly, fine, damaged := filepath.Join(r.root, "agents", "memory-main.md"), r.m.Path(global), filepath.Join(r.m.root.unsaved(), "x.json")
	for _, path := range []string{readonly, fine, filepath.Join(r.root, "agents", "notes.txt")} {
		writeFile(t, path, "- in zanzibar\n- one\n")
	}
	must(t, os.Chmod(readonly, 0o400))
	must(t, os.Mkdir(filepath.Join(r.root, "agents", "folder.md"), 0o700))
	must(t, os.Link(fine, filepath.Join(r.root, "elsewhere.md")))
	writeFile(t, damaged, "{ zanzibar")
	tr, err := r.m.Forgotten().New(true, false)
	must(t, err)
	tr.AddWords("in zanzibar")
	tr.AddWords("zanzibar")
	planned, err := r.m.Forget(t.Context(), tr.Traces, true)
	must(t, err)
	if len(planned) != 5 || planned[0].Text == "" || readFile(t, damaged) != "{ zanzibar" {
		t.Errorf("planned %+v", planned)
	}
	done := map[string]string{}
	for _, f := range r.forget(tr) {
		done[filepath.Base(f.Path)] += f.Action + " "
	}
	want := map[string]string{
		"memory-main.md": "refused ", "memory.md": "removed kept ", "notes.txt": "removed ", "x.json": "removed ",
	}
	if diff := cmp.Diff(want, done); diff != "" {
		t.Error(diff)
	}
	if got := readFile(t, fine); got != "- one\n" {
		t.Errorf("%q", got)
	}
	if _, err := os.Stat(damaged); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an edit that can't be read holds it: %v", err)
	}
}

// A late save, a backup or a sync program brings forgotten text back: nothing reads it.
func TestForgottenTextThatComesBackIsNotRead(t *testing.T) {
	r := newForgetRig(t)
	path, notes := r.m.Path(global), filepath.Join(r.root, "agents", "agent-1", "skill.md")
	learn(t, r.m, "The boat lies in zanzibar")
	learn(t, r.m, "Likes green tea")
	whole, journal := readFile(t, path), filepath.Join(r.root, "agents", ".memory-journal")
	lines := readFile(t, journal)
	must(t, r.m.KeepUnsaved(Unsaved{Path: path, Base: whole, Text: whole, Time: time.Now().Add(-time.Hour)}))
	edit := r.m.unsavedPath(path)
	begun := readFile(t, edit)
	r.text("zanzibar")
	back := map[string]string{path: whole, r.m.InboxPath(): "- [k3x9qa] add to global: to zanzibar <!-- 2026-11-21 -->\n", notes: "in zanzibar\n", edit: begun, journal: lines}
	for file, text := range back {
		saved(t, file, text)
	}
	if got := bulletTexts(t, New(Config{Root: r.root})); got != "Likes green tea" {
		t.Errorf("read: %q", got)
	}
	if waiting, err := r.m.Inbox(); err != nil || len(waiting) > 0 {
		t.Errorf("proposed: %+v, %v", waiting, err)
	}
	if o, err := r.m.OpenOwned(notes); err != nil || o.Text != "" {
		t.Errorf("opened: %q, %v", o.Text, err)
	}
	if edits, err := r.m.AllUnsaved(); err != nil || strings.Contains(edits[path].Base+edits[path].Text, "zanzibar") {
		t.Errorf("unsaved: %+v, %v", edits, err)
	}
	must(t, second(r.m.Settle(t.Context())))
	r.residue("zanzibar")
	for _, tc := range []struct{ path, text, want string }{
		{notes, "One.\nTo zanzibar\n", "One.\n"},
		{filepath.Join(r.root, "agents", "x.png"), "zanzibar", "zanzibar"}, // not a text of the memory
		{filepath.Join(r.root, "..", "x.md"), "zanzibar", "zanzibar"},
	} {
		if got := string(r.m.Clean(tc.path, []byte(tc.text))); got != tc.want {
			t.Errorf("%s is cleaned to %q", tc.path, got)
		}
	}
	learn(t, r.m, "Walks to the harbour") // Append refuses only the same words
	if found, err := r.m.Forget(t.Context(), &forgotten.Traces{}, false); err != nil || found != nil {
		t.Errorf("nothing to forget: %+v, %v", found, err)
	}
}
