//go:build darwin && cgo && !ci

package desktop

/*
#cgo CFLAGS: -x objective-c -fobjc-arc
#cgo LDFLAGS: -framework Cocoa -framework UserNotifications
#include <stdlib.h>
#include "cocoa_darwin.h"
*/
import "C"

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"fyne.io/fyne/v2"
)

// running is the process's only desktop, for AppKit's callbacks.
var running atomic.Pointer[Desktop]

// begin starts answering the system. GLFW must be started.
func (d *Desktop) begin() {
	running.Store(d)
	C.macStart()
}

// setShown shows the app in the Dock and gives it the keyboard focus, or hides it and gives
// the focus back.
func setShown(shown bool) { C.macSetShown(number(shown)) }

// setBusy switches App Nap off while the app is busy.
func setBusy(busy bool) { C.macSetBusy(number(busy)) }

func number(on bool) C.int {
	if on {
		return 1
	}
	return 0
}

//export goShouldTerminate
func goShouldTerminate() {
	d := running.Load()
	rest := d.onTerminate()
	go func() {
		rest()
		C.macReplyToTerminate()
	}()
}

//export goReopen
func goReopen() { running.Load().onReopen() }

//export goNotificationPressed
func goNotificationPressed(n C.ulonglong) { running.Load().notifier.pressed(uint64(n)) }

// notifier shows notifications with UserNotifications. A program outside a bundle uses
// Fyne, which doesn't report clicks.
type notifier struct {
	app fyne.App

	mu   sync.Mutex
	last uint64 // number of the shown note
	note note
}

func newNotifier(a fyne.App, _ []byte) *notifier { return &notifier{app: a} }

func (n *notifier) send(m note) error {
	n.mu.Lock()
	n.last++
	n.note = m
	id := n.last
	n.mu.Unlock()
	title, body := C.CString(m.title), C.CString(m.body)
	defer C.free(unsafe.Pointer(title))
	defer C.free(unsafe.Pointer(body))
	if C.macNotify(title, body, C.ulonglong(id)) == 0 {
		n.app.SendNotification(fyne.NewNotification(m.title, m.body))
	}
	return nil
}

// pressed calls a note's action if it is still the shown one.
func (n *notifier) pressed(id uint64) {
	n.mu.Lock()
	m, newest := n.note, id == n.last
	n.mu.Unlock()
	if newest && m.clicked != nil {
		m.clicked()
	}
}

func (n *notifier) close() { C.macRemoveNotifications() }
