// Package vitals shows the state of the machine: the strip of six readings at the top of the
// window, and the page with a card for each metric, its history and the busiest processes.
//
// Readings come from a Source, the monitor, and are drawn only if they look different. What only
// the page needs is sampled only while the page is shown; Page.Sample switches that. A process
// is asked to quit off the UI goroutine, after a confirmation.
//
// The package knows the window only as a Host, and measures nothing itself. Its widgets belong
// to the UI goroutine.
package vitals
