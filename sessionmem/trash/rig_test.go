package trash_test

import (
	"log/slog"
	"path/filepath"
	"testing"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"
)

var (
	must        = filetest.Must
	readFile    = filetest.Read
	writeFile   = filetest.Write
	openStore   = storetest.Open
	mustAppend  = storetest.Append
	user        = storetest.User
	assistant   = storetest.Assistant
	texts       = storetest.Texts
	onlyFile    = storetest.OnlyFile
	ago         = storetest.Ago
	names       = storetest.Names
	mustArchive = storetest.Archive
)

// dirOf opens the session folder of a data folder.
func dirOf(t *testing.T, root string) *sessiondir.Dir {
	t.Helper()
	dir := sessiondir.New(filepath.Join(root, transcript.SessionDir), slog.New(slog.DiscardHandler))
	must(t, dir.Check())
	t.Cleanup(func() { must(t, dir.Close()) })
	return dir
}
