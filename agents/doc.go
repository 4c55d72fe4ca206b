// Package agents runs turns. A turn is one user message and everything that answers it.
//
// Every entry point (window, command line, Discord) calls Engine.Start. A turn is a
// phase machine: take the session's lock, write the user's message to disk, build the
// request, call the model, run the tools it requests, repeat within limits, and append
// the answer. Agents, skills and memory are plain files in the data folder; every prompt
// checks them for changes.
//
// The phases of a turn are in turn*.go. They leave decisions to its parts: cast chooses
// the agent and the model, toolbox the tools, prompts and assembly build the request,
// dialogue and streaming call the model, consent asks people, report emits events and
// writes the transcript. Code that doesn't need a turn is in the packages below: they
// get a Host or a Config and never see a turn.
//
// The package doesn't know Fyne, Discord or the screen.
package agents
