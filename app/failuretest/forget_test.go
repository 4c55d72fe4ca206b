//go:build unix

package failuretest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// These words occur nowhere else; the tests search for their remains in every form.
const (
	marker     = "Quaggaflöte"
	markerText = "my " + marker + " hides below stone 4711"
)

// markerForms returns the bytes that would reveal the marker: as typed, without case and
// accents, its stem, and unique parts.
func markerForms() []string {
	return []string{marker, "quaggaflöte", "QUAGGAFLÖTE", "quaggaflote", "quaggaflöt", "quaggaflot", "quagg", "Quagg", "aggafl", "ggaflö", "gaflo", "öte", "lÖte", "UXVhZ2dh", "dWFnZ2Fm", "cXVhZ2dh"}
}

// holding returns the files below a folder whose bytes or names contain one of the words.
func (p *place) holding(words []string) []string {
	p.t.Helper()
	var left []string
	err := filepath.WalkDir(p.base, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && d.Type()&fs.ModeSocket != 0:
			return nil // removed meanwhile, or not a file
		case err == nil && strings.HasSuffix(path, "home.copy"): // part of the full disk
			return fs.SkipDir
		case err != nil:
			return err
		}
		text := d.Name()
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			text += "\n" + string(data)
		}
		for _, w := range words {
			if strings.Contains(text, w) {
				left = append(left, strings.TrimPrefix(path, p.base)+" holds "+w)
			}
		}
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return left
}

// forgettable returns a place whose marker is in three sessions, a memory and the index,
// all on a disk that may be full.
func forgettable(t *testing.T) *place {
	t.Helper()
	p := newPlace(t, "127.0.0.1:1")
	p.env = append(p.env, "MAC_STATS_CACHE="+filepath.Join(p.home, "cache"))
	for i := range 3 {
		var text strings.Builder
		fmt.Fprintf(&text, "---\nformat: mac-stats-session/1\nsession: cli-s%d\nsource: cli\nstarted: 2026-01-0%dT08:00:00Z\ntitle: Talk\n---\n\n", i, i+1)
		for n := range 120 {
			said := fmt.Sprintf("What was said in message %d of session %d about the harbour and its boats.", n, i)
			if n%30 == 5 {
				said = markerText
			}
			kind, at := "User", time.Date(2026, 1, i+1, 8, 0, n, 0, time.UTC).Format(time.RFC3339)
			if n%2 == 0 {
				kind = "Assistant"
			}
			fmt.Fprintf(&text, "## %s · %s\n<!-- id=s%dn%d -->\n\n%s\n\n", kind, at, i, n, said)
		}
		name := fmt.Sprintf("session/session-memory-cli-s%d-2026010%d-080000-talk.md", i, i+1)
		p.write(name, text.String())
		delete(p.had, name)
	}
	p.run("agents", "list")
	for _, args := range [][]string{{"memory", "add", "The " + marker + " is mine"}, {"memory", "reindex"}} {
		if o := p.run(args...); o.code != 0 {
			t.Fatalf("%v: %+v", args, o)
		}
	}
	return p
}

// On a disk that is full, or lets no file grow, a forgetting reports what isn't done and
// leaves no half-written file; the next run completes it.
func TestForgettingOnAFullDisk(t *testing.T) {
	t.Parallel()
	list := []disk{sizeLimit()}
	if unshare() != nil {
		for _, left := range []string{"0K", "4K", "12K", "24K", "48K", "120K"} {
			list = append(list, fullBut("1600k", left))
		}
	}
	for _, d := range list {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			p := forgettable(t)
			before := map[string][]string{}
			for i := range 3 {
				name := fmt.Sprintf("cli-s%d", i)
				before[name] = p.said(name)
			}
			forget := []string{"memory", "forget", "--text", marker + " hides", "--yes"}
			o := p.start(p.on(d, p.command(forget...))).wait()
			left := p.holding([]string{marker})
			switch {
			case o.code == 0 && len(left) > 2: // the memory and its journal contain other text
				t.Errorf("it is said to be done, and left is %v", left)
			case o.code == 1 && !strings.Contains(o.stdout+o.stderr, "full") && !strings.Contains(o.stdout+o.stderr, "may not grow"):
				t.Errorf("it doesn't say why: %s%s", o.stdout, o.stderr)
			case o.code != 0 && o.code != 1:
				t.Errorf("exit %d: %s", o.code, o.stderr)
			case strings.Contains(o.stdout, "Nothing is found"):
				t.Errorf("it is said to be nowhere: %s%s", o.stdout, o.stderr)
			}
			t.Logf("exit %d, %d files left: %.300s", o.code, len(left), o.stderr)
			for name, said := range before {
				for i, line := range p.said(name) {
					if i >= len(said) || line != said[i] && (!strings.Contains(said[i], marker) || !strings.HasSuffix(line, ": [forgotten]")) {
						t.Errorf("%s became %q, want it as it was or forgotten", name, line)
					}
				}
				if n := len(p.said(name)); n != len(said) {
					t.Errorf("%s has %d blocks, had %d", name, n, len(said))
				}
			}
			if half := p.leftovers(); len(half) > 0 {
				t.Errorf("half-written files are left: %v", half)
			}
			if o := p.run(forget...); o.code != 0 {
				t.Errorf("with room again: exit %d, %s%s", o.code, o.stdout, o.stderr)
			}
			if left := p.holding([]string{marker + " hides"}); len(left) > 0 {
				t.Errorf("after the second run left: %v", left)
			}
			if o := p.run("memory", "forget", "--text", marker, "--yes"); o.code != 0 {
				t.Errorf("the word alone: exit %d, %s%s", o.code, o.stdout, o.stderr)
			}
			if left := p.holding(markerForms()); len(left) > 0 {
				t.Errorf("in the end left: %v", left)
			}
			p.run("memory", "reindex", "--changed") // rebuilds what had no room
			if o := p.run("memory", "search", "--session", "s1", "harbour boats"); o.code != 0 || !strings.Contains(o.stdout, "harbour") || !strings.Contains(o.stdout, "Index: fresh") {
				t.Errorf("what is left is not found: %s%s", o.stdout, o.stderr)
			}
			delete(p.had, "agents/memory.md")
			if data, err := os.ReadFile(filepath.Join(p.home, "agents/memory.md")); err != nil || string(data) != memoryText+"\n## Remembered\n\n" { // the line goes, the app's own heading stays for the next one
				t.Errorf("the memory is %q, %v", data, err)
			}
		})
	}
}

// A forgetting can be killed at any moment: the app's next start finishes it.
func TestAKilledForgettingIsFinishedByTheApp(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{0, 1, 3, 6, 10, 15, 25, 40, 80} {
		t.Run(fmt.Sprint(after*time.Millisecond), func(t *testing.T) {
			t.Parallel()
			p := forgettable(t)
			r := p.start(p.command("memory", "forget", "--text", marker, "--yes"))
			until(t, "the forgetting to begin", func() bool {
				noted, err := os.ReadFile(filepath.Join(p.home, "forgotten.jsonl"))
				return err == nil && bytes.Contains(noted, []byte(`"begin"`)) && bytes.HasSuffix(noted, []byte("\n"))
			})
			time.Sleep(after * time.Millisecond) // any moment will do
			r.signal(os.Kill)
			r.wait()
			t.Logf("killed with %d places left", len(p.holding([]string{marker})))
			app := p.start(p.command("--headless"))
			until(t, "the forgetting to be finished", func() bool { return len(p.holding(markerForms())) == 0 })
			app.signal(os.Interrupt)
			app.wait()
			if left := p.holding(markerForms()); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			delete(p.had, "agents/memory.md")
		})
	}
}

// A memory folder that can't be read may contain the text: the command says so, and the
// forgetting isn't complete.
func TestForgettingBesideAFolderThatCannotBeRead(t *testing.T) {
	t.Parallel()
	p := newMemory(t, "127.0.0.1:1")
	p.run("memory", "add", "The "+marker+" is mine")
	away := filepath.Join(p.home, "agents/agent-002")
	p.write("agents/agent-002/memory.md", "- The "+marker+" is here, too\n")
	delete(p.had, "agents/agent-002/memory.md")
	cmd := p.asNobody(p.command("memory", "forget", "--text", marker, "--yes"))
	err := filepath.WalkDir(p.base, func(path string, _ os.DirEntry, err error) error {
		if err != nil || cmd.SysProcAttr == nil {
			return err
		}
		return os.Chown(path, int(cmd.SysProcAttr.Credential.Uid), -1)
	})
	if err == nil {
		err = os.Chmod(away, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	o := p.start(cmd).wait()
	if err := os.Chmod(away, 0o700); err != nil {
		t.Fatal(err)
	}
	if o.code != 1 || !strings.Contains(o.stdout, "agents/agent-002") {
		t.Errorf("exit %d, %s%s", o.code, o.stdout, o.stderr)
	}
	if o := p.run("memory", "forget", "--text", marker, "--yes"); o.code != 0 {
		t.Errorf("with permission: exit %d, %s%s", o.code, o.stdout, o.stderr)
	}
	if left := p.holding(markerForms()); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
