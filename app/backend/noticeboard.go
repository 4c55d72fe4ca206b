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
)

// noticeBoard keeps the notices that hold, and tells each new one.
type noticeBoard struct {
	start  *start
	mu     sync.Mutex // guards list
	list   []Notice
	notify publisher
}

// Notices are those so far that still hold (bad settings, storage).
func (nb *noticeBoard) Notices() []Notice {
	nb.mu.Lock()
	defer nb.mu.Unlock()
	return slices.Clone(nb.list)
}

// OnNotice calls f for each new notice, in order, on one goroutine, until stop.
func (nb *noticeBoard) OnNotice(f func(Notice)) (stop func()) { return nb.notify.subscribe(f) }

// addNotice keeps a notice that holds until it is dropped, and tells it once.
func (nb *noticeBoard) addNotice(n Notice) {
	n.Time = time.Now()
	nb.mu.Lock()
	nb.list = append(nb.list, n)
	nb.mu.Unlock()
	nb.notify.publish(n)
}

// SetNotice tells a notice that takes the place of those of its kind; one without a
// text only takes them away.
func (nb *noticeBoard) SetNotice(n Notice) {
	nb.dropNotices(n.Kind)
	if n.Text != "" {
		nb.addNotice(n)
	}
}

// dropNoticesOf takes back the notices of a session; it reports whether there were any.
func (nb *noticeBoard) dropNoticesOf(kind NoticeKind, session string) bool {
	nb.mu.Lock()
	defer nb.mu.Unlock()
	before := len(nb.list)
	nb.list = slices.DeleteFunc(nb.list, func(n Notice) bool { return n.Kind == kind && n.Session == session })
	return len(nb.list) < before
}

func (nb *noticeBoard) dropNotices(kind NoticeKind) {
	nb.mu.Lock()
	defer nb.mu.Unlock()
	nb.list = slices.DeleteFunc(nb.list, func(n Notice) bool { return n.Kind == kind })
}

// addStorageNotice tells once that the data folder can't be written: one cause
// meets several files.
func (nb *noticeBoard) addStorageNotice(err error) {
	told := slices.ContainsFunc(nb.Notices(), func(n Notice) bool { return n.Kind == NoticeStorage })
	if told {
		nb.start.Logger.Warn("a file could not be written either", "error", err)
		return
	}
	nb.addNotice(Notice{
		Kind: NoticeStorage,
		Text: fmt.Sprintf("%s can't be written: %s", nb.start.Paths.Home, whyUnwritten(err)),
		Next: "What is there can be read, but nothing new is saved. Check the folder's owner and permissions and the free space.",
	})
}

// addInstallNotice tells of shipped files that are not in place: because nothing
// can be written, because one can't be read, or because something else of that name is
// in the way.
func (nb *noticeBoard) addInstallNotice(err error) {
	switch {
	case errors.Is(err, fs.ErrPermission) && nb.writable():
		nb.addNotice(Notice{
			Kind: NoticeStorage,
			Text: "not all shipped files are in place: " + strings.ReplaceAll(err.Error(), "\n", "; "),
			Next: "Give yourself access to them, then start mac-stats again.",
		})
		return
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOSPC):
		nb.addStorageNotice(err)
		return
	}
	nb.addNotice(Notice{
		Kind: NoticeStorage,
		Text: "not all shipped files are in place: " + strings.ReplaceAll(err.Error(), "\n", "; "),
		Next: "Move away what is in their place; they are written at the next start.",
	})
}

// writable reports whether files can be made where the shipped ones are.
func (nb *noticeBoard) writable() bool {
	for _, dir := range []string{nb.start.Paths.Home, filepath.Join(nb.start.Paths.Home, "agents")} {
		f, err := os.CreateTemp(dir, ".try-*")
		if err != nil {
			return false
		}
		_, _ = f.Close(), os.Remove(f.Name()) // empty, and of no use to anybody
	}
	return true
}

// whyUnwritten is a full disk in words that name no temporary file, else the error's.
func whyUnwritten(err error) string {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return "the disk is full"
	}
	return err.Error()
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
