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

// loginItem is the entry of a signed app: the system's own list, and no file.
type loginItem struct{ program string }

// systemPlace is where this system keeps the entry of a signed app; nil where the app is
// not signed.
func systemPlace(program string) place {
	if C.loginItemUsable() == 0 {
		return nil
	}
	return loginItem{program}
}

// read names this program: the system follows the app where it moves.
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
