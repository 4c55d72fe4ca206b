//go:build !nogui

package main

import "mac-stats/assets"

// appIcon is the window's icon (PNG); without it the toolkit's own is used.
func appIcon() []byte {
	data, err := assets.FS.ReadFile("icons/icon.png")
	if err != nil {
		return nil
	}
	return data
}
