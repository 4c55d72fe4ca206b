//go:build darwin && !cgo

package desktop

import (
	"fmt"

	"fyne.io/fyne/v2"
)

// newApp fails: on macOS Fyne's app package needs cgo. With it the rest of the module
// builds without cgo.
func newApp(Params) (fyne.App, error) {
	return nil, fmt.Errorf("%w: this mac-stats was built without cgo, which windows need on macOS; "+
		"build it with CGO_ENABLED=1, or run `mac-stats --headless`", ErrNoDisplay)
}
