package backend

import (
	"fmt"
	"path/filepath"
	"time"

	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/watch"
)

// NoticeKind is the kind of a notice.
type NoticeKind string

// The kinds of notices.
const (
	NoticeReload   NoticeKind = "reload"   // a watched file was edited
	NoticeConfig   NoticeKind = "config"   // a setting can't be used
	NoticeStorage  NoticeKind = "storage"  // the data folder can't be written
	NoticeMemory   NoticeKind = "memory"   // a lesson was learned in the background, or waits in the inbox
	NoticeMissing  NoticeKind = "missing"  // another program's save removed remembered lines from a memory file; kept while they are missing
	NoticeDelete   NoticeKind = "delete"   // old sessions will be deleted soon
	NoticeUnsaved  NoticeKind = "unsaved"  // messages of a session are only in memory, because the disk refuses them
	NoticeLogin    NoticeKind = "login"    // launch at login can't be switched as configured
	NoticeDiscord  NoticeKind = "discord"  // the bot can't go on, a stranger waits for approval, or channels.toml is invalid
	NoticeHotkey   NoticeKind = "hotkey"   // another program has the hotkey
	NoticeAPI      NoticeKind = "api"      // the local API can't start
	NoticeCrash    NoticeKind = "crash"    // the app crashed earlier; kept until dismissed
	NoticeForgot   NoticeKind = "forgot"   // something was forgotten: messages on screen may be gone
	NoticeSchedule NoticeKind = "schedule" // a schedule or the heartbeat runs, or has ended, then with a text
	NoticeBadTimes NoticeKind = "badtimes" // schedules.toml is invalid; kept until it is corrected
	NoticeAhead    NoticeKind = "ahead"    // a model reads the next request in advance; Text is the model, "" at the end
	NoticeSessions NoticeKind = "sessions" // the session list changed (another process, an editor)
)

// Notice is something the user should know: an invalid setting, a read-only folder, a
// reloaded file.
type Notice struct {
	Time    time.Time
	Kind    NoticeKind
	Text    string // "memory.md reloaded · +2 −1"
	Next    string // what to do; may be ""
	Session string // NoticeSessions, NoticeMemory, NoticeUnsaved, NoticeSchedule: the session; "" if unknown
	Title   string // NoticeSchedule: the schedule's name; "" for the heartbeat

	Written  []memory.Written  // NoticeMemory: entries with the same UndoID are one lesson and are undone together
	Proposed []memory.Proposal // NoticeMemory: proposals added to the inbox
	Waiting  int               // NoticeMemory: total number of waiting proposals

	Missing []memory.Dropped // NoticeMissing: the lines

	Forgot func(text string) bool // NoticeForgot: reports whether an unsent text contains it
}

// reloadNotice words a notice about a changed file.
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
