package wordsearch

import (
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/storetest"
)

var (
	must      = filetest.Must
	writeFile = filetest.Write

	openStore  = storetest.Open
	mustAppend = storetest.Append
	user       = storetest.User
	ago        = storetest.Ago
)

func second[T any](_ T, err error) error { return err }
