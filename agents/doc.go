// Package agents runs turns. A turn is one user message and everything that answers it.
//
// Every entry point (window, command line, Discord) calls Engine.Start. A turn is a
// phase machine: take the session's lock, write the user's message to disk, build the
// request, call the model, run the tools it requests, repeat within limits, and append
// the answer. Agents, skills and memory are plain files in the data folder; every prompt
// checks them for changes.
//
// A turn holds who asks what, who answers and what may be done; its phases are its
// methods. A dialogue holds what is sent to one model: the turn has one, and so has each of
// its sub-calls. Code that doesn't need a turn is in the packages below.
//
// The package doesn't know Fyne, Discord or the screen.
package agents
