// Package connection is what mac-stats uses of Discord, in types of its own: the
// gateway (a websocket that tells what happens) and the REST calls that answer.
//
// The types, routes and encodings are discordgo's. Its gateway is not used: it
// ignores close codes, identifies again on the socket that refused it, closes with
// a code that ends the session and knows no resume URL. Ours resumes where it can,
// waits with jitter where it can't, and stops with words for people where trying
// again is of no use.
//
// Rules:
//   - Nothing is ever sent that could ring a bell for many: allowed_mentions is
//     empty in every message.
//   - Waiting for a rate limit ends with the request's context.
//   - The token is in no error and no log line.
package connection
