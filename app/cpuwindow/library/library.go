// Package library holds the sessions that the window lists, and the actions on a session:
// rename, pin, delete, undelete, fork, export, copy.
//
// The list is read off the UI goroutine, one reading at a time, and again after each action.
// The session the user looks at is marked as read. After an action the window offers Undo or
// Show, or shows the error. The Host opens a session in the chat or the viewer. Transcripts
// change only through Sessions and Marks. Methods are called on the UI goroutine unless they
// say otherwise.
package library

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"mac-stats/app/cpuwindow/sessions"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/sessionstate"
	"mac-stats/sessionmem/transcript"
)

// Host is what the list needs from the window.
type Host interface {
	Do(f func())              // runs f on the UI goroutine, later
	Context() context.Context // ends with the window
	Visible() bool            // the window is on the screen
	Notify(words, more string)
	Copy(text string)
	Offer(words, action string, do func()) // shows a message with an action; "" for none
	Current() string                       // the session the user looks at; "" for none
	Asking() map[string]bool               // the sessions in which a question waits
	Listed(infos []transcript.Info, asks bool)
	Deleted(name string) (wasShown bool) // called after a session was deleted
	ShowList()                           // opens the list if it is a closed drawer
	LeaveList()                          // moves the focus to the chat
	Type(r rune)                         // types a letter into the message
	Ways
}

// Ways open a session.
type Ways interface {
	OpenInfo(in transcript.Info) // in the chat if it can be continued, otherwise in the viewer
	ShowChatOf(name string)
	ReadAt(in transcript.Info, block, phrase string) // in the viewer
	OpenTranscript(session, path string)             // in the system's program for it
	OpenFile(path string)
	RevealFile(path string) // in the file manager
	ForgetSession(in transcript.Info)
}

// Parts holds what the list works on. All fields are required.
type Parts struct {
	Sessions   Sessions
	Marks      Marks
	Elsewhere  func(ctx context.Context, session, machine string) (*transcript.Transcript, error) // reads a session of another machine
	Attachment func(session string, a transcript.Attachment) ([]byte, error)
	Logger     *slog.Logger
}

// Sessions reads and changes transcripts. Its methods are called off the UI goroutine.
type Sessions interface {
	List(ctx context.Context) ([]transcript.Info, error)
	Load(ctx context.Context, name string) (*transcript.Transcript, error)
	LoadFile(path string) (*transcript.Transcript, error)
	SetTitle(ctx context.Context, name, title string) error
	Delete(ctx context.Context, name string) error
	Undelete(ctx context.Context, name string) (string, error)
	Fork(ctx context.Context, t *transcript.Transcript, through, source string) (string, error)
}

// Marks holds which sessions are pinned, read and exported. Its methods are called off the UI
// goroutine.
type Marks interface {
	Marks() (sessionstate.Marks, error)
	SetPinned(ctx context.Context, name string, pinned bool) error
	MarkRead(ctx context.Context, info transcript.Info) error
	MarkExported(ctx context.Context, name, file string) error
}

// Library is the list of sessions as last read.
type Library struct {
	List    *sessions.List
	host    Host
	parts   Parts
	infos   []transcript.Info
	marks   sessionstate.Marks // as of infos
	archive bool               // archived sessions are listed too
	opened  string             // the session that was last opened and marked as read
	pending atomic.Bool        // the list is being read
	again   bool               // something changed meanwhile; UI goroutine
}

// New returns an empty list.
func New(h Host, p Parts) *Library {
	l := &Library{host: h, parts: p}
	l.List = sessions.NewList(l.listActions())
	return l
}

// Infos returns all sessions, newest first.
func (l *Library) Infos() []transcript.Info { return l.infos }

// Named returns the writable session of a name, or false if there is none.
func (l *Library) Named(name string) (transcript.Info, bool) {
	if i := slices.IndexFunc(l.infos, func(in transcript.Info) bool { return in.Name == name && !in.ReadOnly }); i >= 0 {
		return l.infos[i], true
	}
	return transcript.Info{}, false
}

// Neighbour returns the chat that is by places further down the list than another one, wrapping
// around at the ends. It returns "" if there is none.
func (l *Library) Neighbour(name string, by int) string {
	var names []string
	at := -1
	for _, line := range l.List.Lines {
		if line.Heading != "" || !sessions.Continues(line.Info) {
			continue
		}
		if line.Info.Name == name {
			at = len(names)
		}
		names = append(names, line.Info.Name)
	}
	if len(names) == 0 {
		return ""
	}
	if at < 0 && by < 0 {
		at = 0
	}
	return names[(at+by+len(names))%len(names)]
}

// Sweep reads the list again and redraws it if it changed. It returns how long reading took.
// It is called off the UI goroutine.
func (l *Library) Sweep() time.Duration {
	began := time.Now()
	infos, err := l.parts.Sessions.List(l.host.Context())
	took := time.Since(began)
	if err == nil {
		l.host.Do(func() {
			if l.host.Visible() && !sameInfos(l.infos, infos) {
				l.Reload()
			}
		})
	}
	return took
}

func sameInfos(a, b []transcript.Info) bool {
	return slices.EqualFunc(a, b, func(x, y transcript.Info) bool {
		return x.Path == y.Path && x.Title == y.Title && x.Messages == y.Messages && x.Active.Equal(y.Active) && (x.Err == nil) == (y.Err == nil)
	})
}

// Act runs an action on files off the UI goroutine. Then it calls then, which may be nil, or
// shows the error, and reads the list again. what names the action in an error.
func (l *Library) Act(what string, action func(ctx context.Context) error, then func()) {
	go func() {
		err := action(l.host.Context())
		l.host.Do(func() {
			switch {
			case errors.Is(err, session.ErrBusy):
				l.host.Notify(i18n.With("{{.What}} isn't possible while an answer arrives", i18n.Places{"What": what}), i18n.T("Stop the answer first, or wait for it."))
			case err != nil:
				l.host.Notify(i18n.With("{{.What}} failed: {{.Error}}", i18n.Places{"What": what, "Error": err.Error()}), "")
			case then != nil:
				then()
			}
			l.Reload()
		})
	}()
}

// Changed reads the list again if it is visible. Any goroutine may call it.
func (l *Library) Changed() {
	l.host.Do(func() {
		if l.host.Visible() {
			l.Reload()
		}
	})
}

// Reload reads the list off the UI goroutine. A call during a reading causes another reading
// after it.
func (l *Library) Reload() {
	if !l.pending.CompareAndSwap(false, true) {
		l.again = true
		return
	}
	go func() {
		infos, err := l.parts.Sessions.List(l.host.Context())
		marks, marksErr := l.parts.Marks.Marks()
		l.host.Do(func() {
			l.pending.Store(false)
			if l.again {
				l.again = false
				l.Reload()
			}
			if err != nil {
				l.host.Notify(i18n.T("The conversations can't be listed"), i18n.With("Is the session folder still there? {{.Error}}", i18n.Places{"Error": err.Error()}))
				return
			}
			if marksErr != nil {
				l.host.Notify(i18n.With("Couldn't read which conversations are pinned or read: {{.Error}}", i18n.Places{"Error": marksErr.Error()}), "")
			}
			l.infos, l.marks = infos, marks
			l.Draw()
			l.markRead()
		})
	}()
}

// Draw draws the list as last read.
func (l *Library) Draw() {
	current := l.host.Current()
	asking := l.host.Asking()
	delete(asking, current)
	l.List.Show(sessions.Lines(l.infos, sessions.Notes{Marks: l.marks, Shown: current, Asking: asking}, l.archive, time.Now()), current)
	l.host.Listed(l.infos, len(asking) > 0)
	if current != l.opened {
		l.opened = current
		l.markOpened(current)
	}
}

// markRead marks the session that the user looks at as read.
func (l *Library) markRead() {
	name := l.host.Current()
	for _, in := range l.infos {
		if !l.host.Visible() || in.Name != name || in.ReadOnly || in.Err != nil {
			continue
		}
		fresh := l.marks.Unread(in) > 0
		go func() {
			err := l.parts.Marks.MarkRead(l.host.Context(), in)
			if err != nil && l.host.Context().Err() == nil {
				l.parts.Logger.Warn("what was read is not kept", "session", in.Name, "error", err)
			}
			if err == nil && fresh {
				l.Changed() // it is no longer new, even if another one is shown by now
			}
		}()
	}
}

// markOpened marks a session that was just opened as read, if it has new messages.
func (l *Library) markOpened(name string) {
	if slices.ContainsFunc(l.infos, func(in transcript.Info) bool { return in.Name == name && l.marks.Unread(in) > 0 }) {
		l.markRead()
	}
}
