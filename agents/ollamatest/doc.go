// Package ollamatest is an Ollama server that says what a script tells it to: the
// same API over real HTTP on loopback, without a model. The tests use it, and
// --demo talks to it.
//
// A Script lists the models and the rules. The first rule that matches a chat
// answers it; a chat that no rule matches gets a 500 that says so and is kept in
// Unmatched. Every request is recorded, decoded and byte for byte.
//
// Beside answers, a rule can play what goes wrong: a server that is busy, hangs,
// cuts the stream, reports an error in it, or is none at all.
package ollamatest
