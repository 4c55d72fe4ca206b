package backend

import (
	"context"
	"fmt"
	"time"

	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/postgres"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// elsewhereTime is how long a reader waits for the memory server.
const elsewhereTime = 10 * time.Second

// Elsewhere returns the messages that the memory server holds of a session of another
// machine, without those forgotten here. machine is that machine's name; "" means any. The
// error is session.ErrNotFound if there is no such session.
func (sm *SharedMemory) Elsewhere(ctx context.Context, name, machine string) (*transcript.Transcript, error) {
	server, err := sm.Server()
	if err != nil {
		return nil, err
	}
	notFound := fmt.Errorf("%w: %s isn't on the memory server", session.ErrNotFound, name)
	if server == nil {
		return nil, notFound
	}
	ctx, stop := context.WithTimeout(ctx, elsewhereTime)
	defer stop()
	all, err := server.Messages(ctx, name, machine)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, notFound
	}
	first := &all[0]
	t := &transcript.Transcript{Info: transcript.Info{Name: name, Source: first.Source, Machine: first.Machine, ReadOnly: true, Started: first.Time}}
	forgotten := sm.store.Forgotten().Traces()
	for i := 0; i < len(all) && all[i].Machine == first.Machine; {
		p := &all[i]
		block := transcript.Block{ID: p.Block, Kind: transcript.Kind(p.Kind), Agent: p.Agent, Time: p.Time, Text: p.Text}
		for i++; i < len(all) && all[i].Block == p.Block && all[i].Part > 0 && all[i].Machine == p.Machine; i++ { // its other parts
			block.Text += "\n\n" + all[i].Text
		}
		block, _, _ = forgotten.Clean(name, block)
		t.Blocks = append(t.Blocks, block)
		t.Info.Active = block.Time
		if block.Kind == transcript.KindUser || block.Kind == transcript.KindAssistant {
			t.Info.Messages++
		}
	}
	return t, nil
}

// ServerName returns the address of the configured memory server, without a password.
func (sm *SharedMemory) ServerName() string {
	return postgres.Redacted(sm.app.Config().Recall.PostgresURL)
}

// TestServer connects to the configured memory server and returns its status; nil if none
// is configured.
func (sm *SharedMemory) TestServer(ctx context.Context) (*recall.ServerStatus, error) {
	server, err := sm.Server()
	if err != nil || server == nil {
		return nil, err
	}
	status, err := server.Status(ctx)
	if err != nil {
		return nil, err
	}
	return &status, nil
}
