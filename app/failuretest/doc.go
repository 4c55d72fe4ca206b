// Package failuretest proves what a user meets when things go wrong: the built
// program runs as a process against real files and a scripted server that fails
// in each of its ways. Every test looks at three things: the exit code, the words
// (one line with what happened and what to do), and that nothing on disk is lost
// or damaged.
package failuretest
