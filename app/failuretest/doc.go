// Package failuretest tests what a user sees when things go wrong. The built program runs
// as a process on real files and a scripted server that fails in every way it can. Every
// test checks the exit code, the text (one line with what happened and what to do), and
// that nothing on disk is lost or damaged.
package failuretest
