//go:build !linux && !darwin

package wholefile

func exchange(string, string) error { return ErrNoSwap }
