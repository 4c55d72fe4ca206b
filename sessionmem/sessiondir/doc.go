// Package sessiondir is the session folder as it stands at its path now: it may be moved
// away and back, replaced, or vanish with its disk while the program runs.
//
// Rules:
//   - Everything is confined to the folder: no link leads out of it.
//   - A folder that was there is never made anew; work in it fails until it is back.
//   - Each piece of work begins with Check.
package sessiondir
