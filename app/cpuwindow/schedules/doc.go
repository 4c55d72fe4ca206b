// Package schedules is the page of schedules: what is asked at which times, when it ran
// and runs next, and the sheet that makes and changes one.
//
// All of it is schedules.toml, which people may edit as well. The page reads it again
// whenever it is shown and when it changed; a sheet that is being filled in stays as it
// is meanwhile. Files are read and written off the UI goroutine.
package schedules
