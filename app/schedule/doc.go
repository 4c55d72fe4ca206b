// Package schedule runs prompts at the times that people choose, and the heartbeat.
//
// What runs when stands in schedules.toml of the data folder, a file that people edit.
// Only a person makes a schedule: by that file, on the page, or with a command. Nothing
// that a model can call reaches the functions that change it.
//
// A Runner waits for the next time with one timer. What fell due while it couldn't run
// (the machine slept, the app was closed, quiet hours, the battery) runs once, and says
// so. Before a run its time is claimed in the state file under a lock, so that of two
// copies of the app one runs it. A run that a crash cuts off isn't repeated.
//
// Times are those of the wall clock. Where daylight saving skips a time, it is due as
// much later as the clocks were moved; where a time comes twice, the first one counts,
// but "every hour" is every hour. A clock that is set back repeats nothing.
//
// The package knows no model and no screen: its Params do the turns and tell people.
package schedule
