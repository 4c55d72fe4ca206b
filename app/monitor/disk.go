package monitor

import (
	"context"
	"fmt"
	"time"

	"github.com/shirou/gopsutil/v4/disk"
)

// usageEvery is how often free space is read.
const usageEvery = 10 * time.Second

// diskReader reads free space and transfer rates.
type diskReader struct {
	host    host
	usageAt time.Time
	usage   disk.UsageStat
	volumes []volume
	rates   rates
	parts   rates // of the volumes' devices
	rated   bool  // whether a rate was measured before
}

func (r *diskReader) reset() {
	r.rates.reset()
	r.parts.reset()
	r.usageAt, r.rated = time.Time{}, false
}

func (r *diskReader) read(ctx context.Context) (func(*Snapshot), error) {
	ctx = r.host.ctx(ctx)
	if err := r.readUsage(ctx); err != nil {
		return nil, err
	}
	reading := DiskReading{Free: r.usage.Free, Total: r.usage.Total}
	perSecond, why := r.readRates(ctx)
	if why == errNotYet.Error() && !r.rated {
		return nil, errNotYet
	}
	r.rated = true
	reading.RateNA, reading.ReadRate, reading.WriteRate = why, perSecond[0], perSecond[1]
	reading.Volumes = r.volumeReadings()
	return func(s *Snapshot) { s.Disk = reading }, nil
}

func (r *diskReader) readUsage(ctx context.Context) error {
	if !r.usageAt.IsZero() && time.Since(r.usageAt) < usageEvery {
		return nil
	}
	home, err := r.host.home()
	if err != nil {
		return unavailableError(fmt.Sprintf("the home folder is not known: %v", err))
	}
	usage, err := disk.UsageWithContext(ctx, home)
	if err != nil {
		return fmt.Errorf("reading the space of %s: %w", home, err)
	}
	r.usageAt, r.usage, r.volumes = time.Now(), *usage, findVolumes(ctx, r.host)
	return nil
}

// readRates returns bytes per second read and written, or why there are none.
func (r *diskReader) readRates(ctx context.Context) (perSecond [2]float64, why string) {
	c, err := r.transfers(ctx)
	if err != nil {
		return perSecond, err.Error()
	}
	r.lookAtVolumes(c)
	r.wholeDisks(c)
	if len(c) == 0 {
		return perSecond, "the system reports no disk transfers"
	}
	perSecond, ok := r.rates.next(time.Now(), c)
	if !ok {
		return perSecond, errNotYet.Error()
	}
	return perSecond, ""
}
