package sessionstate_test

import (
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/storetest"
)

var (
	must     = filetest.Must
	readFile = filetest.Read

	openStore  = storetest.Open
	mustAppend = storetest.Append
	user       = storetest.User
)
