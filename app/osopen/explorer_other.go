//go:build !windows

package osopen

import (
	"context"
	"errors"
)

// selectInExplorer is of Windows alone.
func selectInExplorer(context.Context, string) error { return errors.ErrUnsupported }
