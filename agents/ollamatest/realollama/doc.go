// Package realollama runs a real Ollama server for tests, with models that say
// what the test wants.
//
// A [Model] is a GGUF file of a few megabytes with hand-set weights: it knows a
// handful of answers, and its chat template chooses among them by rules over the
// request ("the last message contains …"). Everything between our client and those
// weights is the real thing: HTTP, scheduling, loading, tokenizing, truncation,
// streaming, tool calls.
//
//	server := realollama.Start(t)
//	server.Create(t, realollama.Model{
//		Name:    "parrot",
//		Answers: map[string]string{"hello": "Hello from a real server."},
//	})
//	proxy := server.Record(t) // records what is asked; can cut an answer
//
// The server is the one of scripts/ollama.sh, v0.6.5: the last version that builds
// as a Go module with a C++ compiler alone.
package realollama
