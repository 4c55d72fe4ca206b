// Package toolkit reaches into Fyne where it has no public function: to drop fonts, and to
// draw between two ticks of its loop. If an upgrade of Fyne renames what is used here, the
// package no longer links or its test fails. All of it is for the UI goroutine.
//
// It is a separate package because a function without a body needs an assembly file, which
// in a package with cgo would go to the C compiler.
package toolkit
