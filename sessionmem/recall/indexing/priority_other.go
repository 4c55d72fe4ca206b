//go:build !linux && !darwin

package indexing

// lowerPriority does nothing on systems without a priority per thread.
func lowerPriority() {}
