// Package schedule runs prompts at the times that people choose, and the heartbeat.
//
// The schedules are in schedules.toml in the data folder, which people edit. Only a person
// can create one: in that file, on the page, or with a command. Nothing that a model can
// call reaches the functions that change it.
//
// A Runner waits for the next time with a single timer. A run that was due while it
// couldn't start (the machine slept, the app was closed, quiet hours, battery) happens
// once, later, and says so. Before a run its time is claimed in the state file under a
// lock, so that only one of two copies of the app runs it. A run that a crash interrupts
// isn't repeated.
//
// Times are wall-clock times. A time that daylight saving skips is due later by the amount
// the clocks moved. Of a time that occurs twice the first one counts, but "every hour"
// means every hour. Setting the clock back repeats nothing.
//
// The package knows no model and no screen: its Params run the turns and notify people.
package schedule
