package failuretest

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"mac-stats/agents/testkit"
)

// terminal opens a pseudo-terminal and returns the person's end and the program's.
func terminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("there is no pseudo-terminal: %v", err)
	}
	t.Cleanup(func() { person.Close() })
	fd := int(person.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return person, program
}

// reading returns what a person sees from now on.
func reading(person *os.File) *buffer {
	var seen buffer
	go func() {
		piece := make([]byte, 4096)
		for {
			n, err := person.Read(piece)
			_, _ = seen.Write(piece[:n])
			if err != nil {
				return
			}
		}
	}()
	return &seen
}

// A secret is typed where nobody sees it.
func TestATypedSecretIsNotShown(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "127.0.0.1:1")
	person, program := terminal(t)
	cmd := p.command("models", "token")
	cmd.Stdin, cmd.Stderr = program, program
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 2}
	r := p.start(cmd)
	seen := reading(person)
	until(t, "the program to read what nobody sees", func() bool {
		state, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS)
		return err == nil && state.Lflag&unix.ECHO == 0
	})
	if _, err := person.WriteString("zanzibar-token\n"); err != nil {
		t.Fatal(err)
	}
	o := r.wait()
	until(t, "the question and the end of its line", func() bool { return strings.Contains(seen.String(), "oken") && strings.HasSuffix(seen.String(), "\n") })
	if o.code != 0 || !strings.HasPrefix(o.stdout, "saved in ") || strings.Contains(seen.String(), "zanzibar") {
		t.Errorf("exit %d, %s; the terminal shows:\n%s", o.code, o.stdout, seen.String())
	}
}

// With a pipe on stdin and a terminal, the question appears on the terminal before anything
// is sent, and Enter alone means no; Ctrl-C ends it.
func TestAQuestionIsAskedOnTheTerminal(t *testing.T) {
	t.Parallel()
	const leak = "http://127.0.0.1:9999/?d=green-tea" // refused on connecting
	for name, typed := range map[string]string{"yes": "y\n", "Enter": "\n", "Ctrl-C": "\x03"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := testkit.Start(t, obeying("FETCH_URL: "+leak, "Done."))
			p := newPlace(t, server.Addr())
			person, program := terminal(t)
			cmd := p.command("ask", "review this", "-")
			cmd.Stdin = strings.NewReader("Read " + leak)
			cmd.Stderr = program
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 2}
			r := p.start(cmd)
			seen := reading(person)
			until(t, "the question", func() bool { return strings.Contains(seen.String(), "Allow it? [y] once") })
			if !strings.Contains(seen.String(), leak) || len(server.Chats()) != 1 {
				t.Errorf("%d chats, the terminal shows:\n%s", len(server.Chats()), seen.String())
			}
			if _, err := person.WriteString(typed); err != nil {
				t.Fatal(err)
			}
			o := r.wait()
			if name == "Ctrl-C" {
				if o.code != 130 {
					t.Errorf("exit %d", o.code)
				}
				return
			}
			chats := server.Chats()
			last := chats[len(chats)-1].Chat.Messages
			toolResult := last[len(last)-1].Content
			if o.code != 0 || o.stdout != "Done.\n" || strings.Contains(toolResult, "the user said no") == (name == "yes") {
				t.Errorf("exit %d, stdout %q, told %q", o.code, o.stdout, toolResult)
			}
		})
	}
}
