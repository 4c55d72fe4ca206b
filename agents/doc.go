// Package agents runs turns: one user message and all that answers it.
//
// Every entry point (window, command line, Discord) calls Engine.Start.
// A turn is a phase machine: take the session's lock and write the user's message
// to disk, build the request, call the model, run the tools it asks for, repeat
// within limits, append the answer. Agents, skills and memory are plain files
// under the data folder; they are checked before every prompt.
//
// A turn's phases are in turn*.go and decide nothing alone: cast says who answers,
// toolbox what may be used, prompts and assembly what is sent, dialogue and streaming
// make the calls, consent asks people, report tells and keeps what happened. What needs
// no turn is in the packages below: they get a Host or a Config and never see a turn.
//
// The package knows no Fyne, no Discord and no screen.
package agents
