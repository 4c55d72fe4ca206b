//go:build unix

package failuretest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inSessions returns a path in the sessions folder.
func (p *place) inSessions(name string) string { return filepath.Join(p.home, "session", name) }

// did runs a command that succeeds.
func (p *place) did(args ...string) outcome {
	p.t.Helper()
	o := p.run(args...)
	if o.code != 0 {
		p.t.Errorf("%v: exit %d", args, o.code)
	}
	return o
}

// A transcript that a person renames stays the session, whatever its name.
func TestARenamedTranscriptStaysTheSession(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"two-renamed.md", "Meine Notizen.md", "session-memory-two.md", "cli-old.md"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, server := talk(t)
			p.did("ask", "--session", "two", "bananas")
			before, err := os.ReadFile(p.file("cli-two"))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(p.file("cli-two"), p.inSessions(name)); err != nil {
				t.Fatal(err)
			}
			p.did("ask", "-c", "cherries")
			o := p.did("ask", "--session", "two", "dates")
			if strings.Contains(o.stderr, "no longer") {
				t.Error("it says that messages are gone")
			}
			after, err := os.ReadFile(p.inSessions(name))
			if err != nil || !strings.HasPrefix(string(after), string(before)) || !strings.Contains(string(after), "cherries") || !strings.Contains(string(after), "dates") {
				t.Errorf("the renamed file is %v\n%s", err, after)
			}
			if said := strings.Join(asked(t, server), "; "); said != "bananas; cherries; dates" {
				t.Errorf("the model was told %s", said)
			}
			if o := p.did("sessions", "restore", "two"); !strings.Contains(o.stdout, "Nothing is missing") {
				t.Error("something counts as removed")
			}
			if o := p.did("sessions", "list"); strings.Count(o.stdout, "cli-two") != 1 || strings.Contains(o.stdout, "copy: ") {
				t.Error("it is listed otherwise than once")
			}
			if found, _ := filepath.Glob(p.inSessions("*cli-two-2*")); len(found) > 0 {
				t.Errorf("a second file was made: %v", found)
			}
		})
	}
}

// A copy may have any name: it is listed under its session, and not written, searched or
// sent. Deleting the session leaves it there, and it doesn't become the session.
func TestACopyWithAnyName(t *testing.T) {
	t.Parallel()
	p, server := talk(t)
	p.did("ask", "--session", "notes", "marzipan")
	data, err := os.ReadFile(p.file("cli-notes"))
	if err != nil {
		t.Fatal(err)
	}
	copies := []string{"notes-backup.md", "backup of notes.md", "cli-notes.md"}
	for _, name := range copies {
		p.write("session/"+name, string(data))
	}
	o := p.did("sessions", "list")
	for _, name := range copies {
		if !strings.Contains(o.stdout, "copy: "+name) {
			t.Errorf("%s is not listed as a copy", name)
		}
	}
	if o := p.did("sessions", "search", "marzipan"); strings.Count(o.stdout, "cli-notes · ") != 1 {
		t.Error("it is not found once")
	}
	p.did("ask", "--session", "notes-backup", "what was that?")
	if said := strings.Join(asked(t, server), "; "); said != "what was that?" {
		t.Errorf("beside the copy the model was told %s", said)
	}
	p.did("ask", "--session", "notes", "go on")
	if said := strings.Join(asked(t, server), "; "); said != "marzipan; go on" {
		t.Errorf("the model was told %s", said)
	}
	p.did("sessions", "delete", "notes")
	o = p.did("sessions", "list")
	for _, name := range copies {
		if got, err := os.ReadFile(p.inSessions(name)); err != nil || string(got) != string(data) {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
		if !strings.Contains(o.stdout, "copy: "+name) {
			t.Errorf("%s is no copy once its session is deleted", name)
		}
	}
	p.did("sessions", "delete", "--undo", "notes")
	if o := p.did("sessions", "show", "notes"); !strings.Contains(o.stdout, "marzipan") || !strings.Contains(o.stdout, "go on") {
		t.Error("the session did not come back")
	}
}

// A session is restored beside another one that now has its name: both can be reached.
func TestUndeletingASessionWhoseNameIsTaken(t *testing.T) {
	t.Parallel()
	p, _ := talk(t)
	p.did("ask", "--session", "k", "first apples")
	p.did("sessions", "delete", "k")
	p.did("ask", "--session", "k", "second bananas")
	if o := p.did("sessions", "delete", "--undo", "k"); !strings.Contains(o.stdout, "cli-k-2") {
		t.Error("its new name is not said")
	}
	for name, text := range map[string]string{"k": "second bananas", "k-2": "first apples"} {
		if o := p.did("sessions", "show", name); !strings.Contains(o.stdout, text) || strings.Count(o.stdout, "## ") > 2 {
			t.Errorf("%s is another session", name)
		}
		p.did("ask", "--session", name, "go on")
	}
}

// If the transcript was removed altogether, commands that name its session say that it can
// be restored.
func TestShowingASessionWithoutATranscript(t *testing.T) {
	t.Parallel()
	p, _ := talk(t)
	p.did("ask", "--session", "k", "apples")
	if err := os.Remove(p.file("cli-k")); err != nil {
		t.Fatal(err)
	}
	if o := p.run("sessions", "show", "k"); o.code != 1 || !strings.Contains(o.stderr, "`mac-stats sessions restore k`") {
		t.Error("it doesn't say how to bring it back")
	}
	p.did("sessions", "restore", "k")
	if o := p.did("sessions", "show", "k"); !strings.Contains(o.stdout, "apples") {
		t.Error("it did not come back")
	}
}
