package session

import (
	"log/slog"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/erase"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/journal"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/sieve"
)

// shared holds what the sessions of one folder share. It never changes.
type shared struct {
	dir       *sessiondir.Dir // nil in memory
	forgotten *forgotten.Record
	sieve     *sieve.Sieve
	catalog   *catalog.Catalog
	eraser    *erase.Eraser
	journals  *journal.Folder
	logger    *slog.Logger

	maxBytes   func() int64 // Config.MaxFileBytes
	onRefused  func(Refused)
	rescue     string
	retry      chan struct{} // 1 place: filled when a block begins to wait for the disk
	trustSaves bool          // tests: take any change of a file for a finished save, see midSave
	opened     func()        // tests: called between opening a transcript and writing to it
}
