//go:build darwin && cgo && !ci

package autostart

/*
#cgo CFLAGS: -x objective-c -fobjc-arc
#cgo LDFLAGS: -framework Foundation -framework Security -framework ServiceManagement
#include <stdlib.h>
#include "loginitem_darwin.h"
*/
import "C"

import (
	"errors"
	"unsafe"
)

// loginItem is the entry of a signed app in the system's own list; there is no file.
type loginItem struct{ program string }

// systemPlace returns the place of a signed app's entry; nil if the app isn't signed.
func systemPlace(program string) place {
	if C.loginItemUsable() == 0 {
		return nil
	}
	return loginItem{program}
}

// read returns this program, because the system follows an app that moves.
func (l loginItem) read() (string, error) {
	if C.loginItemOn() == 0 {
		return "", nil
	}
	return runValue{}.text(l.program), nil
}

func (l loginItem) replace(string) error { return set(1) }

func (l loginItem) remove() error { return set(0) }

func set(on C.int) error {
	why := C.loginItemSet(on)
	if why == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(why))
	return errors.New(C.GoString(why))
}
