package sessioncmd_test

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/app/cli/clitest"
)

// An export names the files it leaves out; a zip file has them where the links lead.
func TestExportWithFiles(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("Read."))
	notes := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(notes, []byte("words in the file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e.Must(t, "ask", "--session", "a", "--file", notes, "read it")
	e.Must(t, "ask", "--session", "plain", "hello")
	for _, format := range []string{"md", "json"} {
		if o := e.Run(t, "sessions", "export", "cli-a", "--format", format); o.Code != clitest.Done || !strings.Contains(o.Stderr, "1 attached file left out: `-o FILE.zip`") {
			t.Errorf("%s: %+v", format, o)
		}
		if o := e.Run(t, "sessions", "export", "cli-plain", "--format", format); o.Stderr != "" {
			t.Errorf("%s without files: %+v", format, o)
		}
	}
	if o := e.Run(t, "sessions", "export", "cli-a", "--format", "html"); o.Stderr != "" || !strings.Contains(o.Stdout, "notes.txt") {
		t.Errorf("html: %+v", o)
	}
	file := filepath.Join(t.TempDir(), "a.ZIP")
	if o := e.Run(t, "sessions", "export", "cli-a", "-o", file); o.Code != clitest.Done || o.Stderr != "" {
		t.Fatalf("zip: %+v", o)
	}
	if o := e.Run(t, "sessions", "export", "cli-plain", "-o", file); o.Code != clitest.Failed || !strings.Contains(o.Stderr, file) {
		t.Errorf("over another file: %+v", o)
	}
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	text, err := z.Open("cli-a.md")
	if err != nil {
		t.Fatal(err)
	}
	md := make([]byte, 1<<16)
	n, _ := text.Read(md)
	for _, f := range z.File {
		if f.Name != "cli-a.md" && !strings.Contains(string(md[:n]), "]("+f.Name+")") {
			t.Errorf("no link leads to %s", f.Name)
		}
	}
	if len(z.File) != 2 {
		t.Errorf("%d files", len(z.File))
	}
	e.Must(t, "ask", "--session", "b", "--file", notes, "again")
	kept, err := filepath.Glob(filepath.Join(e.Home, "session", "files", "*"))
	if err != nil || len(kept) == 0 {
		t.Fatal(err, kept)
	}
	for _, k := range kept {
		_ = os.Remove(k)
	}
	if o := e.Run(t, "sessions", "export", "cli-b", "-o", filepath.Join(t.TempDir(), "b.zip")); o.Code != clitest.Done || !strings.Contains(o.Stderr, "1 attached file can't be read and left out: notes.txt") {
		t.Errorf("a file that is gone: %+v", o)
	}
}

// A block names the message that it belongs to or is about.
func TestShowNamesTheMessageOfANote(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("x"))
	e.Write(t, "session/session-memory-discord-123-20261121-101500-hello.md",
		"---\nformat: mac-stats-session/1\nsession: discord-123\nsource: discord\ntitle: hello\n---\n\n## User · 2026-11-21T10:15:02Z\n<!-- id=a1 -->\n\nhello\n\n## User · 2026-11-21T10:15:03Z\n<!-- id=a2 author=302 name=Ben -->\n\nmore\n\n## Note · 2026-11-21T10:15:04Z\n<!-- id=n1 parent=a1 note=deleted -->\n")
	blocks := clitest.Objects(t, e.Must(t, "sessions", "show", "discord-123", "--json"))
	if last := blocks[len(blocks)-1]; last["parent"] != "a1" || last["kind"] != "note" {
		t.Errorf("got %v", last)
	}
	if page := e.Must(t, "sessions", "export", "discord-123", "--format", "html"); strings.Contains(page, "hello") || !strings.Contains(page, "<h1>more</h1>") || !strings.Contains(page, "<b>Ben</b>") {
		t.Errorf("the deleted message lives on:\n%s", page[strings.Index(page, "<body>"):])
	}
	if md := e.Must(t, "sessions", "export", "discord-123"); strings.Contains(md, "title: hello") {
		t.Errorf("the deleted message is the title:\n%s", md)
	}
}
