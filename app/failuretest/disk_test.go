//go:build unix

package failuretest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mac-stats/agents/testkit"
)

const (
	readOnlyNext = " Make it writable, or set MAC_STATS_HOME to another folder, then try again.\n"
	accessNext   = " Give yourself access to it, or set MAC_STATS_HOME to another folder, then try again. Nothing that was saved before is lost.\n"
	fullNext     = " Free some space, then try again. Nothing that was saved before is lost.\n"
	limitNext    = " Raise the limit on the size of files (ulimit -f), or start a new chat. Nothing that was saved before is lost.\n"
)

func TestDataFolderCannotBeWritten(t *testing.T) {
	t.Parallel()
	server := testkit.Start(t, answering(testkit.Reply{Text: "Never said."}))
	for _, d := range disks(t, readOnly(), noPermission()) {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, server.Addr())
			p.run("agents", "list") // a first start's files exist
			shown := p.run("sessions", "show", "old").stdout
			before := p.everything()
			ask, add, reset := "Your message could not be saved: the disk is read-only."+readOnlyNext, "The disk is read-only."+readOnlyNext, "The disk is read-only."+readOnlyNext
			if d.name == noPermission().name {
				ask = "Your message could not be saved: no permission to open " + p.home + "/session/.locks/cli-old.turn." + accessNext
				add = "No permission to open " + p.home + "/session/.locks/memory.lock." + accessNext
				reset = "No permission to open session-memory-cli-old-20260101-080000-tea.md." + accessNext
			}
			p.start(p.on(d, p.command("ask", "--session", "old", question))).wait().expect(t, 1, "", "mac-stats: "+ask)
			p.start(p.on(d, p.command("memory", "add", "I like cats."))).wait().expect(t, 1, "", "mac-stats: "+add)
			p.start(p.on(d, p.command("sessions", "reset", "old"))).wait().expect(t, 1, "", "mac-stats: "+reset)
			// existing text can still be read
			p.start(p.on(d, p.command("sessions", "show", "old"))).wait().expect(t, 0, shown, "")
			o := p.start(p.on(d, p.command("ask", "--session", "old", "--json", question))).wait()
			if e := last(t, o.stdout); o.code != 1 || e.Type != "error" || e.Kind != "disk" {
				t.Errorf("exit %d, last event %+v", o.code, e)
			}
			o = p.start(p.on(d, p.command("doctor"))).wait()
			if o.code != 1 || !strings.Contains(o.stdout, "✗ folder       "+p.home+" can't be written: ") {
				t.Errorf("doctor: exit %d, %s", o.code, o.stdout)
			}
			if after := p.everything(); !slices.Equal(before, after) {
				t.Errorf("there are other files than before:\n%q\n%q", before, after)
			}
		})
	}
	t.Cleanup(func() {
		if n := len(server.Chats()); n > 0 {
			t.Errorf("%d chats were sent without the message on disk", n)
		}
	})
}

func TestDiskIsFull(t *testing.T) {
	t.Parallel()
	answer := strings.TrimSpace(strings.ReplaceAll(testkit.Lines("A long answer", 1000), "\n", ". "))
	for _, d := range disks(t, full(), sizeLimit()) {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			server := testkit.Start(t, answering(testkit.Reply{Text: answer}))
			p := newPlace(t, server.Addr())
			p.run("agents", "list")
			why, next := "the disk is full.", fullNext
			if d.name == sizeLimit().name {
				why, next = "the file may not grow any more.", limitNext
			}
			// the answer doesn't fit on the disk: it is shown, and reported as not saved
			p.start(p.on(d, p.command("ask", "--session", "old", question))).wait().
				expect(t, 1, answer+"\n", "mac-stats: The answer could not be saved: "+why+next)
			said := p.said(oldSession)
			want := []string{"user: How long does green tea steep?", "assistant: Two minutes.", "user: " + question}
			if len(said) < 3 || !slices.Equal(said[:3], want) || len(said) > 4 || len(said) == 4 && said[3] != "note: error The answer could not be saved: "+why {
				t.Errorf("the transcript says %.300q", said)
			}
			// a message that doesn't fit isn't sent
			chats := len(server.Chats())
			cmd := p.command("ask", "--session", "old", "-")
			cmd.Stdin = strings.NewReader(strings.Repeat("A long question. ", 1200))
			p.start(p.on(d, cmd)).wait().expect(t, 1, "", "mac-stats: Your message could not be saved: "+why+next)
			if len(server.Chats()) != chats {
				t.Error("a message was sent that is not on disk")
			}
			for _, line := range p.said(oldSession)[len(said):] { // except the checkpointed part of the answer
				if line != "note: interrupted" && !strings.HasPrefix("assistant: "+answer, line) {
					t.Errorf("the transcript says %.300q", line)
				}
			}
			// with space again, the conversation goes on
			o := p.run("ask", "--session", "old", question)
			o.expect(t, 0, answer+"\n", o.stderr)
		})
	}
}

func TestDataFolderIsAFile(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "127.0.0.1:1")
	file := filepath.Join(p.base, "file")
	if err := os.WriteFile(file, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, home := range []string{file, filepath.Join(file, "below")} {
		p.env = append(p.env, "MAC_STATS_HOME="+home)
		for _, args := range [][]string{{"ask", question}, {"sessions", "list"}, {"memory", "add", "I like cats."}, {"--headless"}} {
			p.run(args...).expect(t, 1, "", "mac-stats: A file stands where a folder should be: "+file+". Move it away, or set MAC_STATS_HOME to another folder.\n")
		}
		if o := p.run("doctor"); o.code != 1 || !strings.Contains(o.stdout, "✗ start        ") || !strings.Contains(o.stdout, "Move it away, or set MAC_STATS_HOME to another folder.") {
			t.Errorf("doctor: exit %d, %s", o.code, o.stdout)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "mine\n" {
		t.Errorf("the file says %q, %v", got, err)
	}
}

// Another program, or a person, moves the sessions folder away while an answer arrives.
func TestSessionsFolderDisappears(t *testing.T) {
	t.Parallel()
	server := testkit.Start(t, answering(testkit.Reply{Text: "One two three four five.", Delay: 100 * time.Millisecond}))
	p := newPlace(t, server.Addr())
	r := p.start(p.command("ask", "--session", "now", question))
	until(t, "the answer to begin", func() bool { return r.stdout.String() != "" })
	away := filepath.Join(p.base, "away")
	if err := os.Rename(filepath.Join(p.home, "session"), away); err != nil {
		t.Fatal(err)
	}
	r.wait().expect(t, 1, "One two three four five.\n",
		"mac-stats: The answer could not be saved: its folder is gone: "+p.home+"/session. Put it back if you moved it, or start mac-stats again: it makes a new one.\n")
	if err := os.Rename(away, filepath.Join(p.home, "session")); err != nil {
		t.Fatal(err)
	}
	// the next turn finds the message and the checkpointed part
	p.run("ask", "--session", "now", "Please go on.").expect(t, 0, "One two three four five.\n", "")
	said := p.said("cli-now")
	if said[0] != "user: "+question || said[len(said)-2] != "user: Please go on." || said[len(said)-1] != "assistant: One two three four five." {
		t.Errorf("the transcript says %q", said)
	}
	// without the folder, a new one is created
	if err := os.Rename(filepath.Join(p.home, "session"), away); err != nil {
		t.Fatal(err)
	}
	p.run("ask", "--session", "now", question).expect(t, 0, "One two three four five.\n", "")
	p.expectSaid("cli-now", "user: "+question, "assistant: One two three four five.")
	p.had = map[string]string{"agents/memory.md": memoryText}
}

func TestHomeIsNotSet(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "127.0.0.1:1")
	for _, args := range [][]string{{"ask", question}, {"--headless"}, {"sessions", "list"}, {"agents", "list"}} {
		cmd := p.command(args...)
		cmd.Env = slices.DeleteFunc(cmd.Env, func(kv string) bool {
			return strings.HasPrefix(kv, "HOME=") || strings.HasPrefix(kv, "MAC_STATS_") || strings.HasPrefix(kv, "XDG_")
		})
		p.start(cmd).wait().expect(t, 1, "", "mac-stats: The home folder is not known. Set HOME, or MAC_STATS_HOME to the folder to use.\n")
	}
}

func TestBrokenAgents(t *testing.T) {
	t.Parallel()
	server := testkit.Start(t, answering(testkit.Reply{Text: "Four."}))
	const (
		badJSON = "agent.json line 1: unexpected end of JSON input"
		lists   = "`mac-stats agents list` shows the agents there are; `mac-stats agents reset ID` brings a shipped one back.\n"
	)
	p := newPlace(t, server.Addr())
	p.write("agents/agent-050/agent.json", "{\"name\": ")
	p.write("agents/agent-050/skill.md", "You are fifty.\n")
	p.write("agents/agent-051/agent.json", "{\"name\": \"Fifty-one\", \"slug\": \"fifty-one\", \"enabled\": true}\n")
	p.write("agents/agent-051/skill.md", "\x00\xff\x01")
	if err := syscall.Mkfifo(filepath.Join(p.home, "agents/agent-051/mood.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.run("ask", "--session", "now", question).expect(t, 0, "Four.\n", "") // the other agents work
	o := p.run("agents", "list")
	for _, want := range []string{"000  orchestrator", "004  memory-keeper", "broken: " + badJSON, "broken: skill.md: is not a text file"} {
		if o.code != 0 || !strings.Contains(o.stdout, want) {
			t.Errorf("agents list: exit %d, %q is not in\n%s", o.code, want, o.stdout)
		}
	}
	p.run("ask", "--session", "x", "--agent", "050", question).expect(t, 1, "", "mac-stats: 050 can't be used: "+badJSON+". "+lists)

	// the orchestrator itself: the error is reported, and reset repairs it
	p.run("agents", "list")
	p.write("agents/agent-000/agent.json", "{")
	delete(p.had, "agents/agent-000/agent.json") // the reset moves it
	o = p.run("ask", "--session", "y", question)
	if o.code != 1 || !strings.HasPrefix(o.stderr, "mac-stats: No such agent: \"orchestrator\"; ") ||
		!strings.Contains(o.stderr, "agent-000 is broken: "+badJSON) || !strings.HasSuffix(o.stderr, lists) || strings.Count(o.stderr, "\n") != 1 {
		t.Errorf("exit %d, %s", o.code, o.stderr)
	}
	if said := p.said("cli-y"); len(said) != 2 || said[0] != "user: "+question {
		t.Errorf("the transcript says %q", said)
	}
	if o := p.run("agents", "reset", "000"); o.code != 0 {
		t.Errorf("agents reset: %s", o.stderr)
	}
	p.run("ask", "--session", "y", question).expect(t, 0, "Four.\n", "")
	if kept, _ := filepath.Glob(filepath.Join(p.home, "agents/.trash/*-agent-000/agent.json")); len(kept) != 1 {
		t.Errorf("the broken file was not kept in the trash: %v", kept)
	}
}

func TestBrokenConfig(t *testing.T) {
	t.Parallel()
	server := testkit.Start(t, answering(testkit.Reply{Text: "Four."}))
	for _, tt := range []struct{ name, config, stderr string }{
		{"not TOML", "[ollama\nhost = ", "config.toml:1:8: this is not TOML: expected ']' to close table name; until that is fixed no transcript is written, no model writes memory, and all else has its default"},
		{"out of range", "[session]\nmax_messages = -4\n", "config.toml:2: session.max_messages = -4: it must be a whole number from 2 to 500; the default 20 is used"},
		{"of another type", "[session]\nmax_messages = \"many\"\n", "config.toml:2: session.max_messages = many: it must be a whole number from 2 to 500; the default 20 is used"},
		{"binary", "\x00\x01\xff", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, server.Addr())
			p.write("config.toml", tt.config)
			o := p.run("ask", "--session", "now", question)
			if tt.stderr == "" {
				if !strings.HasPrefix(o.stderr, "mac-stats: config.toml:1") || strings.Count(o.stderr, "\n") != 1 {
					t.Errorf("stderr: %q", o.stderr)
				}
				tt.stderr = strings.TrimSuffix(strings.TrimPrefix(o.stderr, "mac-stats: "), "\n")
			}
			o.expect(t, 0, "Four.\n", "mac-stats: "+tt.stderr+"\n")
			if strings.Contains(o.stderr, "no transcript") { // then the privacy settings are unknown: see TestAnUnreadableConfigSavesNoConversation
				return
			}
			p.expectSaid("cli-now", "user: "+question, "assistant: Four.")
		})
	}
}

func TestBrokenTranscripts(t *testing.T) {
	t.Parallel()
	server := testkit.Start(t, answering(testkit.Reply{Text: "Four."}))
	p := newPlace(t, server.Addr())
	p.write("session/session-memory-cli-bin-20260102-080000-bin.md", "\x00\x01\x02\xff\xfe\x1b[2J\nPNG\r\n")
	p.write("session/session-memory-cli-half-20260103-080000-half.md", oldText[:len(oldText)-30])
	p.write("session/session-memory-cli-empty-20260104-080000-empty.md", "")
	if err := os.Mkdir(filepath.Join(p.home, "session/session-memory-cli-dir-20260105-080000-dir.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(p.home, "session/session-memory-cli-pipe-20260106-080000-pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := p.run("sessions", "list")
	for _, name := range []string{"cli-bin ", "cli-half ", "cli-empty ", "cli-old ", "cli-dir ", "cli-pipe "} {
		if o.code != 0 || !strings.Contains(o.stdout, "\n"+name) {
			t.Errorf("sessions list: exit %d, %s is not in\n%s", o.code, name, o.stdout)
		}
	}
	if n := strings.Count(o.stderr, "it is no file; move it out of the session folder\n"); n != 2 {
		t.Errorf("the folder and the pipe are not said: %q", o.stderr)
	}
	for name, text := range map[string]string{"bin": "[2J\n  PNG", "half": "How long does green tea steep?", "old": "Two minutes."} {
		if o := p.run("sessions", "show", name); o.code != 0 || !strings.Contains(o.stdout, text) || strings.Contains(o.stdout, "\x1b") {
			t.Errorf("sessions show %s: exit %d, %q", name, o.code, o.stdout)
		}
		p.run("ask", "--session", name, question).expect(t, 0, "Four.\n", "") // intact: existing text stays byte for byte
		if o := p.run("sessions", "show", name); !strings.Contains(o.stdout, text) || !strings.Contains(o.stdout, "  Four.\n") {
			t.Errorf("sessions show %s after: %q", name, o.stdout)
		}
	}
	for _, name := range []string{"dir", "pipe"} {
		o := p.run("ask", "--session", name, question)
		if o.code != 1 || !strings.Contains(o.stderr, "it is no file") || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("ask in %s: exit %d, %q", name, o.code, o.stderr)
		}
	}
}

// A first start on a read-only disk does what it can and reports the problem once.
func TestFirstStartOnReadOnlyDisk(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "127.0.0.1:1")
	p.had = map[string]string{}
	p.home = filepath.Join(p.base, "empty")
	if err := os.Mkdir(p.home, 0o700); err != nil {
		t.Fatal(err)
	}
	d := readOnly()
	begin := "mac-stats: " + p.home + " can't be written: "
	o := p.start(p.on(d, p.command("sessions", "list"))).wait()
	o.expect(t, 0, "No sessions yet. Begin one with `mac-stats ask TEXT`.\n", o.stderr)
	if !strings.HasPrefix(o.stderr, begin) || strings.Count(o.stderr, "\n") != 1 {
		t.Errorf("stderr: %q", o.stderr)
	}
	app := p.start(p.on(d, p.command("--headless")))
	until(t, "the app to run", func() bool { return app.stdout.String() != "" })
	app.signal(syscall.SIGTERM)
	o = app.wait()
	if o.code != 0 || !strings.HasPrefix(o.stderr, begin) || !strings.HasSuffix(o.stderr, "Check the folder's owner and permissions and the free space.\n") {
		t.Errorf("--headless: exit %d, %q", o.code, o.stderr)
	}
	if left := p.everything(); len(left) != 1 {
		t.Errorf("there is %v", left)
	}
}
