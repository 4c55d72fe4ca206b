// Package ollama is a client of an Ollama server: it streams chats, makes embeddings,
// lists and pulls models, and chooses the installed model for each role.
//
// It uses the types of github.com/ollama/ollama/api but reads the stream itself: here, a
// stream that ends without done is an error, and no call holds an 8 MB buffer.
package ollama
