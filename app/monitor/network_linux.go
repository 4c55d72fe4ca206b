package monitor

import (
	"maps"
	"math/bits"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// keepOutward leaves the interfaces that lead out of the machine, each byte once: those of
// hardware, as sysfs says. If none of them is up, what the widest route uses counts, which is
// the default route if there is one: in a container, or behind a modem that dials. A modem
// beside hardware counts too.
func (r *networkReader) keepOutward(c counters) {
	physical, up := map[string]bool{}, false
	for name := range c {
		dir := r.host.sys("class", "net", name)
		if exists(dir, "device") && filepath.Base(linked(dir, "device", "subsystem")) != "xen-backend" { // that is the other end of a guest's
			physical[name] = true
		}
	}
	for name := range maps.Clone(physical) {
		if r.repeats(name, physical) {
			delete(physical, name)
			continue
		}
		switch line(r.host.sys("class", "net", name, "operstate")) {
		case "down", "lowerlayerdown", "notpresent", "dormant":
		default: // also "unknown", as some drivers report
			up = true
		}
	}
	counted := physical
	routed, beyond := r.host.widestRoute()
	outward := false // whether hardware leads further than to the neighbours
	for name := range physical {
		outward = outward || beyond[name]
	}
	switch {
	case len(routed) == 0:
	case !up:
		counted = routed
	case !outward && r.host.dials(routed):
		maps.Copy(counted, routed)
	}
	maps.DeleteFunc(c, func(name string, _ [2]uint64) bool { return !counted[name] })
}

// repeats reports whether all of a hardware interface's traffic is also that of another: a
// function of the card that belongs to a virtual machine's own interface, a port of a switch
// behind a card, the end of a guest's function in a card that switches, or one that listens to
// what others carry by radio.
func (r *networkReader) repeats(name string, physical map[string]bool) bool {
	dir := r.host.sys("class", "net", name)
	if physical[filepath.Base(linked(dir, "master"))] {
		return true
	}
	if guestPort.MatchString(line(dir, "phys_port_name")) {
		return true
	}
	switch number(dir, "type") {
	case unix.ARPHRD_IEEE80211, unix.ARPHRD_IEEE80211_PRISM, unix.ARPHRD_IEEE80211_RADIOTAP:
		return true
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false // it has just gone
	}
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		lower, isLower := strings.CutPrefix(e.Name(), "lower_")
		return isLower && physical[lower] && filepath.Base(linked(r.host.sys("class", "net", lower, "master"))) != name
	})
}

// guestPort matches what the kernel calls the ends of functions (PF, VF, SF) in a card that
// switches, on the first or another controller; its outer ports are p0, p1.
var guestPort = regexp.MustCompile(`^(c\d+)?pf\d+([vs]f\d+)?$`)

// exists reports whether there is such an entry, even a link that leads nowhere.
func exists(parts ...string) bool {
	_, err := os.Lstat(filepath.Join(parts...))
	return err == nil
}

// linked returns where a symbolic link leads, "" if there is none.
func linked(parts ...string) string {
	target, err := os.Readlink(filepath.Join(parts...))
	if err != nil {
		return ""
	}
	return target
}

// dials reports whether a modem carries interfaces: they are PPP, but not over Ethernet.
func (h host) dials(interfaces map[string]bool) bool {
	for name := range interfaces {
		if number(h.sys("class", "net", name, "type")) != unix.ARPHRD_PPP {
			return false
		}
	}
	return strings.Count(line(h.proc("net", "pppoe")), "\n") == 0 // the first line names the columns
}

// widestRoute returns the interfaces of the route with the widest destination, which is the
// default route if there is one. Among several the one of IPv4 counts, then the one with the
// least metric. Only interfaces of equal routes are returned together. It also returns those
// that lead beyond the neighbours: with a route by a gateway, or to everywhere, as a modem
// without one has; of IPv6 only if no default route of IPv4 is there.
func (h host) widestRoute() (through, beyond map[string]bool) {
	var widest [3]uint64 // length of the prefix, version of IP, metric
	through, beyond = map[string]bool{}, map[string]bool{}
	add := func(name, flags string, prefix, version, metric uint64) {
		f, err := strconv.ParseUint(flags, 16, 32)
		if err != nil || f&unix.RTF_UP == 0 || f&unix.RTF_REJECT != 0 || name == "lo" {
			return
		}
		if f&unix.RTF_GATEWAY != 0 || prefix == 0 {
			beyond[name] = true
		}
		this := [3]uint64{prefix, version, metric}
		switch order := slices.Compare(this[:], widest[:]); {
		case len(through) == 0 || order < 0:
			widest, through = this, map[string]bool{name: true}
		case order == 0:
			through[name] = true
		}
	}
	// The columns are Iface Destination Gateway Flags RefCnt Use Metric Mask.
	for row := range strings.Lines(line(h.proc("net", "route"))) {
		f := strings.Fields(row)
		if len(f) < 8 {
			continue
		}
		mask, err := strconv.ParseUint(f[7], 16, 32)
		metric, errMetric := strconv.ParseUint(f[6], 10, 64)
		if err == nil && errMetric == nil { // not so in the line with the names of the columns
			add(f[0], f[3], uint64(bits.OnesCount64(mask)), 4, metric)
		}
	}
	if len(through) > 0 && widest[0] == 0 {
		return through, beyond
	}
	// The columns are destination, prefix, source, prefix, next hop, metric, references, use,
	// flags and interface. Each interface has routes to neighbours (fe80::) and to groups (ff00::).
	for row := range strings.Lines(line(h.proc("net", "ipv6_route"))) {
		f := strings.Fields(row)
		if len(f) < 10 || strings.HasPrefix(f[0], "fe8") || strings.HasPrefix(f[0], "ff") {
			continue
		}
		prefix, err := strconv.ParseUint(f[1], 16, 32)
		metric, errMetric := strconv.ParseUint(f[5], 16, 64)
		if err == nil && errMetric == nil {
			add(f[9], f[8], prefix, 6, metric)
		}
	}
	return through, beyond
}
