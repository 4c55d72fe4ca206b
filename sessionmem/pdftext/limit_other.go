//go:build !linux

package pdftext

// limitMemory does nothing on this system: the child takes what the system gives it, and
// ends alone.
func limitMemory(uint64) {}
