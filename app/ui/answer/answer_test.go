package answer

import (
	"testing"

	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/kit"
)

// newTestApp is an app without a screen in the app's own theme.
func newTestApp(t testing.TB) {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
}

func inApp(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	newTestApp(t)
	f(t)
}
