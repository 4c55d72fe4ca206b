// Package connection is what mac-stats uses of Discord, in types of its own: the
// gateway (a websocket that tells what happens) and the REST calls that answer.
//
// Every field of what Discord sends is read by itself (see fields): one that is missing,
// or of a type that nobody expects, costs itself and nothing else. Of the answer to a
// message that was posted the id alone is read. The gateway resumes a session where it
// can, waits with jitter where it can't, and stops with words for people where trying
// again is of no use.
//
// Rules:
//   - Nothing is ever sent that could ring a bell for many: allowed_mentions is
//     empty in every message.
//   - Waiting for a rate limit ends with the request's context.
//   - The token is in no error and no log line.
package connection
