package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
)

// errPrivateAddress reports that the address isn't on the public internet.
var errPrivateAddress = errors.New("that address is not on the public internet, and FETCH_URL reads nothing else")

// closedNetworks are networks from which no page may be read, in addition to those that
// netip classifies: IANA's special-purpose registries for IPv4 and IPv6, and the two cloud
// metadata services outside the link-local range.
var closedNetworks = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // carrier-grade NAT; includes Alibaba's metadata service
	netip.MustParsePrefix("168.63.129.16/32"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::ffff:0:0:0/96"), // IPv4 translated by SIIT
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"), // Teredo, ORCHID and other protocol assignments
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("3fff::/20"),
	netip.MustParsePrefix("5f00::/16"),
	netip.MustParsePrefix("fec0::/10"),
}

// The IPv6 networks whose addresses contain an IPv4 address, and its position.
var (
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
	sixToIV = netip.MustParsePrefix("2002::/16")
	ivCompt = netip.MustParsePrefix("::/96")
)

// isPublic reports whether ip is on the public internet.
func isPublic(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if !ip.IsValid() || ip.IsUnspecified() || ip.IsLoopback() || ip.IsPrivate() || ip.IsMulticast() ||
		ip.IsLinkLocalUnicast() || ip.IsInterfaceLocalMulticast() || !ip.IsGlobalUnicast() {
		return false
	}
	for _, network := range closedNetworks {
		if network.Contains(ip) {
			return false
		}
	}
	if inner, ok := embedded(ip); ok {
		return isPublic(inner)
	}
	return true
}

// IsRemote reports whether pages may be read from ip: it must be on the public internet,
// and neither this machine's own address nor in one of its networks. At home, every device
// has a public IPv6 address, and its services trust their neighbours.
func IsRemote(ip netip.Addr) bool {
	if !isPublic(ip) {
		return false
	}
	own, err := net.InterfaceAddrs()
	return err == nil && !isNear(ip, own)
}

// isNear reports whether ip is one of these addresses or in one of their networks. Very
// wide networks, such as a tunnel's (the whole internet), don't count.
func isNear(ip netip.Addr, own []net.Addr) bool {
	const widestIPv4, widestIPv6 = 16, 48 // bits of a prefix
	ip = ip.Unmap().WithZone("")
	for _, a := range own {
		ipNet, ok := a.(*net.IPNet)
		if !ok {
			continue
		}
		addr, ok := netip.AddrFromSlice(ipNet.IP)
		if !ok {
			continue
		}
		addr = addr.Unmap().WithZone("")
		ones, bits := ipNet.Mask.Size()
		bits -= ones // bits of the host part
		network := netip.PrefixFrom(addr, addr.BitLen()-bits)
		widest := widestIPv6
		if addr.Is4() {
			widest = widestIPv4
		}
		if addr == ip || network.IsValid() && network.Bits() >= widest && network.Contains(ip) {
			return true
		}
	}
	return false
}

// embedded returns the IPv4 address that an IPv6 address contains.
func embedded(ip netip.Addr) (netip.Addr, bool) {
	if ip.Is4() {
		return netip.Addr{}, false
	}
	b := ip.As16()
	switch {
	case nat64.Contains(ip), ivCompt.Contains(ip):
		return netip.AddrFrom4([4]byte(b[12:16])), true
	case sixToIV.Contains(ip):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	}
	return netip.Addr{}, false
}

// guard returns a dialer's Control. It sees the address that is actually dialed, after DNS
// and for each redirect, so that no name can bypass it.
func guard(allow func(netip.Addr) bool) func(network, address string, _ syscall.RawConn) error {
	return func(network, address string, _ syscall.RawConn) error {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return fmt.Errorf("reading the address dialled: %w", err)
		}
		ip, err := netip.ParseAddr(host)
		if err != nil {
			return fmt.Errorf("reading the address dialled: %w", err)
		}
		if network != "tcp4" && network != "tcp6" && network != "tcp" || !allow(ip) {
			return errPrivateAddress
		}
		return nil
	}
}
