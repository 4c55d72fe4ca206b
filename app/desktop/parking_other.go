//go:build cgo && !ci && (!linux || (wayland && !x11))

package desktop

func newParking() parking { return &eventParking{} }
