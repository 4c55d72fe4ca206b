//go:build !unix

package crash

import "os"

// fatalSignals are none where processes can't be sent any.
func fatalSignals() map[os.Signal]string { return nil }
