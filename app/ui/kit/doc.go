// Package kit is the design system that every view uses: the theme and its fonts, labels,
// surfaces, buttons, fields, switches, menus, and layouts.
//
// A widget names a role of the theme and never a colour, and a size of the type scale and
// never a number, so that a change of the theme reaches every widget. A Label is one line,
// shortened to fit; text that wraps is in package prose, rows that scroll in column, and
// what lies over the window in overlay. Field is the only text field.
//
// Nothing here knows about sessions, models or settings, reads a file or starts a
// goroutine. Everything is called on the UI goroutine. A widget passes the keys that it
// can't use to its Host, the window it is in.
package kit
