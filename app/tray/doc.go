// Package tray is the menu-bar icon and its menu, on fyne.io/systray, behind an
// interface of ours so that everything else can be tested without one.
//
// The icon shows the CPU load, in steps of 5 %, and is redrawn only when that step
// changes; the menu is built once and its items change only where their text does. A
// tray that isn't there (plain GNOME, no session bus) is told through Params.OnHost,
// and the icon appears by itself when a host does.
//
// The files systray*.go alone import systray, because it needs cgo on macOS.
package tray
