//go:build cgo

package tray

// trayBuiltIn reports that this build has an icon.
const trayBuiltIn = true
