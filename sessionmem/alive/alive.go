// Package alive reports whether a process is still running: whether the owner of a file may
// come back to it.
// A process number is reused some time after its owner's end, so true may be about a
// stranger; false is certain on this machine.
package alive
