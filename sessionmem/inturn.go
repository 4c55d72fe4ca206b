package sessionmem

import (
	"os"
	"path/filepath"
	"strings"
)

// InTurn reports whether a turn runs in any session, in this process or another.
func (s *Store) InTurn() bool {
	s.mu.Lock()
	own := len(s.turns) > 0
	s.mu.Unlock()
	if own || s.root == nil {
		return own
	}
	entries, err := os.ReadDir(filepath.Join(s.dir, locksDir))
	if err != nil {
		return false // nobody ever had one
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), holderSuffix)
		if ok && s.isLocked(name+turnSuffix) {
			return true
		}
	}
	return false
}

// isLocked reports whether somebody holds a lock file. Those whose holder died are free.
func (s *Store) isLocked(file string) bool {
	l := s.root.NewLock(file)
	free, err := l.TryRLock()
	if free {
		_ = l.Unlock() // only looked at
	}
	return err == nil && !free
}
