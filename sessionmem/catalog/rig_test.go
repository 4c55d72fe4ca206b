package catalog_test

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
	loadOne     = storetest.Load
	onlyInfo    = storetest.OnlyInfo
	onlyFile    = storetest.OnlyFile
	openLimited = storetest.Limited
	transcripts = storetest.Files
	threeParts  = storetest.ThreeParts
)
