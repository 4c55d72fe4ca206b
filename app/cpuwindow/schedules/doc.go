// Package schedules is the page of schedules: which prompt is sent at which times, when it ran
// and when it runs next, and the sheet that creates and changes a schedule.
//
// Everything is in schedules.toml, which people may edit as well. The page reads it again
// when it is shown and when the file changes; a sheet being filled in isn't touched. Files
// are read and written off the UI goroutine.
package schedules
