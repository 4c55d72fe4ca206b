// Package testkit is a scripted Ollama server: the same API over real HTTP on
// loopback, without a model. The tests use it, and so does --demo.
//
// A Script lists the models and the rules. The first rule that matches a chat answers
// it. A chat that no rule matches gets status 500 with a message, and Unmatched returns
// it. Every request is recorded, both decoded and byte for byte.
//
// A rule can also play a failure: a server that is busy, hangs, cuts the stream, reports
// an error in it, or isn't an Ollama server at all.
package testkit
