// Package kit is the design system that every view is made of: the theme, text,
// buttons, fields, rows and the column that scrolls them, menus, cards over the window,
// toasts.
//
// A widget names a role of the theme and never a colour, and a size of the type scale
// and never a number, so that a change of the look reaches all of them. A Row tells its
// height for a width; a Viewport shows only the rows in sight, so its cost doesn't grow
// with what it holds. Text is set in Prose, which can be selected and marked; a Label
// is one line that is cut where it doesn't fit. Field is the one text field.
//
// Nothing here knows of sessions, models or settings, reads a file or starts a
// goroutine. Everything is called on the UI goroutine. What a widget can't do with a
// key it hands to its Host, the window it is in.
package kit
