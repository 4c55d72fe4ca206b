// Package discord connects the agents to Discord: the same agents as in the window, in a
// channel, with a memory for each place and person.
//
// The way of a message:
//
//	connection → intake (is it for the bot, may its author talk, was it seen, limits)
//	→ debounce → queue (bounded, fair between channels) → worker: the conversation around
//	it → a turn of the engine → one draft that is edited → the answer
//
// Bot decides what to do with a message, waiting gathers and queues, answerer answers,
// commands carries out commands, record follows edits, people knows who is forgotten, and
// tasks tracks work in progress. Each has a lock of its own and uses a desk: Discord, the
// settings, the log.
//
// Rules:
//   - The ID of a channel or thread names the session. Nothing of one place reaches another.
//     Global memory never reaches a server's channel.
//   - The transcript is the truth. state.db repeats the last messages of each channel, by ID.
//   - Nothing is answered twice, and an answer pings nobody.
//   - /stop and /status always get through; everything else may have to wait.
//   - What people write is text: never a path, and never a command to this program apart from
//     the few defined ones. No log above debug level contains it.
package discord
