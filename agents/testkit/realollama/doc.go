// Package realollama runs a real Ollama server for tests, with models that give the
// answers a test defines.
//
// A [Model] is a GGUF file of a few megabytes with weights set by hand. It knows a
// handful of answers, and its chat template chooses among them by rules about the
// request ("the last message contains …"). Everything between our client and those
// weights is real: HTTP, scheduling, loading, tokenising, truncation, streaming, tool
// calls.
//
//	server := realollama.Start(t)
//	server.Create(t, realollama.Model{
//		Name:    "parrot",
//		Answers: map[string]string{"hello": "Hello from a real server."},
//	})
//	proxy := server.Record(t) // records the requests; can cut an answer
//
// The server is the one that scripts/ollama.sh installs, v0.6.5: the last version that
// builds as a Go module with only a C++ compiler. make test-systems runs the same tests with the
// newest that builds as a module at all.
package realollama
