// Package alive tells whether a process still runs: whose file it was, and whether
// it may come back to it.
//
// A number is given to another process some time after its owner's end, so true may
// speak of a stranger; false is certain on this machine.
package alive
