package kit

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

// newTestApp is an app without a screen in the app's own theme.
func newTestApp(t testing.TB) fyne.App {
	t.Helper()
	app := test.NewTempApp(t)
	app.Settings().SetTheme(NewTheme(Look{}))
	return app
}
