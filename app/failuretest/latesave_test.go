//go:build unix

package failuretest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mac-stats/agents/testkit"
)

// The text that an editor saves in these tests, and lines that are remembered meanwhile.
const (
	edited = "# Mine\n\n- one\n- two\n"
	lesson = "Cats purr at night."
)

// memoryFile returns the path of the agents' common memory.
func (p *place) memoryFile() string { return filepath.Join(p.home, "agents/memory.md") }

// newMemory returns an installation that has run once, so that its files exist.
func newMemory(t *testing.T, host string) *place {
	t.Helper()
	p := newPlace(t, host)
	p.run("agents", "list")
	delete(p.had, "agents/memory.md") // it is edited
	return p
}

// shell runs a user's script in the memory's folder, with the file as $M.
func (p *place) shell(script string) *process {
	p.t.Helper()
	cmd := exec.Command("sh", "-c", "umask 077; "+script)
	cmd.Dir = filepath.Join(p.home, "agents")
	cmd.Env = append(os.Environ(), "M="+p.memoryFile())
	return p.start(cmd)
}

// editing starts a script that saves the memory, and returns once the save has begun: a
// busy machine starts a shell late.
func (p *place) editing(script string) *process {
	p.t.Helper()
	begun := filepath.Join(p.t.TempDir(), "begun")
	editor := p.shell(": > '" + begun + "'; " + script)
	until(p.t, "the shell", func() bool {
		_, err := os.Stat(begun)
		return err == nil
	})
	time.Sleep(200 * time.Millisecond)
	return editor
}

// save writes the memory in place at once.
func (p *place) save(text string) {
	p.t.Helper()
	if err := os.WriteFile(p.memoryFile(), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// memory returns the file's text.
func (p *place) memory() string {
	p.t.Helper()
	data, err := os.ReadFile(p.memoryFile())
	if err != nil {
		p.t.Error(err)
	}
	return string(data)
}

// holds fails the test unless the memory has each of the lines exactly once.
func (p *place) holds(lines ...string) {
	p.t.Helper()
	text := p.memory()
	for _, l := range lines {
		if strings.Count(text, l) != 1 {
			p.t.Errorf("memory.md has %q %d times:\n%s", l, strings.Count(text, l), text)
		}
	}
}

// A lesson added while another program saves the file waits for the end of the save: both
// are in the file.
func TestALessonDuringASave(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, save string
		kept       []string // nil means the edited text
		late       bool     // the lesson may be written before the save, and is then reported
	}{
		{name: "truncated, written a second later", save: `(sleep 1; printf '# Mine\n\n- one\n- two\n') > "$M"`},
		{name: "truncated, written in five seconds", save: `(sleep 5; printf '# Mine\n\n- one\n- two\n') > "$M"`},
		{name: "written in chunks", save: `(printf '# Mine\n\n- o'; sleep .5; printf 'ne\n- tw'; sleep .5; printf 'o\n') > "$M"`},
		{name: "written in slow chunks", save: `(printf '# Mine\n\n- one\n'; sleep 2.5; printf -- '- two\n'; sleep 2.5; printf -- '- three\n') > "$M"`, kept: []string{"# Mine\n\n- one\n- two\n- three\n"}},
		{name: "truncated and opened again", save: `: > "$M"; sleep .5; printf '# Mine\n\n- one\n- two\n' > "$M"`},
		{name: "cut short and opened again", save: `printf '# My' > "$M"; sleep .5; printf '# Mine\n\n- one\n- two\n' > "$M"`},
		{name: "held open to append", save: `(sleep 1; printf -- '- two\n') >> "$M"`, kept: []string{"I drink green tea.", "- two\n"}},
		{name: "held open to append, for long", save: `(sleep 5; printf -- '- two\n') >> "$M"`, kept: []string{"I drink green tea.", "- two\n"}},
		{name: "overwritten without truncating", save: `exec 3<>"$M"; sleep 1; printf '# Mine\n\n- one\n- two\n- more\n- and more of it\n' >&3`, kept: []string{"# Mine\n\n- one\n- two\n- more\n- and more of it\n"}},
		{name: "renamed over", save: `printf '# Mine\n\n- one\n- two\n' > "$M.new"; sleep .2; mv "$M.new" "$M"`, late: true},
		{name: "moved to a backup first", save: `mv "$M" "$M~"; sleep .5; printf '# Mine\n\n- one\n- two\n' > "$M"`, late: true},
		{name: "copied to a backup first", save: `cp "$M" "$M~"; : > "$M"; sleep .5; printf '# Mine\n\n- one\n- two\n' > "$M"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newMemory(t, "127.0.0.1:1")
			editor := p.editing(tt.save)
			o := p.run("memory", "add", lesson)
			if o.code != 0 {
				t.Errorf("memory add: exit %d, %q", o.code, o.stderr)
			}
			editor.wait()
			time.Sleep(1200 * time.Millisecond)
			list := p.run("memory", "list") // finishes waiting changes
			lost := strings.Contains(list.stderr, "1 remembered line is no longer in memory.md")
			if list.code != 0 || lost && !tt.late {
				t.Errorf("memory list: %+v", list)
			}
			if tt.kept == nil {
				tt.kept = []string{edited}
			}
			if lost {
				p.run("memory", "restore")
			}
			p.holds(append(tt.kept, lesson)...)
			if o := p.run("memory", "inbox"); !strings.Contains(o.stdout, "Nothing is proposed") {
				t.Errorf("left in the inbox: %s", o.stdout)
			}
			p.noLinks()
		})
	}
}

// A lesson replaces a file that an editor has open. The app, starting meanwhile, cleans up;
// what the editor writes at last is kept nevertheless.
func TestAStartBetweenALessonAndTheSave(t *testing.T) {
	t.Parallel()
	p := newMemory(t, "127.0.0.1:1")
	editor := p.shell(`exec 3>>"$M"; touch -d '1 hour ago' "$M"; while [ ! -e ../../go ]; do sleep .1; done; printf -- '- two\n' >&3`)
	time.Sleep(300 * time.Millisecond)
	if o := p.run("memory", "add", lesson); o.code != 0 {
		t.Errorf("memory add: %+v", o)
	}
	app := p.start(p.command("--headless"))
	time.Sleep(2 * time.Second) // the app cleans up
	if err := os.WriteFile(filepath.Join(p.base, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	editor.wait()
	until(t, "the editor's line", func() bool { return p.lines("two") > 0 })
	app.signal(os.Interrupt)
	app.wait()
	p.holds("I drink green tea.", "- two\n", lesson)
	p.noLinks()
}

// noLinks fails the test if a hidden copy of the memory is left.
func (p *place) noLinks() {
	p.t.Helper()
	left, err := filepath.Glob(filepath.Join(p.home, "agents", ".memory.md.*"))
	if err != nil || len(left) > 0 {
		p.t.Errorf("left beside the memory: %q, %v", left, err)
	}
}

// The editor saves in place with 50 ms between truncating and writing, while lessons are
// added at any moment.
func TestManyQuickSaves(t *testing.T) {
	t.Parallel()
	p := newMemory(t, "127.0.0.1:1")
	for i := range 40 {
		p.save(edited)
		editor := p.shell(`(sleep .05; printf '# Mine\n\n- one\n- two\n') > "$M"`)
		time.Sleep(time.Duration(i%8) * 8 * time.Millisecond)
		if o := p.run("memory", "add", fmt.Sprintf("Cat %d purrs at night.", i)); o.code != 0 {
			t.Errorf("round %d: %+v", i, o)
		}
		editor.wait()
		if !strings.HasPrefix(p.memory(), edited) {
			t.Fatalf("round %d: what was saved is lost:\n%s", i, p.memory())
		}
		if !strings.Contains(p.memory(), fmt.Sprintf("Cat %d purrs", i)) { // the save came after it
			if o := p.run("memory", "list"); !strings.Contains(o.stderr, "no longer in memory.md") {
				t.Errorf("round %d: a lesson is gone in silence: %q\n%s", i, o.stderr, p.memory())
			}
		}
	}
	p.run("memory", "restore")
	for i := range 40 {
		p.holds(fmt.Sprintf("Cat %d purrs", i))
	}
	p.noLinks()
}

// A save that doesn't know a lesson drops it. The app reports that; no request contains the
// line, and it returns to its place at the end as soon as the user wants it.
func TestALateSaveOfTheMemoryIsReported(t *testing.T) {
	t.Parallel()
	server := testkit.Start(t, answering(testkit.Reply{Text: "Four."}))
	for _, tt := range []struct{ name, save string }{
		{"in place", `cat buf > "$M"`},
		{"by rename", `cp buf new; mv new "$M"`},
		{"slowly", `(head -c 9 buf; sleep .4; tail -c +10 buf) > "$M"`},
		{"twice", `cat buf > "$M"; sleep .1; cat buf > "$M"`},
		{"vim, backupcopy=yes", vim("yes")},
		{"vim, backupcopy=no", vim("no")},
		{"sed -i", `sed -i /purr/d "$M"`},
		{"through a link", `mv "$M" real.md; ln -s real.md "$M"; cat buf > real.md`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if strings.HasPrefix(tt.name, "vim") {
				if _, err := exec.LookPath("vim"); err != nil {
					t.Skip("vim is not installed")
				}
			}
			p := newMemory(t, server.Addr())
			p.shell(`cp "$M" buf`).wait()
			p.run("memory", "add", lesson)
			p.run("memory", "add", "Dogs bark.")
			if o := p.shell(tt.save + "; sed -i /Dogs/d \"$M\"; chmod 600 \"$M\"").wait(); o.code != 0 {
				t.Fatalf("the editor: %+v", o)
			}
			const said = "mac-stats: 2 remembered lines are no longer in memory.md. `mac-stats memory restore` puts back what another program's save took out; --keep-removed leaves it out.\n"
			o := p.run("ask", "--session", "now", question)
			o.expect(t, 0, "Four.\n", said)
			for _, c := range server.Chats() {
				if system := testkit.System(*c.Chat); strings.Contains(system, p.home) && strings.Contains(system, "purr") {
					t.Error("the model was told what was removed")
				}
			}
			if p.lines("purr") != 0 {
				t.Errorf("the line came back by itself:\n%s", p.memory())
			}
			list := p.run("memory", "restore", "--list", "--json")
			ids := idsOf(list.stdout)
			if len(ids) != 2 {
				t.Fatalf("missing are %q", list.stdout)
			}
			p.run("memory", "restore", "--keep-removed", ids[1])
			if o := p.run("memory", "restore"); o.code != 0 || o.stderr != "" {
				t.Errorf("memory restore: %+v", o)
			}
			p.holds("# My notes\n\n- I drink green tea.\n\n## Remembered\n\n- Cats purr at night. <!-- ")
			if o := p.run("memory", "list"); o.stderr != "" || p.lines("Dogs") != 0 {
				t.Errorf("what is kept removed: %+v\n%s", o, p.memory())
			}
			if o := p.run("memory", "restore"); o.code != 0 || o.stdout != "No remembered line is missing.\n" {
				t.Errorf("nothing to restore: %+v", o)
			}
			p.run("memory", "undo") // undoes the restoring
			if o := p.run("memory", "list"); o.stderr != "" || p.lines("purr") != 0 {
				t.Errorf("after the undo: %+v\n%s", o, p.memory())
			}
		})
	}
}

// lines counts the memory's lines with a word.
func (p *place) lines(word string) int {
	p.t.Helper()
	n := 0
	for l := range strings.Lines(p.memory()) {
		if strings.Contains(l, word) {
			n++
		}
	}
	return n
}

// idsOf returns the IDs of objects, one per line.
func idsOf(out string) []string {
	var ids []string
	for line := range strings.Lines(out) {
		var o struct{ ID string }
		if json.Unmarshal([]byte(line), &o) == nil {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// vim saves without the lessons, in one of its two ways.
func vim(backupcopy string) string {
	return `vim -N -u NONE -i NONE -n -es -c 'set backup backupcopy=` + backupcopy + `' -c 'g/purr\|Dogs/d' -c 'wq!' "$M"`
}

// Lines that the user rewords, moves or undoes are not missing, and neither are forgotten
// ones.
func TestLinesThatAreNotMissing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, edit string
		run        []string
	}{
		{name: "reworded", edit: `sed -i 's/purr at night/sing all day/' "$M"`},
		{name: "moved to an agent's memory", edit: `mkdir -p agent-002; grep purr "$M" >> agent-002/memory.md; sed -i /purr/d "$M"`},
		{name: "its comment taken off", edit: `sed -i 's/ <!--.*//' "$M"`},
		{name: "saved with CRLF", edit: `sed -i 's/$/\r/' "$M"`},
		{name: "undone", run: []string{"memory", "undo"}},
		{name: "dropped, then agreed with", edit: `sed -i /purr/d "$M"`, run: []string{"memory", "restore", "--keep-removed"}},
		{name: "dropped, then forgotten", edit: `sed -i /purr/d "$M"`, run: []string{"memory", "forget", "--text", "Cats purr", "--yes"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newMemory(t, "127.0.0.1:1")
			p.run("memory", "add", lesson)
			if tt.edit != "" {
				p.shell(tt.edit).wait()
			}
			if tt.run != nil {
				p.run(tt.run...)
			}
			if o := p.run("memory", "list"); o.code != 0 || o.stderr != "" {
				t.Errorf("%+v", o)
			}
			if left := p.holding([]string{"purr"}); len(left) > 0 && strings.Contains(tt.name, "forgotten") {
				t.Errorf("forgotten, and %v", left)
			}
		})
	}
}

// Undoing a line that a late save dropped leaves it restorable.
func TestUndoOfAMissingLineKeepsItRestorable(t *testing.T) {
	t.Parallel()
	p := newMemory(t, "127.0.0.1:1")
	p.run("memory", "add", "Dogs bark")
	p.run("memory", "add", lesson)
	p.shell(`sed -i /purr/d "$M"`).wait()
	for range 2 { // and doesn't undo an older change instead
		if o := p.run("memory", "undo"); o.code != 1 || o.stdout != "" || !strings.Contains(o.stderr, "memory restore") || !strings.Contains(o.stderr, "purr") {
			t.Errorf("undo: %+v", o)
		}
	}
	if o := p.run("memory", "restore"); o.code != 0 {
		t.Errorf("restore: %+v", o)
	}
	if o := p.run("memory", "undo"); o.code != 0 || !strings.Contains(o.stdout, "- "+lesson) {
		t.Errorf("undo of the restored line: %+v", o)
	}
	if o := p.run("memory", "list"); strings.Contains(o.stdout, "purr") || !strings.Contains(o.stdout, "Dogs bark") {
		t.Errorf("memory: %+v", o)
	}
}

// A memory in UTF-16, as Windows editors save it, is read and extended in UTF-16.
func TestMemoryInUTF16(t *testing.T) {
	t.Parallel()
	server := testkit.Start(t, answering(testkit.Reply{Text: "Four."}))
	for _, from := range []string{"UTF-16", "UTF-16LE", "UTF-16BE"} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			p := newMemory(t, server.Addr())
			tea := "Zoë drinks tea in " + from
			p.shell(`printf '# Mine\r\n\r\n- ` + tea + `\r\n' | iconv -f UTF-8 -t ` + from + ` > "$M"`).wait()
			p.run("memory", "add", lesson).expect(t, 0, "remembered: "+lesson+"\n  "+p.memoryFile()+":7\n", "")
			p.run("ask", question).expect(t, 0, "Four.\n", "")
			if !sentText(server.Chats(), tea) {
				t.Error("the model was not told what the file says")
			}
			text := p.shell(`iconv -f ` + from + ` -t UTF-8 "$M"`).wait()
			if want := "# Mine\r\n\r\n- " + tea + "\r\n\r\n## Remembered\r\n\r\n- " + lesson; text.code != 0 || !strings.HasPrefix(text.stdout, want) {
				t.Errorf("the file says %q", text.stdout)
			}
		})
	}
	t.Run("no text at all", func(t *testing.T) {
		t.Parallel()
		p := newMemory(t, server.Addr())
		p.save("\xff\xfe- a\x00b") // half a character
		p.save(strings.Repeat("\x00\x01\x02", 100))
		if o := p.run("ask", question); o.code != 0 || !strings.Contains(o.stderr, "not a text file") {
			t.Errorf("ask says %+v", o)
		}
		if o := p.run("memory", "add", lesson); o.code != 1 || !strings.Contains(o.stderr, "not a text file") {
			t.Errorf("memory add: %+v", o)
		}
	})
}

// Whatever is in place of the app's own files beside the memory, no command blocks.
func TestPipesBesideTheMemory(t *testing.T) {
	t.Parallel()
	server := testkit.Start(t, answering(testkit.Reply{Text: "Four."}))
	for _, name := range []string{"memory-inbox.md", ".memory-undo", ".memory-journal", ".unsaved/a.json", "agent-002/memory.md"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newMemory(t, server.Addr())
			path := filepath.Join(p.home, "agents", name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{
				{"ask", question},
				{"memory", "add", lesson},
				{"memory", "list"},
				{"memory", "inbox"},
				{"memory", "undo"},
				{"memory", "restore"},
				{"memory", "forget", "--text", "locker", "--yes"},
				{"memory", "status"},
				{"doctor"},
			} {
				p.run(args...) // doesn't hang
			}
		})
	}
}

// A message sent during a save contains the saved text: the file is empty, or shorter than the app
// left it.
func TestAMessageDuringASave(t *testing.T) {
	t.Parallel()
	for _, save := range []string{
		`(sleep .8; printf '# Mine\n\n- one\n- two\n\n'; cat old) > "$M"`,
		`(printf '# Mine\n'; sleep .6; printf '\n- one\n- two\n\n'; cat old) > "$M"`,
	} {
		server := testkit.Start(t, answering(testkit.Reply{Text: "Four."}))
		p := newMemory(t, server.Addr())
		p.run("memory", "add", lesson)
		p.shell(`cp "$M" old`).wait()
		editor := p.editing(save)
		p.run("ask", question).expect(t, 0, "Four.\n", "")
		editor.wait()
		if !sentText(server.Chats(), "- one\n- two") {
			t.Errorf("%s: the model was told %.3000q", save, testkit.System(*server.Chats()[0].Chat))
		}
	}
}

// Two processes remember something while an editor saves: none of the three texts is lost.
func TestTwoProcessesRememberDuringASave(t *testing.T) {
	t.Parallel()
	p := newMemory(t, "127.0.0.1:1")
	editor := p.editing(`(sleep .4; printf '# Mine\n\n- one\n'; sleep .4; printf -- '- two\n') > "$M"`)
	var adds []*process
	for i := range 4 {
		adds = append(adds, p.start(p.command("memory", "add", fmt.Sprintf("Cat %d purrs at night.", i))))
	}
	for _, a := range adds {
		if o := a.wait(); o.code != 0 {
			t.Errorf("%+v", o)
		}
	}
	editor.wait()
	p.run("memory", "list").expect(t, 0, p.run("memory", "list").stdout, "")
	p.holds(edited, "Cat 0", "Cat 1", "Cat 2", "Cat 3")
	p.noLinks()
}

// A command that is killed while its lesson waits for a save leaves it in the inbox, and
// the next one writes it.
func TestKilledWhileALessonWaits(t *testing.T) {
	t.Parallel()
	p := newMemory(t, "127.0.0.1:1")
	editor := p.editing(`(sleep 2; printf '# Mine\n\n- one\n- two\n') > "$M"`)
	add := p.start(p.command("memory", "add", lesson))
	until(t, "the lesson in the inbox", func() bool {
		data, _ := os.ReadFile(filepath.Join(p.home, "agents/memory-inbox.md"))
		return strings.Contains(string(data), lesson)
	})
	add.signal(os.Kill)
	add.wait()
	editor.wait()
	time.Sleep(1200 * time.Millisecond)
	p.run("memory", "list").expect(t, 0, p.run("memory", "list").stdout, "")
	p.holds(edited, lesson)
}

// droppedSecret returns an installation with a remembered line that is only in the journal,
// because an editor's late save removed it from the memory. The journal is larger than 8
// KB.
func droppedSecret(t *testing.T) *place {
	t.Helper()
	p := newMemory(t, "127.0.0.1:1")
	p.shell(`cp "$M" buf`).wait()
	p.run("memory", "add", "The "+marker+" hides here")
	var journal map[string]any
	data, err := os.ReadFile(p.lineJournal())
	if err == nil {
		err = json.Unmarshal(data, &journal)
	}
	if err != nil {
		t.Fatal(err)
	}
	lines, _ := journal["lines"].([]any)
	for n := range 100 {
		lines = append([]any{map[string]any{"id": fmt.Sprint("f", n), "file": "agents/agent-gone/memory.md", "line": "- An older line, number " + fmt.Sprint(n) + ".", "at": time.Now()}}, lines...)
	}
	journal["lines"] = lines
	if data, err = json.Marshal(journal); err == nil {
		err = os.WriteFile(p.lineJournal(), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.shell(`cat buf > "$M"; rm buf`).wait()
	return p
}

func (p *place) lineJournal() string { return filepath.Join(p.home, "agents/.memory-journal") }

// If the journal of remembered lines can't be written, neither a forgetting nor accepting a
// removal is reported as done.
func TestTheJournalOfLinesCannotBeWritten(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"memory", "forget", "--text", marker, "--yes"}, {"memory", "restore", "--keep-removed"}} {
		t.Run(args[1], func(t *testing.T) {
			t.Parallel()
			p := droppedSecret(t)
			o := p.start(p.on(sizeLimit(), p.command(args...))).wait()
			if o.code != 1 || !strings.Contains(o.stdout+o.stderr, "may not grow any more") {
				t.Errorf("with no room: exit %d, %s%s", o.code, o.stdout, o.stderr)
			}
			if data, err := os.ReadFile(p.lineJournal()); err != nil || !strings.Contains(string(data), marker) {
				t.Errorf("the journal could be written: %v", err)
			}
			if o := p.run(args...); o.code != 0 {
				t.Errorf("with room: exit %d, %s%s", o.code, o.stdout, o.stderr)
			}
			if data, err := os.ReadFile(p.lineJournal()); err != nil || strings.Contains(string(data), marker) {
				t.Errorf("the journal still holds it, %v", err)
			}
		})
	}
}

// A journal of remembered lines restored from a backup is cleaned of text that was
// forgotten since.
func TestARestoredJournalOfLinesIsCleaned(t *testing.T) {
	t.Parallel()
	p := droppedSecret(t)
	p.shell(`cp .memory-journal ../../buf`).wait()
	if o := p.run("memory", "forget", "--text", marker, "--yes"); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	p.shell(`mv ../../buf .memory-journal`).wait()
	p.run("memory", "list")
	if left := p.holding(markerForms()); len(left) > 0 {
		t.Errorf("left in %q", left)
	}
}
