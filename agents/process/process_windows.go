package process

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"github.com/shirou/gopsutil/v4/mem"
	"golang.org/x/sys/windows"
)

// Self stands for this program in a Linux sandbox.
const Self = ""

// Child does nothing on this system, because programs have no keeper here.
func Child(func(args []string) ([]string, error)) {}

// start starts the program suspended; it runs once it is in its job.
func start(cmd *exec.Cmd, _ Limits) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED, HideWindow: true}
	return cmd.Start()
}

// job is a job object: its processes end with it, and it ends with this process.
type job struct {
	mu     sync.Mutex
	handle windows.Handle
}

// take puts a process into the job. If the system doesn't allow a job, only the process
// itself can be killed later.
func (j *job) take(p *os.Process, limits Limits) {
	defer resume(p.Pid)
	j.mu.Lock()
	defer j.mu.Unlock()
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS
	info.BasicLimitInformation.ActiveProcessLimit = uint32(limits.Processes) //nolint:gosec // some hundreds
	if limits.Memory > 0 {
		info.BasicLimitInformation.LimitFlags |= windows.JOB_OBJECT_LIMIT_JOB_MEMORY
		info.JobMemoryLimit = uintptr(limits.Memory)
	}
	_, err = windows.SetInformationJobObject(handle, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		var process windows.Handle
		if process, err = windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(p.Pid)); err == nil {
			err = windows.AssignProcessToJobObject(handle, process)
			_ = windows.CloseHandle(process)
		}
	}
	if err != nil {
		_ = windows.CloseHandle(handle)
		return
	}
	j.handle = handle
}

// resume resumes a process that was created suspended and so has only one thread.
func resume(pid int) {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return
	}
	defer func() { _ = windows.CloseHandle(snapshot) }()
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if int(entry.OwnerProcessID) != pid {
			continue
		}
		if thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID); err == nil {
			_, _ = windows.ResumeThread(thread)
			_ = windows.CloseHandle(thread)
		}
	}
}

// usualMemory returns half of the machine's memory, in bytes.
func usualMemory() uint64 {
	machine, err := mem.VirtualMemory()
	if err != nil {
		return 4 << 30
	}
	return machine.Total / 2
}

func (j *job) kill(p *os.Process) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.handle != 0 {
		_ = windows.CloseHandle(j.handle)
		j.handle = 0
	}
	_ = p.Kill()
}
