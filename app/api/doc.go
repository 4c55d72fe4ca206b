// Package api is the small local HTTP API: what other programs of the owner may do
// with the memory of conversations. openapi.yaml describes it, and a test holds the
// handler to that description.
//
// Rules:
//   - Off until api.enabled is set. It listens on a unix socket (0600) in the runtime
//     folder, or on a port of this machine, never on another address.
//   - Every request carries the token of the file api-token in the data folder. One
//     with an Origin, or for a host that is not this machine, is refused: no web page
//     gets at it, also not by a name that it makes point here.
//   - It has no rules of its own: sessions, index and forgetting work as for the
//     window and the commands. Private sessions are not there.
package api
