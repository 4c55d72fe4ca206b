//go:build !windows

package osopen

import (
	"context"
	"errors"
)

// selectInExplorer only works on Windows.
func selectInExplorer(context.Context, string) error { return errors.ErrUnsupported }
