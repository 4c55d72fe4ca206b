//go:build unix

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mac-stats/agents/testkit"
)

// The scripts of testdata/door are what docs/promises.md promises, as a person meets it: what
// they type, what they see, what lies on disk. Each runs the program in folders of its own.
// Besides the commands of testscript they use
//
//	ollama FILE [MODEL…]   start a server that has these models (default qwen3:8b) and gives
//	                       the answers in FILE
//	sent                   print the messages and the names of the tools of the last request
//	                       that a "> " section of FILE answered
//	defect TEXT            the rest of the script shows a known defect: it must fail, and
//	                       once it passes, the mark has to go
//
// A section of FILE begins with "> WORDS" and answers a message of the user that contains
// the words, or with ">> WORDS" for the words of a system prompt; "> *" answers all the rest.
// Of several sections that begin alike each answers once, but the last always.
// An answer that ends with a line "[hang]" stops there for good, one with "[cut]" ends without
// its end mark, and "[error TEXT]" is an error of the server. With "[until FILE]" its last word
// comes once FILE exists.

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mac-stats": main})
}

func TestDoor(t *testing.T) {
	files, err := filepath.Glob("testdata/door/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no scripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			log, err := runScript(file)
			t.Log(log)
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// given scripts with and without a mark, when they pass or fail, then only a mark that is
// right keeps the build green
func TestADefectsMark(t *testing.T) {
	for _, test := range []struct{ name, script, says string }{
		{"a script that passes", "exec true\n", ""},
		{"a script that fails", "exec false\n", "the script fails"},
		{"a defect", "exec true\ndefect 'false is false'\nexec false\n", ""},
		{"a defect that is mended", "defect 'true is false'\nexec true\n", "remove the mark: true is false"},
		{"a failure before the defect", "exec false\ndefect 'false is false'\nexec false\n", "the script fails"},
		{"two marks in one script", "defect 'one'\ndefect 'two'\nexec false\n", "the script fails"},
		{"a mark without words", "defect\nexec false\n", "the script fails"},
		{"an expected failure of the mark", "! defect 'one'\nexec false\n", "the script fails"},
		{"a script that is skipped", "skip\n", "the script fails"},
		{"a script that stops before its mark", "stop\ndefect 'one'\nexec false\n", "the mark isn't reached"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.txtar")
			if err := os.WriteFile(file, []byte(test.script), 0o600); err != nil {
				t.Fatal(err)
			}
			log, err := runScript(file)
			if says := fmt.Sprint(err); err == nil != (test.says == "") || !strings.Contains(says, test.says) {
				t.Errorf("%q: %v\n%s", test.script, err, log)
			}
		})
	}
}

// scriptRun is one run of a script.
type scriptRun struct {
	log     strings.Builder
	failed  bool
	defect  string // what the script's mark says; "" before it
	wrong   bool   // the mark itself is wrong
	servers []*testkit.Server
}

// runScript runs a script. It returns an error if the script fails before its mark, doesn't
// fail behind it, or ends before it.
func runScript(file string) (log string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	s := &scriptRun{}
	testscript.RunT(s, testscript.Params{
		Files: []string{file},
		Setup: s.setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"ollama": s.ollama, "sent": s.sent, "defect": s.mark,
		},
	})
	switch {
	case s.wrong || s.failed && s.defect == "":
		return s.log.String(), errors.New("the script fails")
	case s.defect == "" && strings.Contains("\n"+string(text), "\ndefect "):
		return s.log.String(), errors.New("the mark isn't reached")
	case !s.failed && s.defect != "":
		return s.log.String(), fmt.Errorf("the script passes, so the defect is mended; remove the mark: %s", s.defect)
	}
	return s.log.String(), nil
}

// setup gives a script a home folder, whose data only the owner can read, and a server that
// doesn't answer.
func (s *scriptRun) setup(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, ".mac-stats")
	for name, value := range map[string]string{
		"GOGC": "off", // a command ends before collecting pays
		"HOME": env.WorkDir, "TZ": "UTC", "LANG": "en_GB.UTF-8", "OLLAMA_HOST": "127.0.0.1:1",
		"MAC_STATS_HOME": home, "MAC_STATS_CACHE": filepath.Join(env.WorkDir, ".cache"), "XDG_RUNTIME_DIR": env.WorkDir,
		"XDG_CONFIG_HOME": filepath.Join(env.WorkDir, ".config"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=" + filepath.Join(env.WorkDir, "none"),
	} {
		env.Setenv(name, value)
	}
	if _, err := os.Stat(home); err != nil {
		return nil // most scripts begin without data
	}
	return filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		mode := fs.FileMode(0o600)
		if err == nil && d.IsDir() {
			mode = 0o700
		}
		return cmp.Or(err, os.Chmod(path, mode))
	})
}

// mark notes that the rest of the script shows a defect.
func (s *scriptRun) mark(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 || args[0] == "" || s.defect != "" {
		s.wrong = true
		ts.Fatalf("usage, once in a script: defect TEXT")
	}
	s.defect = args[0]
}

// ollama starts a server.
func (s *scriptRun) ollama(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: ollama FILE [MODEL…]")
	}
	server := testkit.New(answers(ts, ts.ReadFile(args[0]), args[1:]))
	ts.Check(server.Start())
	ts.Defer(func() { _ = server.Close() })
	s.servers = append(s.servers, server)
	ts.Setenv("OLLAMA_HOST", server.Addr())
}

// answers reads a script's file of answers.
func answers(ts *testscript.TestScript, text string, models []string) testkit.Script {
	var list testkit.Script
	if len(models) == 0 {
		models = []string{"qwen3:8b"}
	}
	for _, name := range models {
		m := testkit.Model{Name: name, ParameterSize: "8B", Family: "qwen3", Capabilities: []string{"completion", "tools"}, ContextLength: 32768}
		if strings.Contains(name, "embed") {
			m.ParameterSize, m.Capabilities = "137M", []string{"embedding"}
		}
		list.Models = append(list.Models, m)
	}
	last := map[string]int{} // of the rules that begin alike
	for section := range strings.SplitSeq("\n"+text, "\n>") {
		head, body, _ := strings.Cut(section, "\n")
		body = strings.TrimSpace(body)
		if head == "" && body == "" {
			continue // what stands before the first section
		}
		var rule testkit.Rule
		switch words, system := strings.CutPrefix(head, "> "); {
		case system:
			rule.Name, rule.SystemContains = "system", words
		case head == " *":
			rule.Name = "user"
		case strings.HasPrefix(head, " "):
			rule.Name, rule.UserContains = "user", head[1:]
		default:
			ts.Fatalf("no section of answers: %q", section)
		}
		if before, mark, ok := strings.Cut(body, "["); ok && strings.HasSuffix(mark, "]") && (before == "" || strings.HasSuffix(before, "\n")) {
			kind, message, _ := strings.Cut(strings.TrimSuffix(mark, "]"), " ")
			if kind == "until" {
				rule.Reply.Until = existing(ts, ts.MkAbs(message))
			}
			fault := map[string]*testkit.Fault{
				"hang":  {Kind: testkit.FaultHangMid, After: len(strings.Fields(before))},
				"cut":   {Kind: testkit.FaultCut, After: len(strings.Fields(before))},
				"error": {Kind: testkit.FaultStatus, Status: 500, Message: message},
			}[kind]
			if fault == nil && kind != "until" {
				ts.Fatalf("no end of an answer: %q", mark)
			}
			body, rule.Reply.Fault = strings.TrimSpace(before), fault
		}
		rule.Reply.Text = body
		if i, ok := last[head]; ok {
			list.Rules[i].Times = 1
		}
		last[head] = len(list.Rules)
		list.Rules = append(list.Rules, rule)
	}
	return list
}

// existing returns a channel that is closed once the file exists.
func existing(ts *testscript.TestScript, file string) <-chan struct{} {
	exists, over := make(chan struct{}), make(chan struct{})
	ts.Defer(func() { close(over) })
	go func() {
		defer close(exists)
		for {
			if _, err := os.Stat(file); err == nil {
				return
			}
			select {
			case <-over:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return exists
}

// sent prints the messages of the last request that a section for the user answered.
func (s *scriptRun) sent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: sent")
	}
	for i := len(s.servers) - 1; i >= 0; i-- {
		requests := s.servers[i].Requests()
		for j := len(requests) - 1; j >= 0; j-- {
			if r := requests[j]; r.Chat != nil && r.Rule == "user" {
				for _, m := range r.Chat.Messages {
					_, err := fmt.Fprintf(ts.Stdout(), "%s: %s\n", m.Role, cmp.Or(m.Content, "-"))
					ts.Check(err)
				}
				if len(r.Chat.Tools) > 0 {
					var names []string
					for _, tool := range r.Chat.Tools {
						names = append(names, tool.Function.Name)
					}
					_, err := fmt.Fprintln(ts.Stdout(), "tools:", strings.Join(names, " "))
					ts.Check(err)
				}
				return
			}
		}
	}
	ts.Fatalf("nothing was sent")
}

// What follows makes a scriptRun a testscript.T.

// Run runs the script in a goroutine of its own, which FailNow ends.
func (s *scriptRun) Run(_ string, f func(testscript.T)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(s)
	}()
	<-done
}

func (s *scriptRun) FailNow() {
	s.failed = true
	runtime.Goexit()
}

func (s *scriptRun) Fatal(args ...any) {
	s.Log(args...)
	s.FailNow()
}

// Skip fails: what a script promises holds everywhere.
func (s *scriptRun) Skip(args ...any) {
	s.wrong = true
	s.Fatal(append([]any{"skipped"}, args...)...)
}

func (s *scriptRun) Log(args ...any) { fmt.Fprintln(&s.log, args...) }

func (s *scriptRun) Parallel() {}

func (s *scriptRun) Verbose() bool { return true }
