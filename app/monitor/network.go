package monitor

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"time"
)

// notCounted matches interfaces whose traffic stays inside the machine, or repeats another
// interface's: loopback, bridges and tunnels.
var notCounted = regexp.MustCompile(`^(?:lo\d*|veth.*|docker\d*|br-.*|virbr\d*|tun\d*|tap\d*|utun\d*|wg\d*|bridge\d*|awdl\d*|llw\d*)$`)

// networkReader reads the transfer rates of the interfaces that lead out of the machine.
type networkReader struct {
	host  host
	rates rates
}

func (r *networkReader) reset() { r.rates.reset() }

func (r *networkReader) read(ctx context.Context) (func(*Snapshot), error) {
	c, err := r.interfaces(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading network counters: %w", err)
	}
	maps.DeleteFunc(c, func(name string, _ [2]uint64) bool { return notCounted.MatchString(name) })
	if len(c) == 0 {
		return nil, unavailableError("no network interface")
	}
	perSecond, ok := r.rates.next(time.Now(), c)
	if !ok {
		return nil, errNotYet
	}
	return func(s *Snapshot) { s.Network = NetworkReading{Down: perSecond[0], Up: perSecond[1]} }, nil
}
