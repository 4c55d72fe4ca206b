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

// machines are those that the filter of system calls is for.
var machines = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64, "riscv64": unix.AUDIT_ARCH_RISCV64}

func hasFilter() bool { return machines[runtime.GOARCH] != 0 }

// filter lets a program make no socket but those of the internet, and these where they are
// its own network's or it may use the machine's. Any other leads to programs that do for
// whoever asks what the user can do: those of the desktop, of Docker, of the system. What
// would go around the filter is refused, too: programs of another machine, and io_uring.
func filter(internet bool) ([]unix.SockFilter, error) {
	families := []uint32{unix.AF_NETLINK}
	if internet {
		families = append(families, unix.AF_INET, unix.AF_INET6)
	}
	n := uint8(len(families)) //nolint:gosec // one or three
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: 4, Size: 4}, // the machine
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

// Inside restricts this process as wrap's arguments say, and gives those of what it is to
// become.
func Inside(args []string) ([]string, error) {
	runtime.LockOSThread() // what is restricted is a thread
	kind, folder, network, argv := args[0], args[1], args[2] == "on", args[3:]
	if kind == inBubblewrap {
		return withFilter(argv)
	}
	return argv, restrict(folder, network)
}

// withFilter gives bubblewrap the filter; without the machine's network a program has one
// of its own there.
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
	if _, _, no := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog))); no != 0 { //nolint:gosec // as the system call wants it
		return no
	}
	return nil
}
