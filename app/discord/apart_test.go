package discord_test

import (
	"bufio"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"mac-stats/app/discord/connection"
)

// A bot in a process of its own, to be killed or to measure its memory without that of the
// test's servers.

const (
	envRoot    = "MAC_STATS_TEST_APART_ROOT"
	envDiscord = "MAC_STATS_TEST_APART_DISCORD"
	envOllama  = "MAC_STATS_TEST_APART_OLLAMA"
)

// figures are what the process reports about itself.
type figures struct {
	Heap       int64 // bytes in use after a garbage collection
	Goroutines int
	Idle       bool // all events are handled
}

// apart is such a process, as the test sees it.
type apart struct {
	t    *testing.T
	cmd  *exec.Cmd
	addr string
	kill func()
}

// runApart runs the process: a test whose bot may run apart calls it first. It returns only
// in the test itself.
func runApart(t *testing.T, o options) {
	t.Helper()
	root := os.Getenv(envRoot)
	if root == "" {
		return
	}
	if o.channels == "" {
		o.channels = openToAll
	}
	r := &rig{t: t, root: root, discord: os.Getenv(envDiscord), ollama: os.Getenv(envOllama)}
	r.open(o)
	r.await("the connection", func() bool { return r.conn.Status().State == connection.StateReady })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stdout.WriteString("apart " + l.Addr().String() + "\n"); err != nil {
		t.Fatal(err)
	}
	err = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(figures{Heap: heap(), Goroutines: runtime.NumGoroutine(), Idle: r.bot.Idle()}) // the test may be over
	}))
	t.Fatal(err) // the process is killed before
}

// startApart starts this test's bot in a process of its own, on the rig's data folder and
// servers.
func (r *rig) startApart() *apart {
	t, ok := r.t.(*testing.T)
	if !ok {
		r.t.Fatal("a bot apart needs a test")
	}
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	a := &apart{t: t, cmd: exec.Command(os.Args[0], "-test.run=^"+name+"$", "-test.timeout=20m")}
	a.cmd.Env = append(os.Environ(), envRoot+"="+r.root, envDiscord+"="+r.fake.URL(), envOllama+"="+r.model.URL())
	a.cmd.Stderr = os.Stderr
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	a.kill = sync.OnceFunc(func() {
		_ = a.cmd.Process.Kill() // it may have ended
		_ = a.cmd.Wait()         // it was killed
	})
	t.Cleanup(a.kill)
	var said []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if addr, ok := strings.CutPrefix(lines.Text(), "apart "); ok {
			a.addr = addr
			return a
		}
		said = append(said, lines.Text())
	}
	t.Fatalf("the bot's process ended:\n%s", strings.Join(said, "\n"))
	return nil
}

func (a *apart) figures() figures {
	a.t.Helper()
	resp, err := http.Get("http://" + a.addr)
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	var f figures
	if err := json.NewDecoder(resp.Body).Decode(&f); err != nil {
		a.t.Fatal(err)
	}
	return f
}

// heap returns the number of bytes in use after a garbage collection.
func heap() int64 {
	runtime.GC()
	runtime.GC() // objects with finalizers go in the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse)
}
