package trash_test

import (
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/storetest"
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
