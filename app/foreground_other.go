//go:build !windows

package main

// allowForeground does nothing: these systems need no permission, or the request has a
// token.
func allowForeground() {}
