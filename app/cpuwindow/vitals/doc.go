// Package vitals shows the machine: the strip of six readings above the window, and the
// page with a card for each metric, its history and the busiest processes.
//
// Readings come from a Source, the monitor, and are drawn only where they look different
// from what is shown. What the page alone needs is sampled only while the page is
// shown: Sample says so. A process is asked to quit off the UI goroutine, after a
// question.
//
// It knows the window as a Host and no other page, and measures nothing itself. Its
// widgets belong to the UI goroutine.
package vitals
