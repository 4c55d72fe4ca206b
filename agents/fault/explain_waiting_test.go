package fault

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"mac-stats/sessionmem/session"
)

func TestWaitingMessagesAreExplained(t *testing.T) {
	const kept = " You can go on: what is not saved is kept in memory and written by itself as soon as that works."
	for _, tt := range []struct {
		in             session.Refused
		sentence, next string
	}{
		{
			session.Refused{Messages: 2, Err: &fs.PathError{Op: "write", Path: "x.md", Err: syscall.ENOSPC}},
			"2 messages are not saved yet: the disk is full.", "Free some space." + kept + " Quitting before would lose it.",
		},
		{
			session.Refused{Messages: 1, Rescued: true, Err: &fs.PathError{Op: "stat", Path: "/data/session", Err: syscall.ENOENT}},
			"1 message is not saved yet: its folder is gone: /data/session.", "Put it back if you moved it." + kept,
		},
		{
			session.Refused{Messages: 3, Rescued: true, Err: &fs.PathError{Op: "open", Path: "x.md", Err: fs.ErrPermission}},
			"3 messages are not saved yet: no permission to open x.md.", "Give yourself access to it, or set MAC_STATS_HOME to another folder." + kept,
		},
		{
			session.Refused{Messages: 3, Rescued: true, Err: errors.New("odd")},
			"3 messages are not saved yet: odd.", "Check the disk." + kept,
		},
	} {
		e := ExplainWaiting(tt.in)
		if e.Kind != KindDisk || e.Sentence != tt.sentence || e.Next != tt.next {
			t.Errorf("%v:\n%q\n%q", tt.in.Err, e.Sentence, e.Next)
		}
	}
}
