// Package alive reports whether a process is still running, and so whether the owner of a
// file may come back to it.
//
// The system reuses process IDs, so true may be about another process. False is certain, for a
// process of this machine.
package alive
