//go:build !windows

package main

// useConsole does nothing: other systems provide standard input, output and error from the
// start.
func useConsole() (showFailure func()) { return func() {} }
