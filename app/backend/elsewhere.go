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

// elsewhereTime is how long the memory server is waited for by somebody who wants to read.
const elsewhereTime = 10 * time.Second

// Elsewhere gives what the memory server has of a session of another machine: its messages,
// without what was forgotten here. machine is its name, "" any; session.ErrNotFound where
// there is none.
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
		at := p.ServerPlace
		for i++; i < len(all) && all[i].Strand == at.Strand && all[i].Message == at.Message && all[i].Key == p.Key; i++ { // its other parts
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

// ServerName is where the memory server of the settings is, without a password.
func (sm *SharedMemory) ServerName() string {
	return postgres.Redacted(sm.app.Config().Recall.PostgresURL)
}

// TestServer connects to the memory server as the settings have it and tells how it is; nil
// where there is none.
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
