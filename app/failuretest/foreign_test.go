//go:build unix

package failuretest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/agents/testkit"
)

// talk returns an installation whose model always answers "Four.".
func talk(t *testing.T) (*place, *testkit.Server) {
	t.Helper()
	server := testkit.Start(t, answering(testkit.Reply{Text: "Four."}))
	p := newPlace(t, server.Addr())
	p.env = append(p.env, "MAC_STATS_COMPACTION_THRESHOLD=100")
	return p, server
}

// ask sends a message in the session s and returns stderr.
func (p *place) ask(words ...string) string {
	p.t.Helper()
	o := p.run(append([]string{"ask", "--session", "s"}, words...)...)
	if o.code != 0 || o.stdout != "Four.\n" {
		p.t.Errorf("exit %d, %q, %s", o.code, o.stdout, o.stderr)
	}
	return o.stderr
}

// file returns the path of a session's only transcript.
func (p *place) file(session string) string {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.home, "session", "session-memory-"+session+"-2*.md"))
	if err != nil || len(files) != 1 {
		p.t.Fatalf("transcripts of %s: %q, %v", session, files, err)
	}
	return files[0]
}

func (p *place) read(path string) string {
	p.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

// asked returns the user's messages in the last request.
func asked(t *testing.T, server *testkit.Server) []string {
	t.Helper()
	chats := server.Chats()
	var said []string
	for _, line := range sent(chats[len(chats)-1]) {
		if text, ok := strings.CutPrefix(line, "user: "); ok {
			said = append(said, text)
		}
	}
	return said
}

func (p *place) script(script string, args ...string) {
	p.t.Helper()
	cmd := exec.Command("sh", append([]string{"-c", script, "sh"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// Whatever a copy beside the transcript is called, the session is the file that the app
// created: the copy is not written, not sent to the model, and listed as a copy.
func TestACopyIsNotTheSession(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{
		" copy", " (copy)", " 2", "-backup", ".sync-conflict-20261122-101500-ABCDEF", ".bak", ".orig", " - Copy", "~1", "_old",
		" (Anna's conflicted copy 2026-11-22)", " (conflicted copy 2026-11-22 101500)", "-zzz", "0",
	} {
		t.Run(suffix, func(t *testing.T) {
			t.Parallel()
			p, server := talk(t)
			p.ask("alpha")
			original := p.file("cli-s")
			copied := strings.TrimSuffix(original, ".md") + suffix + ".md"
			p.script(`cp "$1" "$2"`, original, copied)
			was := p.read(copied)
			p.ask("bravo")
			if got := p.read(copied); got != was {
				t.Errorf("the copy was written to:\n%s", got)
			}
			p.script(`sed -i s/alpha/sigma/ "$1"`, copied)
			p.ask("charlie")
			if got := asked(t, server); !slices.Equal(got, []string{"alpha", "bravo", "charlie"}) {
				t.Errorf("the model was told %q", got)
			}
			if o := p.run("sessions", "list"); strings.Count(o.stdout, "cli-s ") != 2 || strings.Count(o.stdout, "copy: "+filepath.Base(copied)) != 1 {
				t.Errorf("the list is\n%s", o.stdout)
			}
			if err := os.Remove(copied); err != nil {
				t.Fatal(err)
			}
			p.ask("delta")
			if got := asked(t, server); !slices.Equal(got, []string{"alpha", "bravo", "charlie", "delta"}) {
				t.Errorf("after the copy is gone, the model was told %q", got)
			}
		})
	}
}

// A file that a person renames stays the session; a forgotten copy doesn't become it.
func TestARenamedFileOrALeftoverCopy(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"-tea-time": {"alpha", "bravo"},
		" copy":     {"bravo"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, server := talk(t)
			p.ask("alpha")
			original := p.file("cli-s")
			p.script(`mv "$1" "$2"`, original, strings.TrimSuffix(original, ".md")+name+".md")
			p.ask("bravo")
			if got := asked(t, server); !slices.Equal(got, want) {
				t.Errorf("the model was told %q, want %q", got, want)
			}
		})
	}
}

// If only a copy is left, commands say so and still handle the other sessions.
func TestOnlyACopyIsLeft(t *testing.T) {
	t.Parallel()
	p, _ := talk(t)
	p.ask("alpha")
	original := p.file("cli-s")
	copied := strings.TrimSuffix(original, ".md") + " copy.md"
	p.script(`mv "$1" "$2"`, original, copied)
	o := p.run("sessions", "show", "s")
	if !strings.HasSuffix(o.stderr, "\nmac-stats: No such session: cli-s; there is only a copy of it: "+copied+".\n") {
		t.Errorf("it said %q", o.stderr)
	}
	for _, args := range [][]string{{"sessions", "status"}, {"sessions", "search", "tea"}, {"doctor"}, {"memory", "status"}} {
		if o := p.run(args...); o.code != 0 && args[0] != "doctor" || strings.Contains(o.stderr, "No such session") {
			t.Errorf("%v: exit %d, %s", args, o.code, o.stderr)
		}
	}
}

// savings lists the ways in which an editor or a program saves a buffer that it read
// earlier.
var savings = map[string]func(p *place, path, buffer string){
	"in place":  func(p *place, path, buffer string) { p.script(`cat "$2" > "$1"`, path, buffer) },
	"by rename": func(p *place, path, buffer string) { p.script(`cp "$2" "$1.new" && mv "$1.new" "$1"`, path, buffer) },
	"slowly": func(p *place, path, buffer string) {
		p.script(`{ head -c 120 "$2"; sleep 0.3; tail -c +121 "$2"; } > "$1"`, path, buffer)
	},
	"backup first": func(p *place, path, buffer string) { p.script(`cp "$1" "$1~" && cat "$2" > "$1"`, path, buffer) },
	"vim": func(p *place, path, buffer string) {
		p.script(`vim -Nu NONE -es -c 'set backup' -c "%!cat $2" -c 'wq!' "$1"`, path, buffer)
	},
}

// Messages that a stale buffer dropped are sent to no model until the user restores them,
// unchanged, however often and however late the buffer is saved.
func TestALateSaveIsTheUsersDecision(t *testing.T) {
	t.Parallel()
	for name, save := range savings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("vim"); name == "vim" && err != nil {
				t.Skip("vim is not installed")
			}
			p, server := talk(t)
			p.ask("alpha")
			path, buffer := p.file("cli-s"), filepath.Join(p.base, "buffer")
			p.script(`cp "$1" "$2"`, path, buffer)
			p.ask("bravo")
			p.ask("charlie")
			whole := p.read(path)

			save(p, path, buffer)
			p.age(25 * time.Hour) // a day without messages
			const said = "mac-stats: 4 messages are no longer in the transcript of cli-s. Bring them back with `mac-stats sessions restore s`, or accept their removal with `mac-stats sessions restore --keep-removed s`.\n"
			if got := p.ask("delta"); got != said {
				t.Errorf("it said %q", got)
			}
			if got := asked(t, server); !slices.Equal(got, []string{"alpha", "delta"}) {
				t.Errorf("the model was told %q", got)
			}
			save(p, path, buffer) // the same buffer again
			if o := p.run("sessions", "restore", "s"); o.code != 0 || o.stdout != "cli-s: 6 messages are back in the transcript.\n" {
				t.Errorf("exit %d, %q, %s", o.code, o.stdout, o.stderr)
			}
			if got := p.read(path); !strings.HasPrefix(got, whole) {
				t.Errorf("it is not as it was:\n%s", got)
			}
			if got := p.ask("echo"); got != "" {
				t.Errorf("it said %q", got)
			}
			if got := asked(t, server); !slices.Equal(got, []string{"alpha", "bravo", "charlie", "delta", "echo"}) {
				t.Errorf("the model was told %q", got)
			}
		})
	}
}

// All messages of many turns since the buffer was read can be restored.
func TestAStaleBufferDropsManyTurns(t *testing.T) {
	t.Parallel()
	p, server := talk(t)
	p.ask("turn 0")
	path := p.file("cli-s")
	buffer := p.read(path)
	want := []string{"turn 0"}
	for i := range 40 {
		text := "turn " + strings.Repeat("i", i+1)
		p.ask(text)
		want = append(want, text)
	}
	whole := p.read(path)
	if err := os.WriteFile(path, []byte(buffer), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := p.run("sessions", "restore", "s", "--json"); !strings.HasPrefix(o.stdout, `{"type":"restore","name":"cli-s","kept_removed":false,"messages":80,`) {
		t.Errorf("%q, %s", o.stdout, o.stderr)
	}
	if p.read(path) != whole {
		t.Error("it is not as it was")
	}
	p.ask("the end")
	if got := asked(t, server); len(got) == 0 || !slices.Equal(got, append(want, "the end")[len(want)+1-len(got):]) {
		t.Errorf("the model was told %q", got)
	}
}

// A message that the user deletes, even the last one, is never sent again, and after the
// user has agreed nothing asks about it.
func TestADeletedMessageStaysDeleted(t *testing.T) {
	t.Parallel()
	p, server := talk(t)
	p.ask("alpha")
	p.ask("bravo")
	path := p.file("cli-s")
	p.script(`n=$(grep -n '^## User' "$1" | tail -1 | cut -d: -f1) && sed -i "$n,\$d" "$1"`, path)
	if strings.Contains(p.read(path), "bravo") {
		t.Fatal("the editor left it")
	}
	for _, text := range []string{"charlie", "delta"} {
		if got := p.ask(text); !strings.Contains(got, "2 messages are no longer") {
			t.Errorf("it said %q", got)
		}
		if slices.Contains(asked(t, server), "bravo") {
			t.Errorf("the model was told %q", asked(t, server))
		}
	}
	if o := p.run("memory", "search", "--session", "s", "bravo"); strings.Contains(o.stdout, "bravo") {
		t.Errorf("it is found: %s", o.stdout)
	}
	if o := p.run("sessions", "restore", "--keep-removed", "s"); o.stdout != "cli-s: 2 messages are removed for good.\n" {
		t.Errorf("%q, %s", o.stdout, o.stderr)
	}
	if got := p.ask("echo"); got != "" {
		t.Errorf("it said %q", got)
	}
	if o := p.run("sessions", "restore", "s"); o.stdout != "Nothing is missing from cli-s.\n" {
		t.Errorf("%q, %s", o.stdout, o.stderr)
	}
	p.script(`! grep -rl bravo "$1/session"`, p.home)
}

// A save during a turn can't include what the turn writes, so that stays.
func TestASaveDuringATurn(t *testing.T) {
	t.Parallel()
	server := testkit.Start(t, answering(testkit.Reply{Text: "One two three four five.", Delay: 100 * time.Millisecond}))
	p := newPlace(t, server.Addr())
	p.run("ask", "--session", "s", "alpha")
	path := p.file("cli-s")
	buffer := p.read(path)
	r := p.start(p.command("ask", "--session", "s", "bravo"))
	until(t, "the answer to begin", func() bool { return r.stdout.String() != "" })
	if err := os.WriteFile(path, []byte(buffer), 0o600); err != nil {
		t.Fatal(err)
	}
	r.wait().expect(t, 0, "One two three four five.\n", "")
	p.run("ask", "--session", "s", "charlie").expect(t, 0, "One two three four five.\n", "")
	if got := asked(t, server); !slices.Equal(got, []string{"alpha", "bravo", "charlie"}) {
		t.Errorf("the model was told %q", got)
	}
}

// A shell truncates the file at once and writes it a second later: a message in between
// waits for the save, and both texts are kept.
func TestAMessageDuringATruncatingSave(t *testing.T) {
	t.Parallel()
	p, server := talk(t)
	p.ask("alpha")
	p.ask("bravo")
	path, buffer := p.file("cli-s"), filepath.Join(p.base, "buffer")
	p.script(`sed s/bravo/BRAVO/ "$1" > "$2"`, path, buffer)
	save := exec.Command("sh", "-c", `{ sleep 1; cat "$2"; } > "$1"`, "sh", path, buffer)
	if err := save.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, "the file to be empty", func() bool { fi, err := os.Stat(path); return err == nil && fi.Size() == 0 })
	p.ask("charlie")
	if err := save.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := asked(t, server); !slices.Equal(got, []string{"alpha", "BRAVO", "charlie"}) {
		t.Errorf("the model was told %q", got)
	}
	p.expectSaid("cli-s", "user: alpha", "assistant: Four.", "user: BRAVO", "assistant: Four.", "user: charlie", "assistant: Four.")
}

// A transcript that was deleted by hand can still be restored, and doesn't come back by
// itself.
func TestATranscriptDeletedByHand(t *testing.T) {
	t.Parallel()
	p, server := talk(t)
	p.ask("alpha")
	path := p.file("cli-s")
	whole := p.read(path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if o := p.run("sessions", "restore", "s"); o.stdout != "cli-s: 2 messages are back in the transcript.\n" || p.read(p.file("cli-s")) != whole {
		t.Errorf("%q, %s", o.stdout, o.stderr)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := p.ask("bravo"); !strings.Contains(got, "2 messages are no longer") {
		t.Errorf("it said %q", got)
	}
	if got := asked(t, server); !slices.Equal(got, []string{"bravo"}) {
		t.Errorf("the model was told %q", got)
	}
}

// A journal that can't be written stops nothing.
func TestTheJournalCannotBeWritten(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]string{
		"a file in the folder's place": `rm -rf "$1" && : > "$1" && chmod 600 "$1"`,
		"a pipe in its place":          `rm -f "$1"/*.md && mkfifo -m 600 "$1/cli-s.md"`,
		"a folder in its place":        `rm -f "$1"/*.md && mkdir -m 700 "$1/cli-s.md"`,
		"cut in the last block":        `truncate -s -9 "$1/cli-s.md"`,
		"zeros at its end":             `truncate -s +4096 "$1/cli-s.md"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, server := talk(t)
			p.ask("alpha")
			p.script(make, filepath.Join(p.home, "session", ".journal"))
			for _, text := range []string{"bravo", "charlie"} {
				if got := p.ask(text); got != "" {
					t.Errorf("it said %q", got)
				}
			}
			if got := asked(t, server); !slices.Equal(got, []string{"alpha", "bravo", "charlie"}) {
				t.Errorf("the model was told %q", got)
			}
		})
	}
}

// A session is only found by its whole name, not by the end of it.
func TestASessionIsFoundOnlyByItsWholeName(t *testing.T) {
	t.Parallel()
	p, server := talk(t)
	p.run("ask", "--session", "mynotes", "alpha")
	p.run("ask", "--session", "notes", "bravo")
	if got := asked(t, server); !slices.Equal(got, []string{"bravo"}) {
		t.Errorf("the model was told %q", got)
	}
	p.run("ask", "--session", "Notes", "charlie").expect(t, 0, "Four.\n", "")
	if got := asked(t, server); !slices.Equal(got, []string{"bravo", "charlie"}) {
		t.Errorf("the model was told %q", got)
	}
	p.run("sessions", "show", "ynotes").expect(t, 1, "", "mac-stats: No such session: \"ynotes\"; similar names: cli-mynotes.\n")
}
