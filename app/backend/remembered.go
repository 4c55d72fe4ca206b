package backend

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/memory"
)

// settleAgain and settleSeldom are the first and the longest delay before waiting changes
// are checked again, which another program's save of a memory file holds up. Without any,
// checks go on for settleOver.
const (
	settleAgain  = 300 * time.Millisecond
	settleOver   = 3 * time.Second // by then a save that nobody waits for is over
	settleSeldom = 10 * time.Second
)

// memoryKeeper finishes changes that waited for other programs' saves of the memory files,
// and reports lines that those saves dropped.
type memoryKeeper struct {
	app    *base
	memory *memory.Memory
	again  chan struct{} // capacity 1
}

// notice words a notice about new lessons and the number of proposals to review.
func (mk *memoryKeeper) notice(session string, kept compact.Kept) Notice {
	n := Notice{Time: time.Now(), Kind: NoticeMemory, Session: session, Written: kept.Written, Proposed: kept.Proposed}
	waiting, err := mk.memory.Inbox()
	if err != nil {
		mk.app.Logger.Warn("the inbox could not be read", "error", err)
	}
	for _, p := range waiting {
		if p.Why != memory.WhySaving { // such a proposal waits for a program, not for the user
			n.Waiting++
		}
	}
	var words, seen []string
	for _, w := range kept.Written {
		if !slices.Contains(seen, w.Text) {
			seen = append(seen, w.Text)
		}
	}
	if len(seen) > 0 {
		words = append(words, "remembered: "+strings.Join(seen, " · "))
	}
	switch n.Waiting {
	case 0:
		if len(words) == 0 {
			words = append(words, "no memories to review any more")
		}
	case 1:
		words = append(words, "1 memory to review")
	default:
		words = append(words, fmt.Sprintf("%d memories to review", n.Waiting))
	}
	n.Text = strings.Join(words, "; ")
	return n
}

// keep finishes waiting changes and reports dropped lines until Close. It sleeps until one
// of the files changes, checks then, and checks once more when a save that had begun is
// over.
func (mk *memoryKeeper) keep() {
	mk.app.work.Go(func() {
		wait := settleAgain
		for mk.app.ctx.Err() == nil {
			pending := mk.settle()
			mk.notifyMissing()
			var later <-chan time.Time
			if pending || wait < settleSeldom && wait > 0 {
				later = time.After(wait)
			}
			select {
			case <-mk.app.ctx.Done():
			case <-later:
				if wait = min(2*wait, settleSeldom); !pending && wait > settleOver {
					wait = 0
				}
			case <-mk.again:
				wait = settleAgain
			}
		}
	})
}

// LookAtMemory makes the app check the memory files again.
func (mk *memoryKeeper) LookAtMemory() {
	select {
	case mk.again <- struct{}{}:
	default: // a check is due already
	}
}

// settle reports whether a change still waits for another program's save.
func (mk *memoryKeeper) settle() (pending bool) {
	done, err := mk.memory.Settle(mk.app.ctx)
	if err != nil && mk.app.ctx.Err() == nil {
		mk.app.Logger.Warn("what waits for another program's save of the memory is not finished yet, it is tried again", "error", err)
		return true
	}
	if mk.app.watching {
		for _, w := range done.Written {
			mk.app.notify.publish(mk.notice(w.Session, compact.Kept{Written: []memory.Written{w}}))
		}
	}
	return done.Pending
}

// notifyMissing keeps one notice while remembered lines are missing from their files.
func (mk *memoryKeeper) notifyMissing() {
	missing := mk.memory.Dropped()
	text := MissingWords(missing)
	shown := slices.ContainsFunc(mk.app.Notices(), func(n Notice) bool { return n.Kind == NoticeMissing && n.Text == text })
	held := slices.ContainsFunc(mk.app.Notices(), func(n Notice) bool { return n.Kind == NoticeMissing })
	switch {
	case shown || text == "" && !held:
	case text == "":
		mk.app.dropNotices(NoticeMissing)
		mk.app.notify.publish(Notice{Time: time.Now(), Kind: NoticeReload, Text: "no remembered line is missing any more"})
	default:
		mk.app.SetNotice(Notice{Kind: NoticeMissing, Text: text, Missing: missing})
	}
}

// MissingWords lists for people the files that lack remembered lines; "" if none does.
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
