package kit

import (
	"runtime"
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

func TestANotchOfTheWheelIsThreeLines(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("the system says how far")
	}
	for given, want := range map[float32]float32{25: 60, -50: -120, 0: 0, 6.25: 6.25, -3: -3} {
		if got := wheelStep(given); got != want {
			t.Errorf("%v scrolls %v, not %v", given, got, want)
		}
	}
}
