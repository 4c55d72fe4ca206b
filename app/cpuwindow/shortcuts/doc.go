// Package shortcuts knows the keys of the window: which action has which shortcuts in
// config.toml, what they are called, what they are to the toolkit, and where two actions
// want the same. List shows them all.
//
// The grammar of a shortcut is config's; here are only the ways to the toolkit's keys and
// back. It runs an action only from the List; binding keys is the window's.
package shortcuts
