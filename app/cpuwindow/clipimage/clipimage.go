// Package clipimage reads an image from the clipboard as a PNG.
//
// Fyne's clipboard supports text only. A program of the system reads the image: osascript on
// macOS, wl-paste (package wl-clipboard) on Wayland, xclip on X11. On Windows, the
// system itself is asked. Nothing runs through a shell. The window calls Read when the user
// pastes. If the program is missing, the error names the package to install.
package clipimage

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// clipTime is how long a program may take.
const clipTime = 5 * time.Second

// pngHead is the signature at the start of a PNG.
const pngHead = "\x89PNG\r\n\x1a\n"

var errNoTool = errors.New("images can't be pasted here: install wl-clipboard (Wayland) or xclip (X11), or drop the file into the window")

// clipCommands returns the commands that print the image on the clipboard, best first.
func clipCommands(goos string, wayland bool) [][]string {
	x11 := []string{"xclip", "-selection", "clipboard", "-target", "image/png", "-out"}
	switch {
	case goos == "darwin":
		return [][]string{{"osascript", "-e", "the clipboard as «class PNGf»"}}
	case wayland:
		return [][]string{{"wl-paste", "--no-newline", "--type", "image/png"}, x11}
	}
	return [][]string{x11}
}

// Read returns the image on the clipboard. It may take up to five seconds.
func Read(ctx context.Context) ([]byte, error) {
	if runtime.GOOS == "windows" {
		return readWindows()
	}
	commands := clipCommands(runtime.GOOS, os.Getenv("WAYLAND_DISPLAY") != "")
	ctx, stop := context.WithTimeout(ctx, clipTime)
	defer stop()
	found := false
	for _, c := range commands {
		path, err := exec.LookPath(c[0])
		if err != nil {
			continue
		}
		found = true
		out, err := exec.CommandContext(ctx, path, c[1:]...).Output()
		if image := fromAppleScript(out); err == nil && bytes.HasPrefix(image, []byte(pngHead)) {
			return image, nil // checked, because some programs return text instead of an image
		}
	}
	if !found {
		return nil, errNoTool
	}
	return nil, ErrNone
}

// fromAppleScript decodes the image that osascript prints as «data PNGf8950…».
func fromAppleScript(out []byte) []byte {
	inner, ok := strings.CutPrefix(string(bytes.TrimSpace(out)), "«data PNGf")
	if !ok {
		return out
	}
	data, err := hex.DecodeString(strings.TrimSuffix(inner, "»"))
	if err != nil {
		return out
	}
	return data
}
