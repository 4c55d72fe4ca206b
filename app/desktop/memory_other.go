//go:build !linux || !cgo || ci

package desktop

import "fyne.io/fyne/v2"

// trimC is for glibc alone.
func trimC() {}

// releaseShaderCompiler is for Mesa, which Linux draws with.
func releaseShaderCompiler([]fyne.Window) {}
