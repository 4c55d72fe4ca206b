package clipimage

import (
	"bytes"
	"errors"
	"image/png"
	"runtime"
	"testing"
	"unsafe"
)

// This test runs under Wine: make test-systems.

func TestReadOnWindows(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	put := func(data []byte) {
		t.Helper()
		if err := open(); err != nil {
			t.Fatal(err)
		}
		defer func() { _, _, _ = closeClipboard.Call() }()
		_, _, _ = user32.NewProc("EmptyClipboard").Call()
		if data == nil {
			return
		}
		memory, _, err := kernel32.NewProc("GlobalAlloc").Call(2, uintptr(len(data))) // GMEM_MOVEABLE
		if memory == 0 {
			t.Fatal(err)
		}
		at, _, _ := globalLock.Call(memory)
		copy(unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), len(data)), data)
		_, _, _ = globalUnlock.Call(memory)
		if ok, _, err := user32.NewProc("SetClipboardData").Call(bitmapFormat, memory); ok == 0 {
			t.Fatal(err)
		}
	}
	put(bitmap(40, 32, plain, false))
	data, err := readWindows()
	if err != nil {
		t.Fatal(err)
	}
	if picture, err := png.Decode(bytes.NewReader(data)); err != nil || picture.Bounds().Dx() != 2 {
		t.Errorf("%v, %v", picture, err)
	}
	put(nil)
	if _, err := readWindows(); !errors.Is(err, ErrNone) {
		t.Errorf("an empty clipboard: %v", err)
	}
}
