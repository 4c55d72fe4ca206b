package memorycmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"

	"mac-stats/app/apptest"
	"mac-stats/app/cli/clitest"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/recall/recalltest"
)

// insideSession is set in the test's own desktop session.
const insideSession = "MAC_STATS_TEST_SESSION"

// The test runs in its own GNOME session with a temporary home folder.
func TestThePasswordIsSavedInTheKeychain(t *testing.T) {
	recalltest.Programs(t)
	if os.Getenv(insideSession) == "" {
		if _, err := exec.LookPath("gnome-keyring-daemon"); err != nil {
			t.Skip("there is no gnome-keyring-daemon (scripts/setup.sh test installs it)")
		}
		bus, err := apptest.StartBus()
		filetest.Must(t, err)
		t.Cleanup(func() { filetest.Must(t, bus.Close()) })
		home := t.TempDir()
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1")
		cmd.Env = append(os.Environ(), insideSession+"=1", "DBUS_SESSION_BUS_ADDRESS="+bus.Address, "HOME="+home, "XDG_RUNTIME_DIR="+home, "XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+home)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	keyring := exec.CommandContext(t.Context(), "gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets")
	keyring.Stdin = strings.NewReader("a login\n")
	if err := keyring.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keyring.Process.Kill(); _ = keyring.Wait() })
	conn, err := dbus.SessionBus()
	filetest.Must(t, err)
	filetest.Until(t, "the keychain", func() (there bool) {
		filetest.Must(t, conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, "org.freedesktop.secrets").Store(&there))
		return there
	})

	server := recalltest.StartPostgres(t)
	address := server.Database(t)
	role, _, _ := strings.Cut(strings.TrimPrefix(address, "postgres:///"), "?")
	server.Require(t, role, "ze secret")
	e := clitest.New(t, clitest.Answering("Noted."))
	e.Home = filepath.Join(filepath.Dir(e.Home), ".mac-stats") // only the default data folder uses the keychain
	e.Environ = []string{"HOME=" + filepath.Dir(e.Home), "DBUS_SESSION_BUS_ADDRESS=" + os.Getenv("DBUS_SESSION_BUS_ADDRESS"), "OLLAMA_HOST=" + e.Server.Addr()}
	set(t, e, "postgres", address)

	refused := func(when string) {
		t.Helper()
		if out := e.Run(t, "memory", "backend", "test"); out.Code == clitest.Done || !strings.Contains(out.Stderr, "`mac-stats memory backend password`") {
			t.Errorf("%s: %+v", when, out)
		}
	}
	refused("without a password")
	if out := e.RunWith(t.Context(), "ze secret\n", "memory", "backend", "password"); out.Stdout != "saved in the keychain\n" {
		t.Fatalf("%+v", out)
	}
	if got := e.Must(t, "memory", "backend", "test"); !strings.Contains(got, "PostgreSQL ") {
		t.Error(got)
	}
	if left := residue(t, e, "ze secret"); len(left) > 0 {
		t.Errorf("it stands in %v", left)
	}
	e.Must(t, "memory", "backend", "password", "--forget")
	refused("after it was removed")

	set(t, e, "postgres", address+"&password=ze%20secret")
	for _, command := range [][]string{{"memory", "backend", "status"}, {"doctor"}} {
		if out := e.Run(t, command...); !strings.Contains(out.Stdout, "anybody can read who reads config.toml") {
			t.Errorf("%v doesn't warn of a password in config.toml: %+v", command, out)
		}
	}
}
