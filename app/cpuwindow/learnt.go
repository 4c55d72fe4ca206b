package cpuwindow

import (
	"mac-stats/app/backend"
)

// learnt shows in its conversation what was remembered or proposed behind the
// scenes, by a compaction: with Undo, or to be decided.
func (w *Window) learnt(n backend.Notice) {
	c := w.convs[n.Session]
	if c == nil {
		return
	}
	c.AddLearnt(n.Written, n.Proposed, n.Time)
	w.painter.changed(c)
}
