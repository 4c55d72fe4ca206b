// Package tray is the menu-bar icon with its menu. It uses fyne.io/systray behind an
// interface of ours, so that everything else can be tested without it.
//
// The icon shows the CPU load in steps of 5 % and is redrawn only when the step changes.
// The menu is built once, and an item changes only when its text does. If there is no tray
// (plain GNOME, no session bus), Params.OnHost reports it, and the icon appears as soon as
// a host does.
//
// Only the files systray*.go import systray, because it needs cgo on macOS.
package tray
