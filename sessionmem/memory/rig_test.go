package memory

import "mac-stats/sessionmem/filetest"

var (
	must      = filetest.Must
	readFile  = filetest.Read
	writeFile = filetest.Write
)

func second[T any](_ T, err error) error { return err }
