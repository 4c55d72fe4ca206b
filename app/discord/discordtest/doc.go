// Package discordtest is a fake Discord on loopback: a gateway (a websocket), the REST
// calls that a bot makes, and the files of messages. Tests control what people write and
// what fails, and read the bot's requests.
//
// It imitates what a bot may have trouble with: sessions that can be resumed or not, missed
// heartbeats, close codes, rate limits, text withheld from a bot without the Message
// Content intent, echoes of the bot's own messages, threads whose starter is in the parent
// channel, a nonce that is sent twice.
package discordtest
