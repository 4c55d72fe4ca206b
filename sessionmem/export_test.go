package sessionmem

import (
	"time"
)

// SetPatience sets how long Forget waits for a session's turn.
func SetPatience(s *Store, wait time.Duration) { s.patience = wait }
