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

// noticeBoard keeps the current notices and publishes each new one.
type noticeBoard struct {
	start  *start
	mu     sync.Mutex // guards list
	list   []Notice
	notify publisher
}

// Notices returns the notices that still apply (invalid settings, storage).
func (nb *noticeBoard) Notices() []Notice {
	nb.mu.Lock()
	defer nb.mu.Unlock()
	return slices.Clone(nb.list)
}

// OnNotice calls f for each new notice, in order, on one goroutine, until stop is called.
func (nb *noticeBoard) OnNotice(f func(Notice)) (stop func()) { return nb.notify.subscribe(f) }

// addNotice publishes a notice and keeps it until it is dropped.
func (nb *noticeBoard) addNotice(n Notice) {
	n.Time = time.Now()
	nb.mu.Lock()
	nb.list = append(nb.list, n)
	nb.mu.Unlock()
	nb.notify.publish(n)
}

// SetNotice replaces the notices of the same kind with n; a notice without text only
// removes them.
func (nb *noticeBoard) SetNotice(n Notice) {
	nb.dropNotices(n.Kind)
	if n.Text != "" {
		nb.addNotice(n)
	}
}

// dropNoticesOf removes a session's notices of a kind and reports whether there were any.
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

// addStorageNotice reports once that the data folder can't be written, since one cause
// affects several files.
func (nb *noticeBoard) addStorageNotice(err error) {
	shown := slices.ContainsFunc(nb.Notices(), func(n Notice) bool { return n.Kind == NoticeStorage })
	if shown {
		nb.start.Logger.Warn("a file could not be written either", "error", err)
		return
	}
	nb.addNotice(Notice{
		Kind: NoticeStorage,
		Text: fmt.Sprintf("%s can't be written: %s", nb.start.Paths.Home, whyUnwritten(err)),
		Next: "What is there can be read, but nothing new is saved. Check the folder's owner and permissions and the free space.",
	})
}

// addInstallNotice reports default files that couldn't be installed: the folder can't be
// written, a file can't be read, or something else has its name.
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

// writable reports whether files can be created in the folders of the default files.
func (nb *noticeBoard) writable() bool {
	for _, dir := range []string{nb.start.Paths.Home, filepath.Join(nb.start.Paths.Home, "agents")} {
		f, err := os.CreateTemp(dir, ".try-*")
		if err != nil {
			return false
		}
		_, _ = f.Close(), os.Remove(f.Name()) // an empty probe file
	}
	return true
}

// whyUnwritten words a full disk without naming a temporary file; other errors keep their
// text.
func whyUnwritten(err error) string {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return "the disk is full"
	}
	return err.Error()
}

// publisher delivers notices to subscribers in order, each on its own goroutine. A slow
// subscriber queues; notices are few. The log gets each notice as it is published, so that
// none is missing after the stop.
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

// record makes publish call log with each notice, one at a time. log must not publish.
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
