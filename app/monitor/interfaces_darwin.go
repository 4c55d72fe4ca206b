package monitor

import (
	"context"

	"golang.org/x/net/route"
	"golang.org/x/sys/unix"
)

// interfaces gives the bytes every interface has received and sent: one call of the
// kernel, where gopsutil starts a program each time.
func (r *networkReader) interfaces(context.Context) (counters, error) {
	list, err := route.FetchRIB(unix.AF_UNSPEC, route.RIBType(unix.NET_RT_IFLIST2), 0)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller says what it is about
	}
	return parseIFList2(list), nil
}
