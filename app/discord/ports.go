package discord

import (
	"context"
	"time"

	"mac-stats/agents"
	"mac-stats/app/discord/connection"
	"mac-stats/sessionmem/transcript"
)

// Client is what the bot does on Discord. connection.Connection implements it.
type Client interface {
	Bot() connection.User
	Place(ctx context.Context, id string) (connection.Place, error)
	Message(ctx context.Context, channel, id string) (connection.Message, error)
	Messages(ctx context.Context, channel, before string, limit int) ([]connection.Message, error)
	Send(ctx context.Context, channel string, out connection.Outgoing) (id string, err error)
	Edit(ctx context.Context, channel, message, text string) error
	Typing(ctx context.Context, channel string) error
	Download(ctx context.Context, address string, most int) ([]byte, error)
	Answer(ctx context.Context, cmd connection.Command, text string) error
	SetCommands(ctx context.Context, list []connection.SlashCommand) error
}

// Engine runs turns. agents.Engine implements it.
type Engine interface {
	Start(ctx context.Context, req agents.Request) *agents.Run
	Active(session string) *agents.Run
}

// Sessions is what the bot needs from the transcripts. sessionmem.Store implements it.
type Sessions interface {
	Context(ctx context.Context, name string) (transcript.Context, error)
	Reset(ctx context.Context, name string) error
	// Each calls each with the blocks of a session, in order.
	Each(ctx context.Context, name string, begin func(transcript.Info, string) error, each func(transcript.Block) error) error
	Correct(ctx context.Context, name string, notes ...transcript.Block) error
}

// Settings are the current settings of the bot, read for each message.
type Settings struct {
	Name            string // the name it answers to: "luna"
	HistoryTurns    int
	MessageMaxChars int
	TailCount       int
	MaxMsgs         int
	MaxChars        int
	MaxAge          time.Duration
	FetchTimeout    time.Duration
	ChannelBudget   int // characters of a channel's memory in a prompt
}
