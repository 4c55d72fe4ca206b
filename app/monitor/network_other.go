//go:build !linux

package monitor

import (
	"maps"
	"regexp"
)

// notCounted matches interfaces whose traffic stays inside the machine, or repeats another
// interface's: loopback, bridges and tunnels.
var notCounted = regexp.MustCompile(`^(?:lo\d*|tun\d*|tap\d*|utun\d*|wg\d*|bridge\d*|awdl\d*|llw\d*)$`)

// keepOutward leaves the interfaces that lead out of the machine.
func (r *networkReader) keepOutward(c counters) {
	maps.DeleteFunc(c, func(name string, _ [2]uint64) bool { return notCounted.MatchString(name) })
}
