package backend

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/memory"
)

// settleAgain and settleSeldom are how soon what waits for another program's save of a
// memory file is looked at again, at first and in the end; where nothing waits, it is
// looked at until settleOver.
const (
	settleAgain  = 300 * time.Millisecond
	settleOver   = 3 * time.Second // a save that nobody waits for is over
	settleSeldom = 10 * time.Second
)

// keepMemory finishes what waits for other programs' saves of the memory files, and
// tells of remembered lines that they dropped. It sleeps until one of the files changes,
// looks then, and once more when a save that had begun is over.
func (b *Backend) keepMemory() {
	b.work.Go(func() {
		wait := settleAgain
		for b.ctx.Err() == nil {
			pending := b.settleMemory()
			b.tellMissing()
			var later <-chan time.Time
			if pending || wait < settleSeldom && wait > 0 {
				later = time.After(wait)
			}
			select {
			case <-b.ctx.Done():
			case <-later:
				if wait = min(2*wait, settleSeldom); !pending && wait > settleOver {
					wait = 0
				}
			case <-b.memoryChanged:
				wait = settleAgain
			}
		}
	})
}

// LookAtMemory lets the app look at the memory files again, where it runs.
func (b *Backend) LookAtMemory() {
	select {
	case b.memoryChanged <- struct{}{}:
	default: // it is going to
	}
}

// settleMemory reports whether something waits for another program's save.
func (b *Backend) settleMemory() (pending bool) {
	done, err := b.Memory.Settle(b.ctx)
	if err != nil && b.ctx.Err() == nil {
		b.Logger.Warn("what waits for another program's save of the memory is not finished yet, it is tried again", "error", err)
		return true
	}
	if b.watching {
		for _, w := range done.Written {
			b.notify.publish(b.memoryNotice(w.Session, compact.Kept{Written: []memory.Written{w}}))
		}
	}
	return done.Pending
}

// tellMissing keeps one notice while remembered lines are missing from their files.
func (b *Backend) tellMissing() {
	missing := b.Memory.Dropped()
	text := MissingWords(missing)
	told := slices.ContainsFunc(b.Notices(), func(n Notice) bool { return n.Kind == NoticeMissing && n.Text == text })
	held := slices.ContainsFunc(b.Notices(), func(n Notice) bool { return n.Kind == NoticeMissing })
	switch {
	case told || text == "" && !held:
	case text == "":
		b.dropNotices(NoticeMissing)
		b.notify.publish(Notice{Time: time.Now(), Kind: NoticeReload, Text: "no remembered line is missing any more"})
	default:
		b.SetNotice(Notice{Kind: NoticeMissing, Text: text, Missing: missing})
	}
}

// MissingWords says which files remembered lines are missing from, for people; "" where
// none is.
func MissingWords(missing []memory.Dropped) string {
	if len(missing) == 0 {
		return ""
	}
	file := filepath.Base(missing[0].Path)
	for _, d := range missing {
		if d.Path != missing[0].Path {
			file = "the memory files"
		}
	}
	if len(missing) == 1 {
		return "1 remembered line is no longer in " + file
	}
	return fmt.Sprintf("%d remembered lines are no longer in %s", len(missing), file)
}
