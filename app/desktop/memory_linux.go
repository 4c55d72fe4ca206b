//go:build linux && cgo && !ci

package desktop

/*
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
static void trim(void) { malloc_trim(0); }
#else
static void trim(void) {}
#endif
static void call(void *f) { ((void (*)(void))f)(); }
*/
import "C"

import (
	"fyne.io/fyne/v2"
	"github.com/go-gl/glfw/v3.4/glfw"
)

// trimC returns memory that the GL stack has freed and that glibc would keep.
func trimC() { C.trim() }

// releaseShaderCompiler makes the GL stack drop its shader compiler: 7 MB in Mesa, which
// keeps the language's built-in functions parsed. Fyne compiles its shaders when it creates
// a window; for another one, GL loads the compiler again. Call it on the UI goroutine.
func releaseShaderCompiler(windows []fyne.Window) {
	for _, w := range windows {
		if w, ok := w.(interface{ RunWithContext(f func()) }); ok {
			w.RunWithContext(func() {
				if f := glfw.GetProcAddress("glReleaseShaderCompiler"); f != nil { // OpenGL 4.1, OpenGL ES 2
					C.call(f)
				}
			})
		}
	}
}
