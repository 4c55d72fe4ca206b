package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Programs aren't started by this process but by a keeper: this program again, in another
// process. A process started by a program becomes the keeper's child once its own parent
// ends, whatever its group or session. So the keeper can kill all of them when the program
// ends, when it gets a signal, and when this process dies.

const (
	keepArg  = "__keep"  // the keeper
	limitArg = "__limit" // the process that sets the limits and then becomes the program
)

// Self is this program. As the first argument of a program, it stands for the function
// passed to Child.
const Self = "/proc/self/exe"

// killTime is how long a keeper may take to kill its processes before it is killed itself.
const killTime = 10 * time.Second

// hasChild reports that main called Child, so that this program can be its own keeper.
var hasChild bool

// Child makes this process a keeper, or sets its limits, if its arguments request that;
// otherwise it returns at once. main must call it first.
//
// inside is called for a program whose first argument is Self, with the other arguments.
// It may enter a sandbox, and returns the arguments of the program that this process
// becomes. It may be nil.
func Child(inside func(args []string) ([]string, error)) {
	hasChild = true
	if len(os.Args) < 6 || os.Args[1] != keepArg && os.Args[1] != limitArg {
		return
	}
	limits, argv := limitsOf(os.Args[2:5]), os.Args[5:]
	if os.Args[1] == keepArg {
		os.Exit(keep(limits, argv))
	}
	runtime.MemProfileRate = 0 // a sample needs additional memory, which the limit may refuse
	set, env := limits.setter(), os.Environ()
	err := error(nil)
	if argv[0] == Self && inside != nil {
		argv, err = inside(argv[1:])
	}
	if err == nil {
		set()
		err = syscall.Exec(argv[0], argv, env)
	}
	fmt.Fprintln(os.Stderr, "mac-stats: the program can't be run:", err)
	os.Exit(126)
}

func (l Limits) args() []string {
	return []string{strconv.FormatUint(l.Memory, 10), strconv.FormatUint(l.File, 10), strconv.Itoa(l.Processes)}
}

func limitsOf(args []string) (l Limits) {
	l.Memory, _ = strconv.ParseUint(args[0], 10, 64) // written by args
	l.File, _ = strconv.ParseUint(args[1], 10, 64)
	l.Processes, _ = strconv.Atoi(args[2])
	return l
}

// starter runs functions on a thread that lives as long as this process. Any other thread
// may end earlier and take its programs along: a thread ends when a goroutine returns
// while locked to it.
var starter = sync.OnceValue(func() chan<- func() {
	todo := make(chan func())
	go func() {
		runtime.LockOSThread()
		for do := range todo {
			do()
		}
	}()
	return todo
})

func start(cmd *exec.Cmd, limits Limits) error {
	if !hasChild {
		panic("process: main has to call Child first")
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM} // for the keeper
	cmd.WaitDelay = killTime
	if cmd.Err == nil {
		path := cmd.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(cmd.Dir, path)
		}
		if _, err := exec.LookPath(path); err != nil { // the keeper could only report it in the program's output
			return err
		}
		cmd.Args = append(append([]string{Self, keepArg}, limits.args()...), append([]string{path}, cmd.Args[1:]...)...)
		cmd.Path = Self
	}
	started := make(chan error, 1)
	starter() <- func() { started <- cmd.Start() }
	return <-started
}

type job struct{}

func (job) take(*os.Process, Limits) {}

// kill signals the keeper; it fails only if the keeper has ended.
func (job) kill(p *os.Process) { _ = p.Signal(syscall.SIGTERM) }

// setter prepares this process for its limits and returns the function that sets them. It
// must be called last, right before the process becomes the program, because other work
// may need more than the limits allow.
func (l Limits) setter() func() {
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, 5)                   // so that the keeper gets CPU time beside thousands of them
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) //nolint:gosec // if memory runs out, this program is killed first
	most := map[int]uint64{unix.RLIMIT_DATA: l.Memory, unix.RLIMIT_FSIZE: l.File, unix.RLIMIT_CORE: 0}
	// The system counts all threads of the user. A program can't outrun this limit, but
	// normally the keeper kills it earlier.
	if others, err := threadsOf(os.Getuid()); err == nil {
		most[unix.RLIMIT_NPROC] = uint64(others + 4*l.Processes) //nolint:gosec // a few thousand
	}
	return func() {
		for resource, n := range most {
			_ = unix.Setrlimit(resource, &unix.Rlimit{Cur: n, Max: n}) // fails if the limit is already lower
		}
	}
}

// keep runs a program, kills what is left of it, and returns its exit code.
func keep(l Limits, argv []string) int {
	runtime.LockOSThread() // the program is killed with this thread
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, "mac-stats: what a program starts can't be kept track of:", err)
		return 126
	}
	cmd := exec.Command(Self, append(append([]string{limitArg}, l.args()...), argv...)...) //nolint:gosec,noctx // the caller was allowed to run it; a signal ends it
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL} // a program that kills its own group doesn't kill the keeper
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "mac-stats: "+argv[0]+" can't be run:", err)
		return 126
	}
	_ = os.Stdin.Close() // only the program has it, so that a writer notices when it ends
	ended, none := make(chan syscall.WaitStatus, 1), make(chan struct{})
	go reap(cmd.Process.Pid, ended, none)
	code := 128 + int(syscall.SIGTERM)
	look := newPace()
	for run := true; run; {
		select {
		case <-signals:
			run = false
		case status := <-ended:
			code, run = exitCode(status), false
		case <-time.After(look.pause):
			if why := look.at(l); why != "" {
				fmt.Fprintf(os.Stderr, "\n[stopped: %s]\n", why)
				code, run = 128+int(syscall.SIGKILL), false
			}
		}
	}
	killAll(none)
	return code
}

// reap waits for all children until there are none; ended gets the status of pid.
func reap(pid int, ended chan<- syscall.WaitStatus, none chan<- struct{}) {
	for {
		var status syscall.WaitStatus
		switch got, err := syscall.Wait4(-1, &status, 0, nil); {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			close(none)
			return
		case got == pid:
			ended <- status
		}
	}
}

// killAll kills all descendants until none is left. The children of a killed process become
// this process's, and a stopped process starts no others.
func killAll(none <-chan struct{}) {
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		for _, sign := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
			for pid := range descendants() {
				_ = syscall.Kill(pid, sign) // it may have ended
			}
		}
		select {
		case <-none:
			return
		case <-time.After(pause):
		}
	}
}

func exitCode(status syscall.WaitStatus) int {
	if status.Signaled() {
		return 128 + int(status.Signal()) // the convention of shells
	}
	return status.ExitStatus()
}

// The pace of checks: often while something changes, seldom for a program that waits.
const (
	soonest = 100 * time.Millisecond
	latest  = 10 * time.Second

	smallChange = 8 << 20 // bytes; even a waiting program frees and allocates some memory all the time
)

type pace struct {
	pause     time.Duration
	memory    uint64
	processes int
}

func newPace() *pace { return &pace{pause: soonest} }

// at checks all descendants and returns the limit that they exceed, or "".
func (p *pace) at(l Limits) string {
	memory, processes := uint64(0), 0
	for pid := range descendants() {
		memory += ownMemory(pid)
		processes++
	}
	p.adjust(memory, processes)
	switch {
	case memory > l.Memory:
		return fmt.Sprintf("it took more than %d MB of memory", l.Memory>>20)
	case processes > l.Processes:
		return fmt.Sprintf("it started more than %d processes", l.Processes)
	}
	return ""
}

// adjust chooses the next pause. It compares memory with that at the last change, so that
// slow growth is noticed too.
func (p *pace) adjust(memory uint64, processes int) {
	if processes == p.processes && max(memory, p.memory)-min(memory, p.memory) < smallChange {
		p.pause = min(2*p.pause, latest)
		return
	}
	p.pause, p.memory, p.processes = soonest, memory, processes
}

// descendants returns all descendants of this process.
func descendants() map[int]bool {
	parent := map[int]int{}
	for _, pid := range pids() {
		if fields := statOf(pid); len(fields) > 1 {
			parent[pid], _ = strconv.Atoi(fields[1]) // the kernel's number
		}
	}
	below := map[int]bool{}
	for pid := range parent {
		var way []int
		for at := pid; at > 1 && len(way) <= len(parent); at = parent[at] { // PIDs may be reused while they are read
			if at == os.Getpid() || below[at] {
				for _, one := range way {
					below[one] = true
				}
				break
			}
			way = append(way, at)
		}
	}
	return below
}

// statOf returns the fields of /proc/pid/stat after the name: state, parent and so on.
func statOf(pid int) []string {
	data, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat")) // it may have ended
	return strings.Fields(string(data)[strings.LastIndexByte(string(data), ')')+1:])
}

// ownMemory returns a process's resident memory without shared pages, in bytes.
func ownMemory(pid int) uint64 {
	data, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm")) // it may have ended
	var size, resident, shared uint64
	if n, _ := fmt.Sscan(string(data), &size, &resident, &shared); n < 3 || shared > resident {
		return 0
	}
	return (resident - shared) * uint64(os.Getpagesize())
}

func pids() (list []int) {
	entries, _ := fs.ReadDir(os.DirFS("/proc"), ".") // empty if it doesn't exist
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			list = append(list, pid)
		}
	}
	return list
}

// threadsOf counts the threads of all processes of a user.
func threadsOf(uid int) (n int, err error) {
	for _, pid := range pids() {
		var st unix.Stat_t
		if unix.Stat(filepath.Join("/proc", strconv.Itoa(pid)), &st) != nil || int(st.Uid) != uid {
			continue
		}
		if fields := statOf(pid); len(fields) > 17 {
			threads, _ := strconv.Atoi(fields[17])
			n += threads
		}
	}
	if n == 0 {
		return 0, errors.New("no /proc")
	}
	return n, nil
}

// usualMemory returns half of the machine's memory, in bytes.
func usualMemory() uint64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 4 << 30
	}
	return uint64(info.Totalram) * uint64(info.Unit) / 2 //nolint:unconvert // 32 bits wide on a Raspberry Pi
}
