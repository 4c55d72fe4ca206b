// Package apptest stands in for what surrounds the app: Discord, the desktop's tray, a
// machine's readings, a turn whose events a test sends, and texts that are hard to lay out.
// Only tests import it. It knows no window toolkit, so that packages without one are tested
// with the race detector; [mac-stats/app/ui/screentest] is the kit for those with one.
package apptest
