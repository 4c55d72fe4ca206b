//go:build !windows

package autostart

// registryPlace returns nil: there is no registry here.
func registryPlace() place { return nil }
