//go:build !windows

package desktop

import "log/slog"

// checkGraphics has nothing to check: there is a software renderer where there is no
// graphics card.
func checkGraphics() error { return nil }

// tellError shows a sentence where nothing else of ours can be seen.
func tellError(text string) { slog.Error("the window can't be shown", "error", text) }
