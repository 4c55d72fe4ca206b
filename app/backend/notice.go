package backend

import (
	"fmt"
	"path/filepath"
	"time"

	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/watch"
)

// NoticeKind sorts notices.
type NoticeKind string

// The kinds of notices.
const (
	NoticeReload   NoticeKind = "reload"   // a watched file was edited
	NoticeConfig   NoticeKind = "config"   // a setting could not be used
	NoticeStorage  NoticeKind = "storage"  // the data folder can't be written
	NoticeMemory   NoticeKind = "memory"   // something was learnt in the background, or waits in the inbox
	NoticeMissing  NoticeKind = "missing"  // another program's save took remembered lines out of a memory file; holds while they are missing
	NoticeDelete   NoticeKind = "delete"   // old sessions are going to be deleted
	NoticeUnsaved  NoticeKind = "unsaved"  // messages of a session are in memory alone, because the disk refuses them
	NoticeLogin    NoticeKind = "login"    // launch at login can't be what the setting says
	NoticeDiscord  NoticeKind = "discord"  // the bot can't go on, a stranger waits, or channels.toml can't be used
	NoticeHotkey   NoticeKind = "hotkey"   // the hotkey can't be taken
	NoticeAPI      NoticeKind = "api"      // the local API can't be offered
	NoticeCrash    NoticeKind = "crash"    // the app stopped unexpectedly before; holds until it is dismissed
	NoticeForgot   NoticeKind = "forgot"   // something was forgotten: what is shown of any session may be gone
	NoticeSchedule NoticeKind = "schedule" // a schedule or the heartbeat runs, or has ended: then with a text
	NoticeBadTimes NoticeKind = "badtimes" // schedules.toml can't be used as it is; holds until it can
	NoticeSessions NoticeKind = "sessions" // the session list changed (another process, an editor)
)

// Notice is something the user should know: a bad setting, a read-only folder, a
// reloaded file.
type Notice struct {
	Time    time.Time
	Kind    NoticeKind
	Text    string // "memory.md reloaded · +2 −1"
	Next    string // what to do; may be ""
	Session string // NoticeSessions, NoticeMemory, NoticeUnsaved, NoticeSchedule: which; "" for unknown
	Title   string // NoticeSchedule: the schedule's name; "" is the heartbeat

	Written  []memory.Written  // NoticeMemory: those with the same UndoID are one lesson, its undo takes all back
	Proposed []memory.Proposal // NoticeMemory: what was put into the inbox
	Waiting  int               // NoticeMemory: how many proposals wait in total

	Missing []memory.Dropped // NoticeMissing: the lines

	Forgot func(text string) bool // NoticeForgot: whether a text that is not sent yet holds it
}

// reloadNotice words a change of a watched file.
func reloadNotice(home string, c watch.Change) Notice {
	name := filepath.Base(c.Path)
	if rel, err := filepath.Rel(filepath.Join(home, "agents"), c.Path); err == nil && filepath.IsLocal(rel) {
		name = filepath.ToSlash(rel)
	}
	n := Notice{Time: c.At, Kind: NoticeReload}
	switch {
	case c.Gone:
		n.Text = name + " is gone"
	case c.Added == 0 && c.Removed == 0:
		n.Text = name + " reloaded"
	default:
		n.Text = fmt.Sprintf("%s reloaded · +%d −%d", name, c.Added, c.Removed)
	}
	return n
}
