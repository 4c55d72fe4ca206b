// Package agents runs turns: one user message and all that answers it.
//
// Every entry point (window, command line, Discord) calls Engine.Start.
// A turn is a phase machine: take the session's lock and write the user's message
// to disk, build the request, call the model, run the tools it asks for, repeat
// within limits, append the answer. Agents, skills and memory are plain files
// under the data folder; they are checked before every prompt.
//
// The package knows no Fyne, no Discord and no screen.
package agents
