//go:build cgo && !ci

package toolkit

import (
	"reflect"
	"unsafe"

	"fyne.io/fyne/v2"
)

//go:linkname drawSingleFrame fyne.io/fyne/v2/internal/driver/glfw.(*gLDriver).drawSingleFrame
func drawSingleFrame(driver unsafe.Pointer)

// Draw draws the changed windows at once instead of at the next tick of the app's loop,
// which must be running.
func Draw(app fyne.App) { drawSingleFrame(reflect.ValueOf(app.Driver()).UnsafePointer()) }
