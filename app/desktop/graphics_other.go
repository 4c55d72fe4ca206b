//go:build !windows

package desktop

import "log/slog"

// checkGraphics does nothing: without a graphics card there is a software renderer.
func checkGraphics() error { return nil }

// showError logs an error that concerns the window.
func showError(text string) { slog.Error("the window can't be shown", "error", text) }
