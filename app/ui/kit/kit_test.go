package kit

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

// newTestApp returns an app without a screen, with the app's own theme.
func newTestApp(t testing.TB) fyne.App {
	t.Helper()
	app := test.NewTempApp(t)
	app.Settings().SetTheme(NewTheme(Look{}))
	return app
}
