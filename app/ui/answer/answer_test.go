package answer

import (
	"testing"

	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/kit"
)

// newTestApp starts an app without a screen, with the app's own theme.
func newTestApp(t testing.TB) {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
}

func inApp(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	newTestApp(t)
	f(t)
}
