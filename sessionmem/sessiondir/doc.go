// Package sessiondir opens the session folder at its current path. The folder may be moved away
// and back, replaced, or vanish with its disk while the program runs.
//
// Rules:
//   - Everything is confined to the folder: no link leads out of it.
//   - A folder that was there is never created again; work in it fails until it is back.
//   - Each piece of work begins with Check.
//   - Dir is used instead of os.Root and has a method for each one of os.Root that is needed,
//     so it has more methods than other types.
package sessiondir
