package wholefile

import (
	"os"
	"time"
)

// Stamp identifies a state of a file: if it is equal, the file hasn't changed.
type Stamp struct {
	Size  int64  `json:"size"`
	Time  int64  `json:"time"`            // of the last change, in ns since 1970
	Inode uint64 `json:"inode,omitempty"` // 0 if the system has none
}

// StampOf returns the stamp of a file from its FileInfo.
func StampOf(fi os.FileInfo) Stamp {
	return Stamp{fi.Size(), fi.ModTime().UnixNano(), Inode(fi)}
}

// Settled reports whether any change after at would give the file another time. File
// systems keep time in steps.
func (f Stamp) Settled(at time.Time) bool { return at.UnixNano()-f.Time > int64(settleTime) }

// settleTime is how old a file's time must be for time, size and identity to prove that the
// file is unchanged: file systems keep time in steps of up to 2 s.
const settleTime = 2 * time.Second

// StableTime is how long a file that another program emptied or truncated must stay
// unchanged before it is trusted: it may be in the middle of a save.
const StableTime = time.Second

// Seen is what a stat of a file returned.
type Seen struct {
	Stat os.FileInfo // nil if there was no file
	At   time.Time   // the time of the stat
}

// Unchanged reports whether the file is certain to be as it was.
func (s Seen) Unchanged(now os.FileInfo) bool {
	return s.Stat != nil && os.SameFile(s.Stat, now) && s.Stat.Size() == now.Size() && s.Stat.ModTime().Equal(now.ModTime()) &&
		s.At.Sub(now.ModTime()) > settleTime
}
