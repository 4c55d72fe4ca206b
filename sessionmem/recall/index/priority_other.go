//go:build !linux && !darwin

package index

// lowerPriority does nothing on systems without a priority per thread.
func lowerPriority() {}
