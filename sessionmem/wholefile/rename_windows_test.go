package wholefile_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"mac-stats/sessionmem/wholefile"
)

// Run under Wine: make test-systems.

// A virus scanner or a search indexer opens a file that was just written, and nobody can
// replace it meanwhile.
func TestAFileThatIsOpenIsReplaced(t *testing.T) {
	dir, err := os.MkdirTemp("", "read") //nolint:usetesting // Wine 8 can't remove t.TempDir's folder
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "memory.md")
	t.Cleanup(func() { _, _ = os.Remove(path), os.Remove(dir) })
	if err := wholefile.Write(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := windows.CreateFile(name, windows.GENERIC_READ, windows.FILE_SHARE_READ, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(200*time.Millisecond, func() { _ = windows.CloseHandle(reader) })
	if err := wholefile.Write(path, []byte("new"), 0o600); err != nil {
		t.Errorf("replaced while it is read: %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "new" {
		t.Errorf("%q, %v", data, err)
	}
}
