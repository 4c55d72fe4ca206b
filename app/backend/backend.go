// Package backend is everything of the app that has no screen: configuration,
// sessions, memory, agents, the model server and the monitor, opened once and
// used alike by the tray app, the commands and --headless.
//
// Open puts the parts together, in the order in which they need each other; Close ends
// what runs and closes them the other way round. Each subject is a type with a state and
// a lock of its own: the settings, the notices, the search index, the server that several
// machines share, forgetting, the schedules, what summarises, what looks after memory
// files and sessions. A part is given the parts below it, and a function where it has to
// reach one above; none is given the Backend.
//
// Nothing here draws or prints. What people should know is a Notice.
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

// Backend is the opened parts. The fields are set once and may be used directly.
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

	house  *housekeeper
	opened atomic.Pointer[sessionmem.Store] // Store, for the log, which writes before it is open
	close  func() error
}

// Close stops runs and watchers and removes a demo's temporary folder. It may be
// called more than once.
func (b *Backend) Close() error { return b.close() }

// SessionsChanged tells the window that another process wrote a session, and
// summarises it if it is due: that process leaves it to the app.
func (b *Backend) SessionsChanged(session string) {
	if session != "" && b.watching {
		b.Engine.CompactSoon(session)
	}
	b.Index.sessionChanged(session)
	b.Forgetting.tellForgot()
	b.Keeper.LookAtMemory()
	b.notify.publish(Notice{Time: time.Now(), Kind: NoticeSessions, Session: session})
}
