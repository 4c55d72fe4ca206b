//go:build unix

package failuretest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mac-stats/agents/testkit"
	"mac-stats/sessionmem/wholefile"
)

// slow says a word every 50 ms, for 20 s.
func slow() testkit.Reply {
	return testkit.Reply{Text: strings.ReplaceAll(testkit.Lines(strings.TrimSpace(strings.Repeat("word ", 19)), 20), "\n", " "), Delay: 50 * time.Millisecond}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		signal os.Signal
		stderr string
	}{
		{"Ctrl-C", os.Interrupt, ""},
		{"SIGTERM", syscall.SIGTERM, ""},
		{"a closed terminal", syscall.SIGHUP, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := testkit.Start(t, answering(slow()))
			p := newPlace(t, server.Addr())
			r := p.start(p.command("ask", "--session", "now", question))
			until(t, "the first words", func() bool { return strings.Count(r.stdout.String(), "word") >= 3 })
			r.signal(tt.signal)
			o := r.wait()
			o.expect(t, 130, o.stdout, tt.stderr)
			p.expectSaid("cli-now", "user: "+question, "assistant: "+strings.TrimSpace(o.stdout), "note: interrupted")
		})
	}
}

// Ctrl-C while a file is read ends ask at once; nothing is sent and nothing is left. The first
// PDF takes seconds, and ask says why.
func TestInterruptedWhileReadingAFile(t *testing.T) {
	t.Parallel()
	server := testkit.Start(t, answering(testkit.Reply{Text: "Fine."}))
	p := newPlace(t, server.Addr())
	folder := filepath.Join(p.base, "papers")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "a.pdf"), []byte("%PDF-1.4\nand no more"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := p.start(p.command("ask", "--file", folder, question))
	until(t, "the reader of PDFs is made", func() bool { return strings.Contains(r.stderr.String(), "preparing to read PDFs") })
	r.signal(os.Interrupt)
	r.wait().expect(t, 130, "", "preparing to read PDFs; this happens once and takes some seconds\n")
	if n := len(server.Requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
	if sessions, _ := filepath.Glob(filepath.Join(p.home, "session", "*.md")); len(sessions) != 1 { // the one that was there before
		t.Errorf("the sessions are %q", sessions)
	}
}

// A demo leaves nothing behind, however it ends; the next demo removes what a killed one
// left two days ago.
func TestADemoLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			temp := t.TempDir()
			p := newPlace(t, "127.0.0.1:1", "TMPDIR="+temp)
			old := filepath.Join(temp, "mac-stats-demo-old", "demo.lock")
			if err := os.MkdirAll(filepath.Dir(old), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(old, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(old, time.Now().AddDate(0, 0, -2), time.Now().AddDate(0, 0, -2)); err != nil {
				t.Fatal(err)
			}
			r := p.start(p.command("--headless", "--demo"))
			until(t, "the demo's start", func() bool { return strings.Contains(r.stdout.String(), "runs without a screen") })
			if left := entries(t, temp); len(left) != 1 || left[0] == "mac-stats-demo-old" {
				t.Errorf("while it runs there are %q", left)
			}
			r.signal(signal)
			o := r.wait()
			o.expect(t, 0, o.stdout, "")
			if left := entries(t, temp); len(left) > 0 {
				t.Errorf("it left %q", left)
			}
		})
	}
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// A killed process can't save anything more, but what it had written every two seconds is
// there, and the next turn adds it to the transcript.
func TestKilledInMidStream(t *testing.T) {
	t.Parallel()
	script := answering(slow())
	script.Rules = append([]testkit.Rule{{UserContains: "go on", Reply: testkit.Reply{Text: "Four."}}}, script.Rules...)
	server := testkit.Start(t, script)
	p := newPlace(t, server.Addr())
	r := p.start(p.command("ask", "--session", "now", question))
	until(t, "five seconds of words", func() bool { return strings.Count(r.stdout.String(), "word") >= 90 })
	r.signal(os.Kill)
	if o := r.wait(); o.code != -1 {
		t.Errorf("exit %d, want the end by a signal", o.code)
	}
	printed := strings.Fields(r.stdout.String())
	if len(p.leftovers()) != 1 {
		t.Errorf("there is no checkpoint: %v", p.leftovers())
	}

	p.run("ask", "-c", "Please go on.").expect(t, 0, "Four.\n", "")
	said := p.said("cli-now")
	kept := strings.Fields(strings.TrimPrefix(said[1], "assistant: "))
	if lost := len(printed) - len(kept); lost < 0 || lost > 50 { // 2 s, plus what is on its way
		t.Errorf("%d words were printed, %d are kept", len(printed), len(kept))
	}
	p.expectSaid("cli-now", "user: "+question, said[1], "note: interrupted", "user: Please go on.", "assistant: Four.")
	chats := server.Chats()
	got := sent(chats[len(chats)-1])
	if want := []string{"user: " + question, said[1], "user: Please go on."}; !slices.Equal(got, want) {
		t.Errorf("the model was told %q, want %q", got, want)
	}
}

// Killed again and again, before and during writes, a session stays whole.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	server := testkit.Start(t, answering(testkit.Reply{Text: "Four.", FirstDelay: 20 * time.Millisecond}))
	p := newPlace(t, server.Addr())
	p.env = append(p.env, "MAC_STATS_COMPACTION_THRESHOLD=100") // otherwise the last ask would summarise the others' messages
	// the first start writes the default files
	p.run("agents", "list")
	for i := range 8 {
		r := p.start(p.command("ask", "--session", "now", question))
		select {
		case <-r.ended:
		case <-time.After(60*time.Millisecond + time.Duration(i)*30*time.Millisecond):
			if err := r.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
		}
		r.wait()
	}
	p.run("ask", "--session", "now", "And now?").expect(t, 0, "Four.\n", "")
	said := p.said("cli-now")
	for i, line := range said {
		if !slices.Contains([]string{"user: " + question, "user: And now?", "assistant: Four.", "note: interrupted"}, line) {
			t.Errorf("block %d is %q", i, line)
		}
	}
	if n := len(said); n < 2 || said[n-2] != "user: And now?" || said[n-1] != "assistant: Four." {
		t.Errorf("the last turn is not whole: %q", said)
	}
	if left := p.leftovers(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// First starts that are killed while they write the default files leave at most
// half-written files, which a later start of the app removes.
func TestKilledInTheFirstStart(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "127.0.0.1:1")
	for i := range 10 {
		p.forgetShipped()
		r := p.start(p.command("agents", "list"))
		select {
		case <-r.ended:
		case <-time.After(time.Duration(1+i) * 4 * time.Millisecond):
			if err := r.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
		}
		r.wait()
	}
	dead := p.start(p.command("--version"))
	dead.wait()
	for _, name := range []string{"agents", "agents/agent-coder", "memory", "session/archive/2026-01"} {
		p.write(name+"/"+ofDead("half.md", dead.cmd.Process.Pid), "half of")
	}
	clear(p.had)
	p.age(time.Hour)
	app := p.start(p.command("--headless"))
	until(t, "the half-written files to go", func() bool { return len(p.leftovers()) == 0 })
	app.signal(os.Interrupt)
	app.wait()
	p.run("agents", "list").expect(t, 0, p.run("agents", "list").stdout, "")
}

// ofDead returns a process's temporary name for a file.
func ofDead(base string, pid int) string {
	return strings.Replace(wholefile.TempName(base), fmt.Sprintf("-%d-", os.Getpid()), fmt.Sprintf("-%d-", pid), 1)
}

// forgetShipped makes the next start a first one; what a killed one left stays.
func (p *place) forgetShipped() {
	p.t.Helper()
	err := filepath.WalkDir(filepath.Join(p.home, "agents"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".tmp") || d.Name() == "memory.md" {
			return err
		}
		return os.Remove(path)
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// age makes all files older.
func (p *place) age(by time.Duration) {
	p.t.Helper()
	then := time.Now().Add(-by)
	err := filepath.WalkDir(p.home, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, then, then))
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// sent returns a request's messages except the system's, each with its first line.
func sent(r testkit.Request) []string {
	var lines []string
	for _, m := range r.Chat.Messages {
		if m.Role == "system" {
			continue
		}
		text, _, _ := strings.Cut(m.Content, "\n\n[")
		lines = append(lines, m.Role+": "+text)
	}
	return lines
}

// The reader of the answer goes away, as in "| head".
func TestReaderOfStdoutGoes(t *testing.T) {
	t.Parallel()
	server := testkit.Start(t, answering(slow()))
	p := newPlace(t, server.Addr())
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := p.command("ask", "--session", "now", question)
	cmd.Stdout = writer
	r := p.start(cmd)
	writer.Close()
	if _, err := io.ReadFull(reader, make([]byte, 12)); err != nil {
		t.Fatal(err)
	}
	reader.Close()
	o := r.wait()
	o.expect(t, 141, "", "")
	if o.took > 10*time.Second {
		t.Errorf("it went on for %s", o.took)
	}
	said := p.said("cli-now")
	if len(said) != 3 || !strings.HasPrefix(said[1], "assistant: word word") {
		t.Fatalf("the transcript says %q", said)
	}
	p.expectSaid("cli-now", "user: "+question, said[1], "note: interrupted")
}

// stdout is on a full disk: /dev/full.
func TestStdoutCannotBeWritten(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if os.IsNotExist(err) { // without it, a file that may not be written gives the same error
		full, err = os.Open(os.DevNull)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	server := testkit.Start(t, answering(testkit.Reply{Text: "Four."}))
	p := newPlace(t, server.Addr())
	cmd := p.command("ask", "--session", "now", question)
	cmd.Stdout = full
	o := p.start(cmd).wait()
	if o.code != 1 || !strings.HasPrefix(o.stderr, "mac-stats: The output can't be written: ") ||
		!strings.HasSuffix(o.stderr, ". Check where it goes and the free space.\n") || strings.Count(o.stderr, "\n") != 1 {
		t.Errorf("exit %d, stderr %q", o.code, o.stderr)
	}
	if said := p.said("cli-now"); said[0] != "user: "+question || len(said) < 2 || said[1] != "assistant: Four." {
		t.Errorf("the transcript says %q", said)
	}
}

func TestTwoAtOnceOnOneSession(t *testing.T) {
	t.Parallel()
	waiting := make(chan struct{})
	server := testkit.Start(t, testkit.Script{
		Models: []testkit.Model{tiny()},
		Rules: []testkit.Rule{
			{UserContains: "first", Reply: testkit.Reply{Text: "One two three four five six.", Until: waiting}},
			{UserContains: "second", Reply: testkit.Reply{Text: "Seven."}},
		},
	})
	p := newPlace(t, server.Addr())
	first := p.start(p.command("ask", "--session", "now", "the first"))
	until(t, "the first answer to begin", func() bool { return first.stdout.String() != "" })
	second := p.start(p.command("ask", "--session", "now", "the second"))
	third := p.start(p.command("ask", "--session", "now", "--json", "the second too"))
	until(t, "the others to wait", func() bool {
		return strings.Contains(second.stderr.String(), "waiting") && strings.Contains(third.stdout.String(), "queued")
	})
	close(waiting)
	third.wait().expect(t, 0, third.stdout.String(), "")
	first.wait().expect(t, 0, "One two three four five six.\n", "")
	second.wait().expect(t, 0, "Seven.\n", "waiting: the session is held by the command line\n")
	queued := slices.ContainsFunc(events(t, third.stdout.String()), func(e event) bool {
		return e.Type == "state" && e.State == "queued" && e.Detail == "held by the command line"
	})
	if !queued {
		t.Error("no event says who holds the session")
	}
	said := p.said("cli-now")
	late := []string{"user: the second", "assistant: Seven.", "user: the second too", "assistant: Seven."}
	if said[2] == "user: the second too" {
		late = append(late[2:], late[:2]...)
	}
	p.expectSaid("cli-now", append([]string{"user: the first", "assistant: One two three four five six."}, late...)...)
}

// Ctrl-C while another process holds the session: nothing is sent, and the command says so.
func TestInterruptedWhileWaiting(t *testing.T) {
	t.Parallel()
	server := testkit.Start(t, answering(testkit.Reply{Text: "One two three four five six seven.", Delay: 300 * time.Millisecond}))
	p := newPlace(t, server.Addr())
	first := p.start(p.command("ask", "--session", "now", "the first"))
	until(t, "the first answer to begin", func() bool { return first.stdout.String() != "" })
	second := p.start(p.command("ask", "--session", "now", "the second"))
	until(t, "the second to wait", func() bool { return second.stderr.String() != "" })
	second.signal(os.Interrupt)
	second.wait().expect(t, 130, "", "waiting: the session is held by the command line\n"+
		"mac-stats: Stopped while waiting for the session, which the command line holds. Your message was not sent. Send it again when the other answer is finished.\n")
	first.wait().expect(t, 0, "One two three four five six seven.\n", "")
	p.expectSaid("cli-now", "user: the first", "assistant: One two three four five six seven.")
}

func TestHeadlessBesideCommands(t *testing.T) {
	t.Parallel()
	server := testkit.Start(t, answering(testkit.Reply{Text: "Four."}))
	p := newPlace(t, server.Addr())
	app := p.start(p.command("--headless"))
	up := "mac-stats runs without a screen on " + p.home + ". Stop it with Ctrl-C.\n"
	until(t, "the app to run", func() bool { return app.stdout.String() == up })

	// a second start on the same folder
	p.run("--headless").expect(t, 1, "", "mac-stats: Another mac-stats is already running on "+p.home+": use that one, or set MAC_STATS_HOME to another folder.\n")

	// a command continues a session while the app runs
	p.run("ask", "--session", "old", question).expect(t, 0, "Four.\n", "")
	p.expectSaid(oldSession, "user: How long does green tea steep?", "assistant: Two minutes.", "user: "+question, "assistant: Four.")
	select {
	case <-app.ended:
		t.Fatal("the app ended")
	default:
	}

	// killed, it leaves its socket, which the next one takes over
	app.signal(os.Kill)
	app.wait()
	again := p.start(p.command("--headless"))
	until(t, "the app to run again", func() bool { return again.stdout.String() == up })
	again.signal(syscall.SIGTERM)
	again.wait().expect(t, 0, up, "")
	if left, _ := filepath.Glob(filepath.Join(p.base, "mac-stats", "*.sock")); len(left) > 0 {
		t.Errorf("the socket is still there: %v", left)
	}
}

func TestNoScreen(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "127.0.0.1:1")
	for _, args := range [][]string{nil, {"--window"}} {
		p.run(args...).expect(t, 1, "", "mac-stats: This build has no window: start it with --headless, or use a command (mac-stats --help).\n")
	}
}

// measured runs ask with stdin and returns the process's largest memory, in bytes.
func (p *place) measured(stdin io.Reader, args ...string) (outcome, int64) {
	p.t.Helper()
	cmd := p.command(args...)
	cmd.Stdin = stdin
	r := p.start(cmd)
	peak := r.peak()
	return r.wait(), peak
}

// zeros reads as so many bytes of text.
type zeros int64

func (z *zeros) Read(b []byte) (int, error) {
	if *z <= 0 {
		return 0, io.EOF
	}
	n := min(len(b), int(*z))
	copy(b, bytes.Repeat([]byte("all work and no play \n"), n/20+1))
	*z -= zeros(n)
	return n, nil
}

func TestTooMuchInput(t *testing.T) {
	t.Parallel()
	server := testkit.Start(t, answering(testkit.Reply{Text: "Never said."}))
	for _, tt := range []struct {
		name   string
		size   zeros
		stderr string
	}{
		{"1 MB", 1 << 20, "mac-stats: This message is too long: about N tokens, and tiny:1b has room for N. Shorten it or split it up, or choose a model with a larger context. It was not sent.\n"},
		{"100 MB", 100 << 20, "mac-stats: There is too much on stdin: 8 MB is the limit. Send a part of it.\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, server.Addr())
			o, peak := p.measured(&tt.size, "ask", "--session", "now", "-")
			stderr := figures.ReplaceAllString(o.stderr, " N")
			outcome{o.code, o.stdout, stderr, o.took}.expect(t, 1, "", tt.stderr)
			if peak == 0 || peak > 120<<20 || o.took > 10*time.Second {
				t.Errorf("it took %d MB and %s", peak>>20, o.took)
			}
			t.Logf("peak %d MB", peak>>20)
			if files, _ := filepath.Glob(filepath.Join(p.home, "session", "*cli-now*")); len(files) > 0 {
				t.Errorf("a message that was refused is kept: %v", files)
			}
		})
	}
	t.Cleanup(func() {
		if n := len(server.Chats()); n > 0 {
			t.Errorf("%d chats were sent", n)
		}
	})
}

func TestOddMessages(t *testing.T) {
	t.Parallel()
	server := testkit.Start(t, testkit.Script{
		Models: []testkit.Model{tiny()},
		Rules: []testkit.Rule{{Func: func(r request) testkit.Reply {
			text, _, _ := strings.Cut(testkit.LastUser(r), "\n\n[")
			return testkit.Reply{Text: text} // an echo
		}}},
	})
	for _, tt := range []struct {
		name, text, printed, kept string
		code                      int
		stderr                    string
	}{
		{name: "emoji", text: "👩‍👩‍👧 🏳️‍🌈 ok?", printed: "👩‍👩‍👧 🏳️‍🌈 ok?\n", kept: "👩‍👩‍👧 🏳️‍🌈 ok?"},
		{name: "right to left", text: "שלום עולם", printed: "שלום עולם\n", kept: "שלום עולם"},
		{name: "a direction override", text: "a\u202eb", printed: "ab\n", kept: "a\u202eb"}, // kept, but not sent to the terminal
		{name: "an escape sequence", text: "a\x1b[2Jb", printed: "a[2Jb\n", kept: "a\x1b[2Jb"},
		{name: "NUL bytes", text: "a\x00b", printed: "ab\n", kept: "a\x00b"},
		{name: "headings of a transcript", text: "hi\n## User · 2026-01-01T08:00:00Z\n<!-- id=x -->\n\\## Note", printed: "hi\n## User · 2026-01-01T08:00:00Z\n<!-- id=x -->\n\\## Note\n", kept: "hi\n## User · 2026-01-01T08:00:00Z\n<!-- id=x -->\n\\## Note"},
		{name: "not UTF-8", text: "a\xffb", code: 1, stderr: "mac-stats: The text is not UTF-8. Send text, not a binary file.\n"},
		{name: "nothing", text: " \n ", code: 1, stderr: "mac-stats: There was nothing on stdin. Pipe something in, or give the text on the command line.\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, server.Addr())
			cmd := p.command("ask", "--session", "now", "-")
			cmd.Stdin = strings.NewReader(tt.text)
			p.start(cmd).wait().expect(t, tt.code, tt.printed, tt.stderr)
			if tt.code == 0 {
				p.expectSaid("cli-now", "user: "+tt.kept, "assistant: "+tt.kept)
			}
		})
	}
}
