//go:build !unix

package crash

import "os"

// fatalSignals returns none on systems where a process can't be sent signals.
func fatalSignals() map[os.Signal]string { return nil }
