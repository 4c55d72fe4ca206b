// Package discordtest is a Discord of its own on loopback: a gateway (a websocket),
// the REST calls a bot makes, and the files of messages. Tests say what people
// write and what goes wrong, and read what the bot asked for.
//
// It keeps to what Discord does where a bot could stumble over it: sessions that
// are resumed or not, missed heartbeats, close codes, rate limits, text withheld
// from a bot without the Message Content intent, echoes of the bot's own messages,
// threads whose starter stands in the channel above, a nonce that is sent twice.
package discordtest
