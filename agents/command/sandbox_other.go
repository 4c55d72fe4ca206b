//go:build !linux

package command

func landlockVersion() int { return 0 }

func hasFilter() bool { return false }

// Inside returns argv: only Linux needs more.
func Inside(argv []string) ([]string, error) { return argv, nil }
