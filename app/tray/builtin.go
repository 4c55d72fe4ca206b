//go:build windows || (darwin && cgo)

package tray

// trayBuiltIn: this build has an icon.
const trayBuiltIn = true
