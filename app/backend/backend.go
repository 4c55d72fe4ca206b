// Package backend is the part of the app without a screen: configuration, sessions, memory,
// agents, the model server and the monitor. The tray app, the commands and --headless all
// open it.
//
// Open creates the parts in order of dependency; Close stops them and closes them in
// reverse. Each subject is a type with its own state and lock: settings, notices, the
// search index, the server shared by several machines, forgetting, schedules, compaction,
// and the upkeep of memory files and sessions. A part gets the parts below it, and a
// function if it has to reach one above; none gets the Backend.
//
// Nothing here draws or prints. Anything people should know is a Notice.
package backend

import (
	"sync/atomic"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/ollama"
	"mac-stats/agents/registry"
	"mac-stats/app/discord/service"
	"mac-stats/app/monitor"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
)

// Backend holds the opened parts. Its fields are set once and may be used directly.
type Backend struct {
	*base
	Store      *sessionmem.Store
	Memory     *memory.Memory
	Registry   *registry.Registry
	Client     *ollama.Client
	Models     *ollama.Catalog
	Engine     *agents.Engine
	Monitor    *monitor.Monitor
	Discord    *service.Service
	Schedules  *Schedules
	Compaction *Compaction
	Index      *Index
	Shared     *SharedMemory
	Forgetting *Forgetting
	Keeper     *memoryKeeper
	Crashes    *Crashes
	Outside    *Outside

	ServerToken *ServerToken

	house  *housekeeper
	ahead  atomic.Pointer[string]           // the model that reads in advance; nil or "" if none does
	opened atomic.Pointer[sessionmem.Store] // the same as Store, for the log, which writes before the store is open
	close  func() error
}

// Close stops runs and watchers and removes a demo's temporary folder. It may be called
// more than once.
func (b *Backend) Close() error { return b.close() }

// ChangedElsewhere is SessionsChanged for what a command reports: asked says that somebody
// sent a message in a terminal, so that the conversation goes on.
func (b *Backend) ChangedElsewhere(session string, asked bool) {
	if !asked {
		b.SessionsChanged(session)
		return
	}
	b.Engine.Asked(session)
	b.announce(session)
}

// SessionsChanged notifies the window that another process wrote a session, and summarises
// the session if it is due: the other process leaves that to the app.
func (b *Backend) SessionsChanged(session string) {
	if session != "" && b.watching {
		b.Engine.CompactSoon(session)
	}
	b.announce(session)
}

// announce notifies those who show sessions or search them that one changed.
func (b *Backend) announce(session string) {
	b.Index.changed()
	b.Forgetting.notifyForgotten()
	b.Keeper.LookAtMemory()
	b.notify.publish(Notice{Time: time.Now(), Kind: NoticeSessions, Session: session})
}
