//go:build !windows && (!darwin || !cgo || ci) && !(linux && cgo && !ci && (x11 || !wayland))

package desktop

// begin does nothing: the system only talks to us through its window system and signals.
func (d *Desktop) begin() {}
