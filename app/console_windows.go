package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// On Windows mac-stats is linked as a GUI program, so that a double click opens no console.
// Started in a console it uses that for input and output, but the shell doesn't wait for
// it; `start /wait mac-stats …` does, and so does a pipe.

var (
	kernel32      = windows.NewLazySystemDLL("kernel32.dll")
	attachConsole = kernel32.NewProc("AttachConsole")
	messageBox    = windows.NewLazySystemDLL("user32.dll").NewProc("MessageBoxW")
)

// useConsole connects standard input, output and error to the console that mac-stats was
// started in, unless they are redirected. Without a console, the returned function shows
// the text of standard error in a message box.
func useConsole() (showFailure func()) {
	const ofParent = ^uintptr(0) // ATTACH_PARENT_PROCESS
	if attached, _, _ := attachConsole.Call(ofParent); attached != 0 {
		os.Stdin = redirected(os.Stdin, "CONIN$")
		os.Stdout = redirected(os.Stdout, "CONOUT$")
		os.Stderr = redirected(os.Stderr, "CONOUT$")
		return func() {}
	}
	if usable(os.Stderr) {
		return func() {}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return func() {}
	}
	os.Stderr = w
	var text bytes.Buffer
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(&text, r) // an unreadable text can't be shown
	}()
	return func() {
		_ = w.Close() // nothing writes any more
		<-done
		if words := strings.TrimSpace(strings.ReplaceAll(text.String(), "\x00", "")); words != "" {
			const errorIcon = 0x10 // MB_ICONERROR
			_, _, _ = messageBox.Call(0, uintptr(unsafe.Pointer(windows.StringToUTF16Ptr(words))),
				uintptr(unsafe.Pointer(windows.StringToUTF16Ptr("mac-stats"))), errorIcon)
		}
	}
}

// redirected returns the standard file that we were given or, if there was none, one of the
// console.
func redirected(f *os.File, console string) *os.File {
	if usable(f) {
		return f
	}
	opened, err := os.OpenFile(console, os.O_RDWR, 0)
	if err != nil {
		return f
	}
	return opened
}

// usable reports whether a standard file is connected.
func usable(f *os.File) bool {
	kind, err := windows.GetFileType(windows.Handle(f.Fd()))
	return err == nil && kind != windows.FILE_TYPE_UNKNOWN
}
