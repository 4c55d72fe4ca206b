package desktop

import (
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"
	"unicode/utf16"
	"unsafe"

	"fyne.io/fyne/v2"
	"golang.org/x/sys/windows"
)

// notifier shows notifications with Shell_NotifyIcon, one at a time, each with its own
// icon, which disappears with it. The text goes to Windows directly: no shell or script
// reads it. All calls are made on one thread with an invisible window, which also receives
// the end of the session.
type notifier struct {
	mu     sync.Mutex
	window windows.HWND // 0 before start
	note   note         // the shown note
	ended  func()       // called at the end of the session, which waits for it; may be nil
	closed bool
}

func newNotifier(fyne.App, []byte) *notifier { return &notifier{} }

// Messages and constants of Windows (winuser.h, shellapi.h).
const (
	wmClose   = 0x0010
	wmDestroy = 0x0002
	wmEnd     = 0x0016 // WM_ENDSESSION
	wmApp     = 0x8000
	wmShow    = wmApp + 1 // to our window: show the note
	wmNotice  = wmApp + 2 // from the icon; lParam says what happened

	balloonHide    = 0x0403 // NIN_BALLOONHIDE
	balloonTimeout = 0x0404 // NIN_BALLOONTIMEOUT
	balloonClick   = 0x0405 // NIN_BALLOONUSERCLICK

	nimAdd, nimDelete                    = 0, 2
	nifMessage, nifIcon, nifTip, nifInfo = 1, 2, 4, 16
	niifUser, niifRespectsQuiet          = 4, 128

	noticeIcon = 1 // the icon's number in our window
)

var (
	user32           = windows.NewLazySystemDLL("user32.dll")
	registerClass    = user32.NewProc("RegisterClassExW")
	createWindow     = user32.NewProc("CreateWindowExW")
	destroyWindow    = user32.NewProc("DestroyWindow")
	defaultProcedure = user32.NewProc("DefWindowProcW")
	getMessage       = user32.NewProc("GetMessageW")
	dispatchMessage  = user32.NewProc("DispatchMessageW")
	postMessage      = user32.NewProc("PostMessageW")
	postQuitMessage  = user32.NewProc("PostQuitMessage")
	loadIcon         = user32.NewProc("LoadIconW")
	shellNotifyIcon  = windows.NewLazySystemDLL("shell32.dll").NewProc("Shell_NotifyIconW")
)

// windowClass is WNDCLASSEXW.
type windowClass struct {
	size, style                        uint32
	procedure                          uintptr
	classExtra, windowExtra            int32
	instance, icon, cursor, background windows.Handle
	menu, name                         *uint16
	smallIcon                          windows.Handle
}

// message is MSG.
type message struct {
	window  windows.HWND
	message uint32
	wParam  uintptr
	lParam  uintptr
	time    uint32
	x, y    int32
}

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

// send shows a note in place of the previous one.
func (n *notifier) send(m note) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return nil
	}
	if err := n.start(); err != nil {
		return err
	}
	n.note = m
	if ok, _, err := postMessage.Call(uintptr(n.window), wmShow, 0, 0); ok == 0 {
		return fmt.Errorf("show a notification: %w", err)
	}
	return nil
}

// start starts the thread, once. It is called with mu held.
func (n *notifier) start() error {
	if n.window != 0 {
		return nil
	}
	started := make(chan error)
	go n.run(started)
	if err := <-started; err != nil {
		return fmt.Errorf("start notifications: %w", err)
	}
	return nil
}

// begin subscribes to the end of the session. Windows gives a program a few seconds then,
// and the process is gone as soon as its windows have answered.
func (d *Desktop) begin() {
	n := d.notifier
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ended = d.endOfSession
	if err := n.start(); err != nil {
		slog.Warn("the end of the session will not be noticed", "error", err)
	}
}

// endTime is how long the UI goroutine may take for its part at the end.
const endTime = 2 * time.Second

// endOfSession does what must be done before the process is gone.
func (d *Desktop) endOfSession() {
	rest := make(chan func(), 1)
	d.Do(func() { rest <- d.onTerminate() })
	select {
	case f := <-rest:
		f()
	case <-time.After(endTime): // it hangs; the system would not wait either
	}
}

// run is the notifications' thread. It sets window under its starter's lock.
func (n *notifier) run(started chan<- error) {
	runtime.LockOSThread()                                                           // a window belongs to a thread; the thread ends with this goroutine
	name := windows.StringToUTF16Ptr(fmt.Sprintf("%s notifications %p", appName, n)) // a window class has one procedure
	class := windowClass{procedure: windows.NewCallback(n.procedure), name: name}
	class.size = uint32(unsafe.Sizeof(class))
	if ok, _, err := registerClass.Call(uintptr(unsafe.Pointer(&class))); ok == 0 {
		started <- err
		return
	}
	window, _, err := createWindow.Call(0, uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(name)), 0, 0, 0, 0, 0, 0, 0, 0, 0)
	if window == 0 {
		started <- err
		return
	}
	n.window = windows.HWND(window)
	started <- nil
	for {
		var m message
		if got, _, _ := getMessage.Call(uintptr(unsafe.Pointer(&m)), 0, 0, 0); int32(got) <= 0 {
			return
		}
		_, _, _ = dispatchMessage.Call(uintptr(unsafe.Pointer(&m))) // our procedure's result
	}
}

// procedure handles the messages of our window.
func (n *notifier) procedure(window windows.HWND, what uint32, wParam, lParam uintptr) uintptr {
	switch what {
	case wmShow:
		n.mu.Lock()
		m := n.note
		n.mu.Unlock()
		remove(window)
		show(window, m)
	case wmNotice:
		switch lParam {
		case balloonClick:
			n.mu.Lock()
			clicked := n.note.clicked
			n.mu.Unlock()
			remove(window)
			if clicked != nil {
				clicked()
			}
		case balloonTimeout, balloonHide:
			remove(window)
		}
	case wmEnd:
		n.mu.Lock()
		ended := n.ended
		n.mu.Unlock()
		if ending := wParam != 0; ending && ended != nil {
			ended()
		}
	case wmClose:
		remove(window)
		_, _, _ = destroyWindow.Call(uintptr(window)) // it is ours, on this thread
	case wmDestroy:
		_, _, _ = postQuitMessage.Call(0) // returns nothing
	default:
		result, _, _ := defaultProcedure.Call(uintptr(window), uintptr(what), wParam, lParam)
		return result
	}
	return 0
}

// show shows a note. Without a taskbar nothing happens.
func show(window windows.HWND, m note) {
	i := notifyIcon{
		window: window, id: noticeIcon, callback: wmNotice, icon: appIcon(),
		flags: nifMessage | nifIcon | nifTip | nifInfo, infoFlags: niifUser | niifRespectsQuiet,
	}
	fill(i.tip[:], appName)
	fill(i.infoTitle[:], m.title)
	fill(i.info[:], m.body)
	i.size = uint32(unsafe.Sizeof(i))
	_, _, _ = shellNotifyIcon.Call(nimAdd, uintptr(unsafe.Pointer(&i)))
}

// remove removes a note's icon if there is one.
func remove(window windows.HWND) {
	i := notifyIcon{window: window, id: noticeIcon}
	i.size = uint32(unsafe.Sizeof(i))
	_, _, _ = shellNotifyIcon.Call(nimDelete, uintptr(unsafe.Pointer(&i)))
}

// appIcon returns the program's own icon or, if it was built without one, the default icon.
func appIcon() windows.Handle {
	const anyProgram = 32512 // IDI_APPLICATION
	var own windows.Handle
	if err := windows.GetModuleHandleEx(0, nil, &own); err == nil {
		if icon, _, _ := loadIcon.Call(uintptr(own), 1); icon != 0 {
			return windows.Handle(icon)
		}
	}
	icon, _, _ := loadIcon.Call(0, anyProgram)
	return windows.Handle(icon)
}

// fill copies text into a zero-terminated field, as much as fits.
func fill(field []uint16, text string) {
	n := 0
	for _, r := range text {
		if r == 0 {
			continue
		}
		units := utf16.AppendRune(nil, r)
		if n+len(units) >= len(field) {
			return
		}
		n += copy(field[n:], units)
	}
}

// close removes the shown note and ends the thread.
func (n *notifier) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	if n.window != 0 {
		_, _, _ = postMessage.Call(uintptr(n.window), wmClose, 0, 0) // the process ends anyway
		n.window = 0
	}
}
