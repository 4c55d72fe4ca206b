package tray

import (
	"runtime"
	"unsafe"

	"fyne.io/systray"
	"golang.org/x/sys/windows"
)

// native is the shell's system-specific state.
type native struct {
	icon uintptr // the shown icon, ours to free
}

// runSystray registers the icon on its own thread, which handles its clicks. Its menu is
// modal: on the window's thread it would block the window for as long as it is open.
func runSystray(ready func()) (end func()) {
	go func() {
		runtime.LockOSThread()
		systray.Run(ready, nil)
	}()
	return systray.Quit
}

// The names that systray gives its window and its icon.
const (
	systrayClass = "SystrayClass"
	systrayIcon  = 100
)

var (
	user32           = windows.NewLazySystemDLL("user32.dll")
	createIcon       = user32.NewProc("CreateIconFromResourceEx")
	destroyIcon      = user32.NewProc("DestroyIcon")
	findWindow       = user32.NewProc("FindWindowExW")
	shell32          = windows.NewLazySystemDLL("shell32.dll")
	shellNotifyIcon  = shell32.NewProc("Shell_NotifyIconW")
	systrayClassName = windows.StringToUTF16Ptr(systrayClass)
)

// notifyIcon is NOTIFYICONDATAW.
type notifyIcon struct {
	size                uint32
	window              windows.HWND
	id, flags, callback uint32
	icon                windows.Handle
	tip                 [128]uint16
	state, stateMask    uint32
	info                [256]uint16
	version             uint32
	infoTitle           [64]uint16
	infoFlags           uint32
	item                windows.GUID
	balloon             windows.Handle
}

// setIcon shows a picture and frees the previous one. systray's own SetIcon keeps every
// picture it ever showed, as a handle and as a temporary file.
func (s *systrayShell) setIcon(data []byte) {
	const (
		version   = 0x00030000 // format version for CreateIconFromResourceEx
		modify    = 1          // NIM_MODIFY
		iconField = 2          // NIF_ICON
	)
	picture := data[icoHead:]
	icon, _, _ := createIcon.Call(uintptr(unsafe.Pointer(&picture[0])), uintptr(len(picture)), 1, version, 0, 0, 0)
	window := systrayWindow()
	if icon == 0 || window == 0 {
		systray.SetIcon(data)
		return
	}
	n := notifyIcon{window: window, id: systrayIcon, flags: iconField, icon: windows.Handle(icon)}
	n.size = uint32(unsafe.Sizeof(n))
	_, _, _ = shellNotifyIcon.Call(modify, uintptr(unsafe.Pointer(&n))) // without a taskbar it can't be shown
	if s.icon != 0 {
		_, _, _ = destroyIcon.Call(s.icon) // the system shows a copy
	}
	s.icon = icon
}

// systrayWindow finds systray's window in this process; 0 if there is none.
func systrayWindow() windows.HWND {
	var found uintptr
	for {
		found, _, _ = findWindow.Call(0, found, uintptr(unsafe.Pointer(systrayClassName)), 0)
		var process uint32
		if found == 0 {
			return 0
		}
		if _, err := windows.GetWindowThreadProcessId(windows.HWND(found), &process); err == nil && process == windows.GetCurrentProcessId() {
			return windows.HWND(found)
		}
	}
}
