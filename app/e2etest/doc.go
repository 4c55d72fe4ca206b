// Package e2etest drives the built program as a person does: a screen of its own
// (Xvfb), a message bus with a tray host, a mouse and a keyboard (xdotool), and a
// real Ollama server. Run it with `make e2e`; its screenshots and transcripts stay
// in artifacts/.
//
// It has nothing but tests, behind the build tag e2e.
package e2etest
