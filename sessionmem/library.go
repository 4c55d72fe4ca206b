package sessionmem

import (
	"log/slog"
	"time"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/sessionstate"
	"mac-stats/sessionmem/trash"
)

// library does what concerns whole sessions: their notes (titles, settings, resets), forks,
// the archive, deleting by age, the trash and forgetting.
type library struct {
	dir       *sessiondir.Dir // nil in memory
	sessions  *session.Folder
	catalog   *catalog.Catalog
	forgotten *forgotten.Record
	state     *sessionstate.State
	trash     *trash.Trash
	logger    *slog.Logger
	patience  time.Duration // how long Forget waits for a session's turn
}
