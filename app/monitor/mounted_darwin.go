package monitor

import (
	"context"

	"github.com/shirou/gopsutil/v4/disk"
	"golang.org/x/sys/unix"
)

// mountedHere lists the volumes mounted from disks of this machine, without calling any
// file system: a share whose server is gone would not answer.
func mountedHere(context.Context) []disk.PartitionStat {
	n, err := unix.Getfsstat(nil, unix.MNT_NOWAIT)
	if err != nil {
		return nil
	}
	all := make([]unix.Statfs_t, n)
	if n, err = unix.Getfsstat(all, unix.MNT_NOWAIT); err != nil {
		return nil
	}
	var mounted []disk.PartitionStat
	for _, s := range all[:min(n, len(all))] {
		if s.Flags&unix.MNT_LOCAL != 0 {
			mounted = append(mounted, disk.PartitionStat{
				Device: unix.ByteSliceToString(s.Mntfromname[:]), Mountpoint: unix.ByteSliceToString(s.Mntonname[:]),
			})
		}
	}
	return mounted
}
