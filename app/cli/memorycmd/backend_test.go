package memorycmd_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/app/backend"
	"mac-stats/app/cli/clitest"
	"mac-stats/sessionmem/recall/recalltest"
)

// onServer returns a data folder whose index is also on a server.
func onServer(t *testing.T, address, answer string) *clitest.Env {
	t.Helper()
	e := clitest.New(t, clitest.Answering(answer))
	set(t, e, "postgres", address)
	return e
}

// set writes recall.backend and recall.postgres_url.
func set(t *testing.T, e *clitest.Env, backend, address string) {
	t.Helper()
	text := fmt.Sprintf("[recall]\nbackend = %q\npostgres_url = %q\ncross_session = \"on\"\n", backend, address)
	if err := os.MkdirAll(e.Home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(e.Home, "config.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Two machines share a real server, as a person would set them up.
func TestTwoMachinesByCommands(t *testing.T) {
	t.Parallel()
	server := recalltest.StartPostgres(t)
	address := server.Database(t)
	desk, lap := onServer(t, address, "Noted."), onServer(t, address, "Noted.")
	for _, want := range []string{"PostgreSQL ", "(this machine): 0 passages"} {
		if got := desk.Must(t, "memory", "backend", "test"); !strings.Contains(got, want) {
			t.Errorf("test: %q is missing in %s", want, got)
		}
	}
	desk.Must(t, "ask", "--session", "notes", "The locker code is zanzibar")
	lap.Must(t, "ask", "--session", "trip", "We take the ferry to zanzibar, the code for the locker")
	for _, e := range []*clitest.Env{desk, lap, desk, lap} {
		e.Must(t, "memory", "backend", "push")
	}
	if got := desk.Must(t, "memory", "search", "ferry"); !strings.Contains(got, "We take the ferry") {
		t.Errorf("the other machine's message isn't found: %s", got)
	}
	if got := desk.Must(t, "memory", "backend", "status", "--json"); !strings.Contains(got, `"machines":[{`) || strings.Contains(got, "zanzibar") {
		t.Errorf("status: %s", got)
	}

	dry := desk.Must(t, "memory", "forget", "--text", "zanzibar")
	if !strings.Contains(dry, "- server") || !strings.Contains(dry, "replicas keep copies") {
		t.Errorf("a dry run doesn't name the server:\n%s", dry)
	}
	server.Kill() // while it is down
	out := desk.Run(t, "memory", "forget", "--text", "zanzibar", "--yes", "--json")
	if out.Code == 0 || !strings.Contains(out.Stdout, `"place":"server","action":"pending"`) {
		t.Errorf("the server is away: exit code %d\n%s%s", out.Code, out.Stdout, out.Stderr)
	}
	set(t, desk, "local", "") // meanwhile the person goes back to one machine
	if got := desk.Must(t, "memory", "status"); !strings.Contains(got, "what this machine put is still on ") || !strings.Contains(got, "1 forgetting is not complete yet") {
		t.Errorf("status doesn't say what is left:\n%s", got)
	}
	if err := server.Run(); err != nil {
		t.Fatal(err)
	}
	if got := desk.Must(t, "memory", "forget", "--text", "nothing of the kind", "--yes", "--json"); !strings.Contains(got, `"place":"server","action":"removed"`) {
		t.Errorf("it isn't finished:\n%s", got)
	}
	if got := lap.Must(t, "memory", "search", "locker"); strings.Contains(got, "zanzibar") && strings.Contains(got, " on ") {
		t.Errorf("the other machine finds it still:\n%s", got)
	}
	lap.Must(t, "memory", "backend", "push")
	if left := residue(t, lap, "zanzibar"); len(left) > 0 {
		t.Errorf("the other machine has it in %v", left)
	}
	if got := desk.Must(t, "memory", "backend", "drop", "--yes"); !strings.Contains(got, "is off localhost/") {
		t.Errorf("drop: %s", got)
	}
	if got := desk.Must(t, "memory", "status"); strings.Contains(got, "still on") {
		t.Errorf("after drop: %s", got)
	}
}

// These servers never answer, so a command that waited for them would never end.
func TestAnAnswerDoesntWaitForASilentServer(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{"no answer": "", "no handshake": recalltest.YesToTLS, "no rows": recalltest.Ready} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := recalltest.NewSilent(t, answer)
			e := onServer(t, server.Address, "Noted.")
			set(t, e, "local", "")
			e.Must(t, "ask", "--session", "notes", "The locker code is zanzibar")
			e.Must(t, "memory", "reindex")
			set(t, e, "postgres", server.Address)
			e.Open = backend.Open // as impatient as the real program
			for range 10 {        // a busy machine may not get there in time, or drop the connection
				if got := e.Must(t, "ask", "--session", "trip", "What was the code of the locker, zanzibar?"); !strings.Contains(got, "Noted.") {
					t.Error(got)
				}
				if len(server.Came) > 0 && (answer != recalltest.Ready || server.Holds()) {
					return
				}
			}
			t.Error("the command waited until the connection was given up")
		})
	}
}

func TestBackendCommandsWithoutAServer(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("Noted."))
	for _, command := range []string{"status", "push"} {
		if o := e.Run(t, "memory", "backend", command); o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: There is no memory server: each machine finds what is in its own files. Set recall.backend to postgres") {
			t.Errorf("%s: %+v", command, o)
		}
	}
	if got := e.Must(t, "memory", "backend", "drop", "--yes"); got != "Nothing of this machine is on a server.\n" {
		t.Errorf("drop: %q", got)
	}
	if o := e.Run(t, "memory", "backend", "drop"); o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: Nothing is removed from the server without --yes.") {
		t.Errorf("drop without --yes: %+v", o)
	}
	e.Refuses(t, "no words: the password is read from stdin", "memory", "backend", "password", "secret")
	for stdin, want := range map[string]string{
		"\r\n":     "There was no password, and nothing is saved.",
		"secret\n": "There is no keychain here to keep a password in (a data folder that MAC_STATS_HOME names uses none). Write it to ~/.pgpass",
	} {
		if o := e.RunWith(t.Context(), stdin, "memory", "backend", "password"); o.Code != clitest.Failed || o.Stdout != "" || !strings.Contains(o.Stderr, want) || strings.Contains(o.Stderr, "secret") {
			t.Errorf("password %q: %+v", stdin, o)
		}
	}
}

func TestAServerThatCannotBeReached(t *testing.T) {
	t.Parallel()
	e := onServer(t, "postgres://me@127.0.0.1:1/memory?connect_timeout=2", "Noted.")
	for _, command := range []string{"status", "push"} {
		if o := e.Run(t, "memory", "backend", command); o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: ") || !strings.Contains(o.Stderr, "127.0.0.1") {
			t.Errorf("%s: %+v", command, o)
		}
	}
	if got := e.Must(t, "memory", "status"); !strings.Contains(got, "\n  this machine alone: ") {
		t.Errorf("the status is %s", got)
	}
}
