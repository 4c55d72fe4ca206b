package monitor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

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
	r.keepOutward(c)
	if len(c) == 0 {
		return nil, unavailableError("no network interface")
	}
	perSecond, ok := r.rates.next(time.Now(), c)
	if !ok {
		return nil, errNotYet
	}
	names := slices.Sorted(maps.Keys(c))
	if used := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return c[name] == [2]uint64{} }); len(used) > 0 {
		names = used
	}
	return func(s *Snapshot) {
		s.Network = NetworkReading{Interfaces: names, Down: perSecond[0], Up: perSecond[1]}
	}, nil
}
