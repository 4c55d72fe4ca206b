package backend

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"mac-stats/agents"
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
	Text    string               // "memory.md reloaded · +2 −1"
	Next    string               // what to do; may be ""
	Session string               // NoticeSessions, NoticeMemory, NoticeUnsaved, NoticeSchedule: which; "" for unknown
	Title   string               // NoticeSchedule: the schedule's name; "" is the heartbeat
	Reload  *agents.MemoryChange // NoticeReload of a memory file
	Changes []watch.Change       // NoticeReload

	Written  []memory.Written  // NoticeMemory: those with the same UndoID are one lesson, its undo takes all back
	Proposed []memory.Proposal // NoticeMemory: what was put into the inbox
	Waiting  int               // NoticeMemory: how many proposals wait in total

	Missing []memory.Dropped // NoticeMissing: the lines

	Forgot func(text string) bool // NoticeForgot: whether a text that is not sent yet holds it
}

// Notices are those so far that still hold (bad settings, storage).
func (b *Backend) Notices() []Notice {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.notices)
}

// OnNotice calls f for each new notice, in order, on one goroutine, until stop.
func (b *Backend) OnNotice(f func(Notice)) (stop func()) { return b.notify.subscribe(f) }

// SessionsChanged tells the window that another process wrote a session, and
// summarises it if it is due: that process leaves it to the app.
func (b *Backend) SessionsChanged(session string) {
	if session != "" && b.watching {
		b.Engine.CompactSoon(session)
	}
	b.indexSession(session)
	b.tellForgot()
	b.LookAtMemory()
	b.notify.publish(Notice{Time: time.Now(), Kind: NoticeSessions, Session: session})
}

// addNotice keeps a notice that holds until it is dropped, and tells it once.
func (b *Backend) addNotice(n Notice) {
	n.Time = time.Now()
	b.mu.Lock()
	b.notices = append(b.notices, n)
	b.mu.Unlock()
	b.notify.publish(n)
}

// SetNotice tells a notice that takes the place of those of its kind; one without a
// text only takes them away.
func (b *Backend) SetNotice(n Notice) {
	b.dropNotices(n.Kind)
	if n.Text != "" {
		b.addNotice(n)
	}
}

func (b *Backend) dropNotices(kind NoticeKind) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notices = slices.DeleteFunc(b.notices, func(n Notice) bool { return n.Kind == kind })
}

// addStorageNotice tells once that the data folder can't be written: one cause
// meets several files.
func (b *Backend) addStorageNotice(err error) {
	told := slices.ContainsFunc(b.Notices(), func(n Notice) bool { return n.Kind == NoticeStorage })
	if told {
		b.Logger.Warn("a file could not be written either", "error", err)
		return
	}
	b.addNotice(Notice{
		Kind: NoticeStorage,
		Text: fmt.Sprintf("%s can't be written: %s", b.Paths.Home, whyUnwritten(err)),
		Next: "What is there can be read, but nothing new is saved. Check the folder's owner and permissions and the free space.",
	})
}

// whyUnwritten is a full disk in words that name no temporary file, else the error's.
func whyUnwritten(err error) string {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return "the disk is full"
	}
	return err.Error()
}

// addInstallNotice tells of shipped files that are not in place: because nothing
// can be written, because one can't be read, or because something else of that name is
// in the way.
func (b *Backend) addInstallNotice(err error) {
	switch {
	case errors.Is(err, fs.ErrPermission) && b.writable():
		b.addNotice(Notice{
			Kind: NoticeStorage,
			Text: "not all shipped files are in place: " + strings.ReplaceAll(err.Error(), "\n", "; "),
			Next: "Give yourself access to them, then start mac-stats again.",
		})
		return
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOSPC):
		b.addStorageNotice(err)
		return
	}
	b.addNotice(Notice{
		Kind: NoticeStorage,
		Text: "not all shipped files are in place: " + strings.ReplaceAll(err.Error(), "\n", "; "),
		Next: "Move away what is in their place; they are written at the next start.",
	})
}

// writable reports whether files can be made where the shipped ones are.
func (b *Backend) writable() bool {
	for _, dir := range []string{b.Paths.Home, filepath.Join(b.Paths.Home, "agents")} {
		f, err := os.CreateTemp(dir, ".try-*")
		if err != nil {
			return false
		}
		_, _ = f.Close(), os.Remove(f.Name()) // empty, and of no use to anybody
	}
	return true
}

// reloadNotice words a change of a watched file.
func reloadNotice(home string, c watch.Change) Notice {
	name := filepath.Base(c.Path)
	if rel, err := filepath.Rel(filepath.Join(home, "agents"), c.Path); err == nil && filepath.IsLocal(rel) {
		name = filepath.ToSlash(rel)
	}
	n := Notice{Time: c.At, Kind: NoticeReload, Changes: []watch.Change{c}}
	switch {
	case c.Gone:
		n.Text = name + " is gone"
	case c.Added == 0 && c.Removed == 0:
		n.Text = name + " reloaded"
	default:
		n.Text = fmt.Sprintf("%s reloaded · +%d −%d", name, c.Added, c.Removed)
	}
	if filepath.Base(c.Path) == "memory.md" {
		n.Reload = &agents.MemoryChange{Path: c.Path, Added: c.Added, Removed: c.Removed}
	}
	return n
}

// publisher hands notices to subscribers, each on a goroutine of its own, in
// order. A subscriber that is behind queues; notices are few. The log gets each notice
// as it is published, so that none is missing from it after the stop.
type publisher struct {
	mu     sync.Mutex
	log    func(Notice)
	subs   map[*subscriber]bool
	closed bool
}

type subscriber struct {
	mu    sync.Mutex
	queue []Notice
	wake  chan struct{}
	done  chan struct{}
	once  sync.Once
}

func (p *publisher) subscribe(f func(Notice)) (stop func()) {
	s := &subscriber{wake: make(chan struct{}, 1), done: make(chan struct{})}
	p.mu.Lock()
	if p.subs == nil {
		p.subs = map[*subscriber]bool{}
	}
	closed := p.closed
	if !closed {
		p.subs[s] = true
	}
	p.mu.Unlock()
	if closed {
		return func() {}
	}
	go s.run(f)
	return func() {
		p.mu.Lock()
		delete(p.subs, s)
		p.mu.Unlock()
		s.stop()
	}
}

// record has log called for each notice, one at a time. It must not publish.
func (p *publisher) record(log func(Notice)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log = log
}

func (p *publisher) publish(n Notice) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.log != nil {
		p.log(n)
	}
	for s := range p.subs {
		s.push(n)
	}
}

func (p *publisher) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for s := range p.subs {
		s.stop()
	}
	p.subs = nil
}

func (s *subscriber) stop() { s.once.Do(func() { close(s.done) }) }

func (s *subscriber) push(n Notice) {
	s.mu.Lock()
	s.queue = append(s.queue, n)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *subscriber) run(f func(Notice)) {
	for {
		select {
		case <-s.done:
			return
		case <-s.wake:
		}
		s.mu.Lock()
		queue := s.queue
		s.queue = nil
		s.mu.Unlock()
		for _, n := range queue {
			select {
			case <-s.done:
				return
			default:
				f(n)
			}
		}
	}
}
