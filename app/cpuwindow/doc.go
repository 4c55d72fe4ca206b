// Package cpuwindow is the CPU window: the vitals strip, the chat, the composer.
//
// One small struct per view; events of a run arrive on other goroutines, are
// turned into view data there and swapped in by one Do. Nothing is refreshed
// while the window is hidden.
package cpuwindow
