package clipimage

import (
	"bytes"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	user32           = windows.NewLazySystemDLL("user32.dll")
	openClipboard    = user32.NewProc("OpenClipboard")
	closeClipboard   = user32.NewProc("CloseClipboard")
	getClipboardData = user32.NewProc("GetClipboardData")
	registerFormat   = user32.NewProc("RegisterClipboardFormatW")
	kernel32         = windows.NewLazySystemDLL("kernel32.dll")
	globalLock       = kernel32.NewProc("GlobalLock")
	globalUnlock     = kernel32.NewProc("GlobalUnlock")
	globalSize       = kernel32.NewProc("GlobalSize")
)

// bitmapFormat is CF_DIB. Windows converts other bitmaps to it.
const bitmapFormat = 8

const (
	tries    = 10 // attempts to open, because another program may have it open
	tryAgain = 20 * time.Millisecond
)

// readWindows returns the image on the clipboard as a PNG. Errors: ErrNone, or why the clipboard
// can't be opened.
func readWindows() ([]byte, error) {
	runtime.LockOSThread() // a clipboard is opened by a thread
	defer runtime.UnlockOSThread()
	if err := open(); err != nil {
		return nil, err
	}
	defer func() { _, _, _ = closeClipboard.Call() }() // it is open
	pngFormat, _, _ := registerFormat.Call(uintptr(unsafe.Pointer(windows.StringToUTF16Ptr("PNG"))))
	if data := dataOf(pngFormat); bytes.HasPrefix(data, []byte("\x89PNG")) {
		return data, nil
	}
	if data := dataOf(bitmapFormat); data != nil {
		return pngOf(data)
	}
	return nil, ErrNone
}

func open() error {
	var err error
	for range tries {
		var ok uintptr
		if ok, _, err = openClipboard.Call(0); ok != 0 {
			return nil
		}
		time.Sleep(tryAgain)
	}
	return fmt.Errorf("another program has the clipboard open: %w", err)
}

// dataOf copies the clipboard's data of a format; nil if there is none.
func dataOf(format uintptr) []byte {
	handle, _, _ := getClipboardData.Call(format)
	if handle == 0 {
		return nil
	}
	size, _, _ := globalSize.Call(handle)
	at, _, _ := globalLock.Call(handle)
	if at == 0 || size == 0 {
		return nil
	}
	defer func() { _, _, _ = globalUnlock.Call(handle) }()
	return bytes.Clone(unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), size))
}
