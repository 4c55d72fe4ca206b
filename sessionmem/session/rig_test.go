package session_test

import (
	"testing"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/storetest"
)

var (
	must        = filetest.Must
	readFile    = filetest.Read
	writeFile   = filetest.Write
	renameOver  = filetest.Replace
	editorSaves = filetest.EditorSaves

	mustAppend  = storetest.Append
	user        = storetest.User
	assistant   = storetest.Assistant
	texts       = storetest.Texts
	loadOne     = storetest.Load
	onlyInfo    = storetest.OnlyInfo
	onlyFile    = storetest.OnlyFile
	openLimited = storetest.Limited
	transcripts = storetest.Files
	threeParts  = storetest.ThreeParts
)

// openStore opens a store that takes any change of a file for a finished save.
func openStore(t testing.TB, root string) *sessionmem.Store {
	t.Helper()
	s := storetest.Open(t, root)
	session.TrustSaves(s.Sessions(), true)
	return s
}

func second[T any](_ T, err error) error { return err }
