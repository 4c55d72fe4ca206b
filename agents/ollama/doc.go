// Package ollama talks to an Ollama server: chat streams, the list of models,
// pulls, and which installed model plays which role.
//
// It uses the types of github.com/ollama/ollama/api and reads the chat stream
// itself: a stream that ends without done is an error here, and no call holds an
// 8 MB buffer.
package ollama
