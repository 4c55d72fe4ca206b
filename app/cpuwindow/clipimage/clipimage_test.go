package clipimage

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClipboardCommands(t *testing.T) {
	for name, c := range map[string]struct {
		goos    string
		wayland bool
		want    []string
	}{
		"macOS":   {"darwin", false, []string{"osascript"}},
		"Wayland": {"linux", true, []string{"wl-paste", "xclip"}},
		"X11":     {"linux", false, []string{"xclip"}},
	} {
		var got []string
		for _, command := range clipCommands(c.goos, c.wayland) {
			got = append(got, command[0])
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Error(name + diff)
		}
	}
	if got := fromAppleScript([]byte("«data PNGf8950»\n")); !bytes.Equal(got, []byte{0x89, 0x50}) {
		t.Errorf("got %x", got)
	}
	if got := fromAppleScript([]byte("\x89PNG")); string(got) != "\x89PNG" {
		t.Errorf("got %x", got)
	}
}

func TestTheClipboardIsReadByTheSystemsProgram(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("WAYLAND_DISPLAY", "")
	if _, err := Read(t.Context()); !errors.Is(err, errNoTool) {
		t.Errorf("without a program: %v", err)
	}
	script := "#!/bin/sh\n[ \"$*\" = \"-selection clipboard -target image/png -out\" ] && printf '\\211PNG\\r\\n\\032\\npicture'\n"
	if err := os.WriteFile(filepath.Join(dir, "xclip"), []byte(script), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	if data, err := Read(t.Context()); string(data) != pngHead+"picture" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	for name, script := range map[string]string{"refused": "exit 1", "text on it": "echo text"} {
		if err := os.WriteFile(filepath.Join(dir, "xclip"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
		if _, err := Read(t.Context()); !errors.Is(err, ErrNone) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
