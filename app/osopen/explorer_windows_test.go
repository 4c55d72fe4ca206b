package osopen

import "testing"

// This test runs under Wine: make test-systems.

func TestRevealAPathWithSpacesOnWindows(t *testing.T) {
	path := `C:\My files\a name with blanks, and a comma.md`
	if got := explorerLine(path); got != `explorer.exe /select,"`+path+`"` {
		t.Error(got)
	}
}
