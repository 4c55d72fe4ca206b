// Package e2etest drives the built program as a person does, with its own screen (Xvfb), a
// message bus with a tray host, a mouse and a keyboard (xdotool), and a real Ollama server.
// Run it with `make e2e`; its screenshots and transcripts are kept in artifacts/.
//
// It only has tests, with the build tag e2e.
package e2etest
