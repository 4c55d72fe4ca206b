// Package shortcuts holds the shortcuts of the window: those of each action in config.toml, their
// names, Fyne's keys for them, and conflicts between actions. List shows them all.
//
// Package config parses shortcuts; this package converts them to and from Fyne's keys. The window
// calls Bindings to bind them.
package shortcuts
