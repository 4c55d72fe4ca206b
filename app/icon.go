//go:build !nogui

package main

import "mac-stats/assets"

// appIcon returns the window's icon (PNG); nil means the toolkit's own.
func appIcon() []byte {
	data, err := assets.FS.ReadFile("icons/icon.png")
	if err != nil {
		return nil
	}
	return data
}
