//go:build !linux && !darwin

package recall

// lowerPriority does nothing where threads can't be put behind others this way.
func lowerPriority() {}
