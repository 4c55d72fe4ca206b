//go:build !darwin || cgo

package desktop

import (
	"log/slog"
	"os"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
)

// newApp creates the Fyne app.
func newApp(p Params) (fyne.App, error) {
	makeCacheFolder(p)
	meta := fyne.AppMetadata{ID: appID(), Name: appName, Version: p.Version}
	if len(p.Icon) > 0 {
		meta.Icon = fyne.NewStaticResource(appName+".png", p.Icon)
	}
	app.SetMetadata(meta)
	return app.NewWithID(appID()), nil
}

// makeCacheFolder creates the user's cache folder, which a new account lacks: Fyne creates
// its own folder in it, but not the cache folder itself, and prints an error.
func makeCacheFolder(p Params) {
	dir, err := os.UserCacheDir()
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		slog.Debug("there is no cache folder for the window system", "error", err)
	}
}
