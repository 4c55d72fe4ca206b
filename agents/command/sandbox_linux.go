package command

import (
	"encoding/binary"
	"os"
	"runtime"
	"strconv"
	"unsafe"

	"github.com/landlock-lsm/go-landlock/landlock"
	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

func landlockVersion() int {
	version, err := llsys.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return version
}

// machines are the architectures that the filter of system calls supports.
var machines = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64, "riscv64": unix.AUDIT_ARCH_RISCV64}

func hasFilter() bool { return machines[runtime.GOARCH] != 0 }

// filter returns a filter that allows a program only internet sockets, and those only if
// they are in its own network or it may use the machine's. Other sockets lead to programs
// that do for any caller what the user can do: those of the desktop, of Docker, of the
// system. It also refuses ways around the filter: programs for another architecture, and
// io_uring.
func filter(internet bool) ([]unix.SockFilter, error) {
	families := []uint32{unix.AF_NETLINK}
	if internet {
		families = append(families, unix.AF_INET, unix.AF_INET6)
	}
	n := uint8(len(families)) //nolint:gosec // 1 or 3
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: 4, Size: 4}, // the architecture
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: machines[runtime.GOARCH], SkipTrue: 5 + n},
		bpf.LoadAbsolute{Off: 0, Size: 4}, // the system call
		bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: 1 << 30, SkipTrue: 3 + n},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_IO_URING_SETUP, SkipTrue: 2 + n},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_SOCKET, SkipTrue: 2 + n},
		bpf.LoadAbsolute{Off: 16, Size: 4}, // its first argument
	}
	for i, family := range families {
		program = append(program, bpf.JumpIf{Cond: bpf.JumpEqual, Val: family, SkipTrue: n - uint8(i)}) //nolint:gosec // up to three
	}
	program = append(program,
		bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW},
	)
	raw, err := bpf.Assemble(program)
	out := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		out[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	return out, err
}

// Inside restricts this process according to wrap's arguments, and returns the arguments of
// the program that it is to become.
func Inside(args []string) ([]string, error) {
	runtime.LockOSThread() // restrictions apply to the thread
	kind, folder, network, argv := args[0], args[1], args[2] == "on", args[3:]
	if kind == inBubblewrap {
		return withFilter(argv)
	}
	return argv, restrict(folder, network)
}

// withFilter passes the filter to bubblewrap. Without the machine's network, a program has
// its own network there.
func withFilter(argv []string) ([]string, error) {
	if !hasFilter() {
		return argv, nil
	}
	program, err := filter(true)
	if err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("filter", 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "filter") //nolint:gosec // a descriptor
	if err := binary.Write(f, binary.NativeEndian, program); err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, 0); err != nil {
		return nil, err
	}
	return append([]string{argv[0], "--seccomp", strconv.Itoa(fd)}, argv[1:]...), nil
}

// restrict restricts this process to the folder.
func restrict(folder string, network bool) error {
	var readable []string
	for _, dir := range []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/proc", "/sys", "/nix", "/snap"} {
		if _, err := os.Stat(dir); err == nil {
			readable = append(readable, dir)
		}
	}
	config := landlock.V4
	err := config.RestrictPaths(landlock.RODirs(readable...), landlock.RWDirs(folder), landlock.RWFiles("/dev/null", "/dev/zero", "/dev/urandom"))
	if err == nil && !network {
		err = config.RestrictNet()
	}
	if err == nil {
		err = landlock.V6.BestEffort().RestrictScoped() // no signals to others
	}
	if err != nil || !hasFilter() {
		return err
	}
	program, err := filter(network)
	if err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}                                                    //nolint:gosec // a dozen
	if _, _, no := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog))); no != 0 { //nolint:gosec // required by the system call
		return no
	}
	return nil
}
