// Package connection provides the part of Discord that mac-stats uses, in types of its own:
// the gateway (a websocket for events) and the REST calls to answer them.
//
// Each field of Discord's data is read separately (see fields): if one is missing or has an
// unexpected type, only that field is lost. Of the response to a posted message only the ID
// is read. The gateway resumes a session if possible, and otherwise waits with jitter. If
// trying again is useless, it stops with an explanation for people.
//
// Rules:
//   - No message can ping many people: allowed_mentions is empty in every message.
//   - Waiting for a rate limit ends with the request's context.
//   - No error and no log line holds the token.
package connection
