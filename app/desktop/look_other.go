//go:build darwin || windows

package desktop

import "context"

// WatchLook does nothing: the toolkit follows light and dark, and the system scales text.
func WatchLook(context.Context, func(Look)) {}
