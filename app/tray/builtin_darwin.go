//go:build cgo

package tray

// trayBuiltIn: this build has an icon.
const trayBuiltIn = true
