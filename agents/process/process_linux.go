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

// A program of ours is not started by this process, but by a keeper: this program again,
// in a process of its own. All that a program starts becomes the keeper's child once its
// own parent ends, whatever group or session it went to. So the keeper can end all of it
// when the program ends, when it is told to, and when this process dies.

const (
	keepArg  = "__keep"  // the keeper
	limitArg = "__limit" // what sets the limits and then becomes the program
)

// Self is this program; as the first argument of a program it stands for the function
// that Child was given.
const Self = "/proc/self/exe"

// killTime is how long a keeper may take to end all it keeps, before it is killed itself.
const killTime = 10 * time.Second

// hasChild: main called Child, so that this program can be its own keeper.
var hasChild bool

// Child makes this process a keeper, or sets its limits, where its arguments ask for
// that. It returns at once where they don't. It is the first thing main calls.
//
// inside is called with the further arguments of a program whose first one is Self: it
// enters a sandbox, say, and gives the arguments of what this process becomes. It may be
// nil.
func Child(inside func(args []string) ([]string, error)) {
	hasChild = true
	if len(os.Args) < 6 || os.Args[1] != keepArg && os.Args[1] != limitArg {
		return
	}
	limits, argv := limitsOf(os.Args[2:5]), os.Args[5:]
	if os.Args[1] == keepArg {
		os.Exit(keep(limits, argv))
	}
	runtime.MemProfileRate = 0 // a sample needs memory of its own, which the limit may refuse
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
// may end sooner, and its programs with it: it ends with a goroutine that returns while it
// is locked to the thread.
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
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM} // the keeper's
	cmd.WaitDelay = killTime
	if cmd.Err == nil {
		path := cmd.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(cmd.Dir, path)
		}
		if _, err := exec.LookPath(path); err != nil { // the keeper could say so in the program's output alone
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

// kill tells the keeper; the error says that it has ended.
func (job) kill(p *os.Process) { _ = p.Signal(syscall.SIGTERM) }

// setter readies this process for its limits, and gives what sets them: the last thing
// before it becomes the program, since it may need more than they leave.
func (l Limits) setter() func() {
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, 5)                   // a keeper has its turn beside thousands of them
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) //nolint:gosec // where memory runs out this program goes first
	most := map[int]uint64{unix.RLIMIT_DATA: l.Memory, unix.RLIMIT_FSIZE: l.File, unix.RLIMIT_CORE: 0}
	// The system counts all threads of the user. This is the limit that a program can't
	// outrun; the keeper ends it before.
	if others, err := threadsOf(os.Getuid()); err == nil {
		most[unix.RLIMIT_NPROC] = uint64(others + 4*l.Processes) //nolint:gosec // some thousands
	}
	return func() {
		for resource, n := range most {
			_ = unix.Setrlimit(resource, &unix.Rlimit{Cur: n, Max: n}) // refused where it is lower already
		}
	}
}

// keep runs a program and ends all that is left of it. It gives the program's exit code.
func keep(l Limits, argv []string) int {
	runtime.LockOSThread() // the program is killed with this thread
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, "mac-stats: what a program starts can't be kept track of:", err)
		return 126
	}
	cmd := exec.Command(Self, append(append([]string{limitArg}, l.args()...), argv...)...) //nolint:gosec,noctx // what the caller was allowed to run; it ends by a signal
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL} // what kills its own group doesn't kill this
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "mac-stats: "+argv[0]+" can't be run:", err)
		return 126
	}
	_ = os.Stdin.Close() // the program's alone: who writes to it sees when it ends
	ended, none := make(chan syscall.WaitStatus, 1), make(chan struct{})
	go reap(cmd.Process.Pid, ended, none)
	code := 128 + int(syscall.SIGTERM)
	look := newPace()
	for run := true; run; {
		select {
		case <-told:
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

// reap takes the ends of all children until there are none; ended gets that of pid.
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

// killAll kills all descendants, until none is left. One that is killed hands its own
// children on to this process; one that is stopped starts no others.
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
		return 128 + int(status.Signal()) // as a shell says it
	}
	return status.ExitStatus()
}

// The pace of looking: soon while something changes, seldom at a program that waits.
const (
	soonest = 100 * time.Millisecond
	latest  = 10 * time.Second

	little = 8 << 20 // bytes; a program that waits gives and takes some memory all the time
)

type pace struct {
	pause     time.Duration
	memory    uint64
	processes int
}

func newPace() *pace { return &pace{pause: soonest} }

// at looks at all descendants and says which limit they are over, "" for none.
func (p *pace) at(l Limits) string {
	memory, processes := uint64(0), 0
	for pid := range descendants() {
		memory += ownMemory(pid)
		processes++
	}
	p.saw(memory, processes)
	switch {
	case memory > l.Memory:
		return fmt.Sprintf("it took more than %d MB of memory", l.Memory>>20)
	case processes > l.Processes:
		return fmt.Sprintf("it started more than %d processes", l.Processes)
	}
	return ""
}

// saw chooses the next pause. Memory is compared with that of the last change, so that
// what grows a little at each look is noticed, too.
func (p *pace) saw(memory uint64, processes int) {
	if processes == p.processes && max(memory, p.memory)-min(memory, p.memory) < little {
		p.pause = min(2*p.pause, latest)
		return
	}
	p.pause, p.memory, p.processes = soonest, memory, processes
}

// descendants are all processes below this one.
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
		for at := pid; at > 1 && len(way) <= len(parent); at = parent[at] { // numbers may be taken anew while they are read
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

// statOf gives the fields of /proc/pid/stat behind the name: state, parent …
func statOf(pid int) []string {
	data, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat")) // it may have ended
	return strings.Fields(string(data)[strings.LastIndexByte(string(data), ')')+1:])
}

// ownMemory is what a process has in memory for itself alone, in bytes.
func ownMemory(pid int) uint64 {
	data, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm")) // it may have ended
	var size, resident, shared uint64
	if n, _ := fmt.Sscan(string(data), &size, &resident, &shared); n < 3 || shared > resident {
		return 0
	}
	return (resident - shared) * uint64(os.Getpagesize())
}

func pids() (list []int) {
	entries, _ := fs.ReadDir(os.DirFS("/proc"), ".") // none where it isn't there
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

// usualMemory is half of what the machine has.
func usualMemory() uint64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 4 << 30
	}
	return uint64(info.Totalram) * uint64(info.Unit) / 2 //nolint:unconvert // 32 bits wide on a Raspberry Pi
}
