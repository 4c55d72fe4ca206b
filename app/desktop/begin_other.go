//go:build !windows && (!darwin || !cgo || ci)

package desktop

// begin: the system asks nothing of us but by its window system and by signals.
func (d *Desktop) begin() {}
