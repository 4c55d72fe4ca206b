// Package discord is the Discord entry point: the same agents as in the window, in
// a channel, with a memory for each place and person.
//
// How a message goes:
//
//	connection → intake (is it for the bot, may its author talk, was it seen, limits)
//	→ debounce → queue (bounded, fair between channels) → worker: what others said
//	around it → a turn of the engine → one draft that is edited → the answer
//
// Bot decides what a message is; waiting gathers and queues, answerer answers, commands
// does what is ordered, record follows edits, people knows who is forgotten, tasks what is
// under way. Each has a lock of its own and stands on a desk: Discord, the settings, the log.
//
// Rules:
//   - A channel's or thread's id is the session; nothing of one place reaches
//     another. Global memory never reaches a server's channel.
//   - The transcript is the truth. state.db is a window over it, by message id.
//   - Nothing is answered twice, and nobody is rung by an answer.
//   - /stop and /status always get through; everything else may be told to wait.
//   - What people write is text: never a path, never an order to this program
//     beyond the few commands there are. It is in no log above debug level.
package discord
