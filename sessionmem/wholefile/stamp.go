package wholefile

import (
	"os"
	"time"
)

// Stamp tells whether a file is as it was.
type Stamp struct {
	Size  int64  `json:"size"`
	Time  int64  `json:"time"`            // of the last change, ns since 1970
	Inode uint64 `json:"inode,omitempty"` // 0 where the system has none
}

// StampOf gives the stamp of a file that was asked for.
func StampOf(fi os.FileInfo) Stamp {
	return Stamp{fi.Size(), fi.ModTime().UnixNano(), Inode(fi)}
}

// Settled says whether a change after that moment would give the file another
// time: file systems keep time in steps.
func (f Stamp) Settled(at time.Time) bool { return at.UnixNano()-f.Time > int64(settleTime) }

// settleTime is how long a file's time must lie back before time, size and
// identity alone prove it unchanged: file systems keep time in steps of up to 2 s.
const settleTime = 2 * time.Second

// StableTime is how long a file must be seen unchanged that another program emptied or
// cut short, until that is believed: it may be in the middle of a save.
const StableTime = time.Second

// Seen is a look at a file.
type Seen struct {
	Stat os.FileInfo // nil: there was none
	At   time.Time   // when stat was asked for
}

// Unchanged says whether the file is certain to be as it was seen.
func (s Seen) Unchanged(now os.FileInfo) bool {
	return s.Stat != nil && os.SameFile(s.Stat, now) && s.Stat.Size() == now.Size() && s.Stat.ModTime().Equal(now.ModTime()) &&
		s.At.Sub(now.ModTime()) > settleTime
}
