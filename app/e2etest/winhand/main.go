//go:build windows

// Command winhand does on Windows what xdotool can't: it clicks the icon in the corner of
// the taskbar and finds its menu. The tests under Wine use it.
//
//	winhand icon left|right     click the icon
//	winhand menu                print the open menu's left, top, right and bottom
//	winhand taskbar             succeed if there is a taskbar
package main

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	user32        = windows.NewLazySystemDLL("user32.dll")
	findWindow    = user32.NewProc("FindWindowW")
	postMessage   = user32.NewProc("PostMessageW")
	getWindowRect = user32.NewProc("GetWindowRect")
)

// Messages and constants of Windows, and systray's name for its window.
const (
	systrayClass   = "SystrayClass"
	systrayMessage = 0x0401
	leftUp         = 0x0202
	rightUp        = 0x0205
	menuClass      = "#32768"
	taskbarClass   = "Shell_TrayWnd"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "winhand:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "icon":
		window, err := find(systrayClass)
		if err != nil {
			return err
		}
		button := uintptr(leftUp)
		if args[1] == "right" {
			button = rightUp
		}
		if ok, _, err := postMessage.Call(window, systrayMessage, 0, button); ok == 0 {
			return err
		}
		return nil
	case len(args) == 1 && args[0] == "menu":
		return menu()
	case len(args) == 1 && args[0] == "taskbar":
		_, err := find(taskbarClass)
		return err
	}
	return fmt.Errorf("usage: winhand icon left|right, winhand menu, winhand taskbar")
}

func find(class string) (uintptr, error) {
	window, _, _ := findWindow.Call(uintptr(unsafe.Pointer(windows.StringToUTF16Ptr(class))), 0)
	if window == 0 {
		return 0, fmt.Errorf("there is no window of the class %s", class)
	}
	return window, nil
}

func menu() error {
	window, err := find(menuClass)
	if err != nil {
		return err
	}
	var r struct{ left, top, right, bottom int32 }
	if ok, _, err := getWindowRect.Call(window, uintptr(unsafe.Pointer(&r))); ok == 0 {
		return err
	}
	fmt.Println(r.left, r.top, r.right, r.bottom)
	return nil
}
