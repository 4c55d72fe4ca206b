//go:build !linux

package command

func landlockVersion() int { return 0 }

func hasFilter() bool { return false }

// Inside is for Linux.
func Inside([]string) int { return 126 }
