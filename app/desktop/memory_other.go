//go:build !linux || !cgo || ci

package desktop

import "fyne.io/fyne/v2"

// trimC is only needed for glibc.
func trimC() {}

// releaseShaderCompiler is only needed for Mesa on Linux.
func releaseShaderCompiler([]fyne.Window) {}
