//go:build unix

package failuretest

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem/transcript"
)

// transcript reads a session's only transcript.
func (p *place) transcript(session string) *transcript.Transcript {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.home, "session", "session-memory-"+session+"-2*.md"))
	if err != nil || len(files) != 1 {
		p.t.Fatalf("transcripts of %s: %v, %v", session, files, err)
	}
	f, err := os.Open(files[0])
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	t, err := transcript.Parse(f)
	if err != nil {
		p.t.Fatal(err)
	}
	return t
}

// said returns a transcript in lines: "user: …", "assistant: …", "note: interrupted".
func (p *place) said(session string) []string {
	p.t.Helper()
	var lines []string
	for _, b := range p.transcript(session).Blocks {
		text := b.Text
		if b.Kind == transcript.KindNote {
			text = strings.TrimSpace(b.Note + " " + b.Text)
		}
		lines = append(lines, string(b.Kind)+": "+text)
	}
	return lines
}

// expectSaid compares a transcript with lines.
func (p *place) expectSaid(session string, want ...string) {
	p.t.Helper()
	if diff := cmp.Diff(want, p.said(session)); diff != "" {
		p.t.Errorf("the transcript of %s (-want +got):\n%s", session, diff)
	}
	if left := p.leftovers(); len(left) > 0 {
		p.t.Errorf("left behind: %v", left)
	}
}

// leftovers returns checkpoints and temporary files.
func (p *place) leftovers() []string {
	p.t.Helper()
	left, err := filepath.Glob(filepath.Join(p.home, "session", ".partial", "*"))
	if err != nil {
		p.t.Fatal(err)
	}
	err = filepath.WalkDir(p.home, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err == nil && strings.HasSuffix(path, ".tmp") {
			left = append(left, path)
		}
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return left
}

// event is a line of ask --json.
type event struct {
	Type, Kind, Text, Detail, State string
}

func events(t *testing.T, stdout string) []event {
	t.Helper()
	var all []event
	for line := range strings.Lines(stdout) {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("no JSON: %q: %v", line, err)
		}
		all = append(all, e)
	}
	return all
}

// last returns the event that ends a turn.
func last(t *testing.T, stdout string) event {
	t.Helper()
	all := events(t, stdout)
	if len(all) == 0 {
		t.Fatal("there are no events")
	}
	if i := slices.IndexFunc(all, func(e event) bool { return e.Type == "done" || e.Type == "error" }); i != len(all)-1 {
		t.Errorf("event %d of %d is the end", i+1, len(all))
	}
	return all[len(all)-1]
}
