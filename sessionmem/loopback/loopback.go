// Package loopback reports whether an address stays on this machine.
//
// It never resolves a name: what DNS answers can change between the check and the
// connection.
package loopback

import (
	"net"
	"net/netip"
	"strings"
)

// Is reports whether host, with or without a port, is localhost or a loopback address.
// An unspecified address (0.0.0.0) is not: a web page may send that to reach local servers.
func Is(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}
