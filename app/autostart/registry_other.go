//go:build !windows

package autostart

// registryPlace: there is no registry here.
func registryPlace() place { return nil }
