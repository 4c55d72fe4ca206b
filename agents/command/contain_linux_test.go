package command

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/wholefile"
)

// A process that left the program's group and session, and whose parent has ended, ends
// with the program.
func TestNothingIsLeftOfAProgram(t *testing.T) {
	inEach(t, func(t *testing.T, _ sandbox) {
		tool, set := newTool(t)
		set.Time = 300 * time.Millisecond
		mark := fmt.Sprintf("36%d", time.Now().UnixNano()%1e9)
		for _, end := range []string{"wait; sleep 60", "exit 0"} {
			if _, err := run(t, tool, "sh -c 'setsid sleep "+mark+" & (setsid setsid sleep "+mark+" &); sleep .1; "+end+"'"); err != nil {
				t.Error(err)
			}
			if runsWith(t, mark) {
				t.Errorf("%s: a program still runs", end)
			}
		}
	})
}

// A program stays within its limits: memory in one process and in many, number of
// processes, size of a file. The bombs also end by themselves, for safety.
func TestAProgramHasLimits(t *testing.T) {
	was := limits
	t.Cleanup(func() { limits = was })
	limits.Memory, limits.Processes, limits.File = 150<<20, 60, 20<<20
	inEach(t, func(t *testing.T, box sandbox) {
		if box.kind == noSandbox {
			return // it has the same limits
		}
		tool, set := newTool(t)
		for _, tt := range []struct{ name, line, says string }{
			{"100 GB in one process", "perl -e 'push @x, (q(x) x 1e6) while @x < 1e5; print 1'", "Out of memory"},
			{"memory in many processes", "perl -e 'for (1..6) { fork or last } $x = q(x) x 40e6; sleep 9'", "[stopped: it took more than 150 MB of memory]"},
			{"a fork bomb", "sh -c 'b() { if [ $1 = 0 ]; then sleep 9; else b $(($1-1)) | b $(($1-1)) & fi; }; b 6; sleep 9'", "[stopped: it started more than 60 processes]"},
			{"a fork bomb that detaches itself", "sh -c 'b() { [ $1 = 0 ] || { (setsid sleep 9 & b $(($1-1))) & b $(($1-1)) & sleep 9; }; }; b 6'", "[stopped: it started more than 60 processes]"},
			{"a large file", "fallocate -l 100G file", "[exit status"},
			{"a file that grows", "dd if=/dev/zero of=grows bs=1M count=30", "[exit status"},
		} {
			got, err := run(t, tool, tt.line)
			if err != nil || !strings.Contains(got.Text, tt.says) {
				t.Errorf("%s: %q %v", tt.name, got.Text, err)
			}
			for _, name := range []string{"file", "grows"} {
				if info, err := os.Stat(filepath.Join(set.Folder, name)); err == nil && uint64(info.Size()) > limits.File {
					t.Errorf("%s: %d bytes", tt.name, info.Size())
				}
			}
		}
		got, err := run(t, tool, "cat /proc/self/limits") // what stops a fork bomb that is faster than the keeper's checks, unless the user is root
		if most := regexp.MustCompile(`Max processes +(\d+)`).FindStringSubmatch(got.Text); err != nil || len(most) < 2 || len(most[1]) > 4 {
			t.Errorf("%q %v", got.Text, err)
		}
		if box.kind != bubblewrap {
			return
		}
		// What looks like a disk in there is memory.
		got, err = run(t, tool, "sh -c 'for d in /tmp /dev/shm /dev /run "+tool.p.Data+"; do for i in 1 2 3 4 5; do fallocate -l 10M $d/$i || break; done; [ $i = 5 ] && echo $d; done; exit 0'")
		if err != nil || strings.Contains(got.Text, "\n/") || strings.HasPrefix(got.Text, "/") {
			t.Errorf("%q %v", got.Text, err)
		}
	})
}

// Without the network, nothing is sent by any protocol. Nothing is ever sent to the socket
// of another program, which would do for a caller what the user can do.
func TestNoSocketLeavesTheSandbox(t *testing.T) {
	inEach(t, func(t *testing.T, box sandbox) {
		if box.kind == noSandbox {
			return
		}
		for _, network := range []bool{false, true} {
			tool, set := newTool(t)
			set.Network = network
			if err := os.MkdirAll(set.Folder, 0o700); err != nil {
				t.Fatal(err)
			}
			udp, err := net.ListenPacket("udp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			tcp, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(set.Folder, "sock")
			abstract := fmt.Sprintf("mac-stats-test-%d", time.Now().UnixNano())
			inPath, err := net.Listen("unix", path)
			if err != nil {
				t.Fatal(err)
			}
			inNames, err := net.Listen("unix", "@"+abstract)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range []interface{ Close() error }{udp, tcp, inPath, inNames} {
				t.Cleanup(func() { _ = l.Close() })
			}
			code := "use IO::Socket;"
			for name, try := range map[string]string{
				"UDP":                   `IO::Socket::INET->new(Proto => "udp", PeerAddr => "` + udp.LocalAddr().String() + `")->send("x")`,
				"TCP":                   `IO::Socket::INET->new(PeerAddr => "` + tcp.Addr().String() + `")->print("x")`,
				"a socket with a path":  `IO::Socket::UNIX->new(Peer => "` + path + `")->print("x")`,
				"a socket without one":  `IO::Socket::UNIX->new(Peer => "\0` + abstract + `")->print("x")`,
				"a datagram socket":     `socket(my $s, AF_UNIX, SOCK_DGRAM, 0)`,
				"a socket of this host": `socket(my $s, 40, SOCK_STREAM, 0)`, // AF_VSOCK
				"an io_uring":           `syscall(425, 1, my $p = "\0" x 120) >= 0`,
				"a pair of its own":     `socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0)`,
			} {
				code += `print "` + name + `\n" if eval { ` + try + ` };`
			}
			got, err := run(t, tool, "perl -e '"+code+"'")
			want := []string{"a pair of its own"}
			for name := range strings.Lines(got.Text) {
				if name = strings.TrimSpace(name); strings.HasSuffix(name, "DP") || strings.HasSuffix(name, "CP") {
					want = append(want, name) // the other end is checked below
				} else if name != want[0] {
					t.Errorf("network %v: %s", network, name)
				}
			}
			if err != nil || !strings.Contains(got.Text, want[0]) || network && len(want) != 3 {
				t.Errorf("network %v: %q %v", network, got.Text, err)
			}
			soon := time.Now().Add(50 * time.Millisecond)
			if network {
				soon = time.Now().Add(10 * time.Second)
			}
			if err := errors.Join(udp.SetDeadline(soon), tcp.(*net.TCPListener).SetDeadline(soon)); err != nil {
				t.Fatal(err)
			}
			if _, _, err := udp.ReadFrom(make([]byte, 1)); (err == nil) != network {
				t.Errorf("UDP, network %v: %v", network, err)
			}
			if _, err := tcp.Accept(); (err == nil) != network {
				t.Errorf("TCP, network %v: %v", network, err)
			}
		}
	})
}

// A folder that a run would refuse is refused when it is chosen.
func TestAFolderIsCheckedWhenItIsChosen(t *testing.T) {
	home, data := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	file := filepath.Join(home, "file")
	if err := wholefile.Write(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for folder, ok := range map[string]bool{
		home: false, "/": false, "project": false, "~/project": false, filepath.Join(home, ".ssh"): false, data: false, file: false, filepath.Join(file, "below"): false,
		filepath.Join(home, "project"): true, filepath.Join(data, "work"): true,
	} {
		if err := CheckFolder(folder, data); (err == nil) != ok {
			t.Errorf("%s: %v", folder, err)
		}
	}
}
