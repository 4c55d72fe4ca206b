//go:build !linux && !darwin

package monitor

// pressure is unknown on this system.
func pressure(host) (string, error) {
	return "", unavailableError("not reported by this system")
}
