//go:build !linux && !windows

package pdftext

import "os/exec"

// limitMemory does nothing on this system: PDFium's own limit holds.
func limitMemory(uint64) {}

// hide does nothing: a child has no window here.
func hide(*exec.Cmd) {}
