// Package clipimage reads an image from the clipboard, as a PNG.
//
// Fyne's clipboard holds text alone. An image comes from the program each system has for
// it: osascript on macOS, wl-paste (package wl-clipboard) on Wayland, xclip on X11. Windows
// is asked itself (winclip). Nothing runs through a shell. The window calls it when an
// image is pasted; what is missing is told in words that say what to install.
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

	"mac-stats/app/winclip"
)

// clipTime is how long such a program is waited for.
const clipTime = 5 * time.Second

// pngHead is how a PNG begins.
const pngHead = "\x89PNG\r\n\x1a\n"

var errNoTool = errors.New("images can't be pasted here: install wl-clipboard (Wayland) or xclip (X11), or drop the file into the window")

// clipCommands are the ways to the image on the clipboard, best first.
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

// Read reads the image that is on the clipboard; it may take a moment.
func Read(ctx context.Context) ([]byte, error) {
	if runtime.GOOS == "windows" {
		return winclip.Read()
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
			return image, nil // some programs give text to whoever asks for an image
		}
	}
	if !found {
		return nil, errNoTool
	}
	return nil, winclip.ErrNone
}

// fromAppleScript decodes what osascript prints of an image: «data PNGf8950…».
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
