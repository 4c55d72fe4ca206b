// Package api is the small local HTTP API, through which the owner's other programs use the
// memory of conversations. openapi.yaml describes it, and a test checks the handler against
// that description.
//
// Rules:
//   - It is off until api.enabled is set. It listens on a unix socket (0600) in the runtime
//     folder, or on a loopback port, never on another address.
//   - Every request needs the token from the file api-token in the data folder. A request
//     with an Origin or for another host is refused, so that no web page reaches it, even
//     through a domain that resolves to this machine.
//   - It has no rules of its own: sessions, index and forgetting work as in the window and
//     the commands. Private sessions don't appear.
package api
