// Package kit is the design system that every view is made of: the theme and its fonts,
// labels, surfaces, buttons, fields, switches, menus and the ways to put them beside each
// other.
//
// A widget names a role of the theme and never a colour, and a size of the type scale
// and never a number, so that a change of the look reaches all of them. A Label is one
// line that is cut where it doesn't fit; text that wraps is in package prose, rows that
// scroll in column, what lies over the window in overlay. Field is the one text field.
//
// Nothing here knows of sessions, models or settings, reads a file or starts a
// goroutine. Everything is called on the UI goroutine. What a widget can't do with a
// key it hands to its Host, the window it is in.
package kit
