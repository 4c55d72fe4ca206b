//go:build !darwin || cgo

package desktop

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
)

// newApp makes the Fyne app.
func newApp(p Params) (fyne.App, error) {
	meta := fyne.AppMetadata{ID: appID, Name: appName, Version: p.Version}
	if len(p.Icon) > 0 {
		meta.Icon = fyne.NewStaticResource(appName+".png", p.Icon)
	}
	app.SetMetadata(meta)
	return app.NewWithID(appID), nil
}
