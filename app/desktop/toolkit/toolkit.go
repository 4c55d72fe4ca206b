// Package toolkit reaches into Fyne for what it has no public function for: dropping fonts,
// and drawing between two ticks of its loop. If an upgrade of Fyne renames what is used
// here, the package no longer links or its test fails. All of it is for the UI goroutine.
//
// It is a package of its own because a function without a body needs an assembly file,
// which in a package with cgo the C compiler would assemble.
package toolkit
