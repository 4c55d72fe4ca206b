package watch

import "mac-stats/sessionmem/filetest"

var (
	must        = filetest.Must
	readFile    = filetest.Read
	writeFile   = filetest.Write
	editorSaves = filetest.EditorSaves
)
