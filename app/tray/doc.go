// Package tray is the menu-bar icon with its menu. On the desktops of freedesktop.org it is
// an object on the session bus (statusitem_unix.go), on macOS and Windows fyne.io/systray.
//
// The icon shows the CPU load in steps of 5 % and is redrawn only when the step changes.
// The menu is built once, and an item changes only when its text does. If there is no tray
// (plain GNOME, no session bus), Params.OnHost reports it, and the icon appears as soon as
// a host does.
//
// Only the files systray*.go import systray, because it needs cgo on macOS.
package tray
