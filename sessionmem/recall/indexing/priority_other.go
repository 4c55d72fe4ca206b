//go:build !linux && !darwin

package indexing

// lowerPriority does nothing where threads can't be put behind others this way.
func lowerPriority() {}
