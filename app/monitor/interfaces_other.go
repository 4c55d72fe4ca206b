//go:build !darwin && !linux

package monitor

import (
	"context"

	"github.com/shirou/gopsutil/v4/net"
)

// interfaces returns the bytes that every interface has received and sent.
func (r *networkReader) interfaces(ctx context.Context) (counters, error) {
	stats, err := net.IOCountersWithContext(r.host.ctx(ctx), true)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller adds context
	}
	c := counters{}
	for _, s := range stats {
		c[s.Name] = [2]uint64{s.BytesRecv, s.BytesSent}
	}
	return c, nil
}
