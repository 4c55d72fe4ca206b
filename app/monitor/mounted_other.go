//go:build !darwin && !linux

package monitor

import (
	"context"

	"github.com/shirou/gopsutil/v4/disk"
)

// mountedHere lists the volumes mounted from disks of this machine.
func mountedHere(ctx context.Context) []disk.PartitionStat {
	mounted, err := disk.PartitionsWithContext(ctx, false)
	if err != nil && len(mounted) == 0 {
		return nil
	}
	return mounted
}
