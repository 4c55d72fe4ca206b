package realollama

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/ollama/ollama/api"
)

// Create adds models to the server as a person would: it uploads the file, then calls
// /api/create with the template.
func (s *Server) Create(tb testing.TB, models ...Model) {
	tb.Helper()
	for _, m := range models {
		if err := s.create(tb.Context(), m); err != nil {
			tb.Fatal(err)
		}
	}
}

func (s *Server) create(ctx context.Context, m Model) error {
	template, err := m.Template()
	if err != nil {
		return err
	}
	var file bytes.Buffer
	if _, err := m.WriteGGUF(&file); err != nil {
		return err
	}
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(file.Bytes()))
	client := s.client()
	if err := client.CreateBlob(ctx, digest, &file); err != nil {
		return fmt.Errorf("upload model %s: %w", m.Name, err)
	}
	request := &api.CreateRequest{
		Model:    m.Name,
		Files:    map[string]string{m.Name + ".gguf": digest},
		Template: template,
		// more threads wait for each other in a busy loop, which on a busy machine
		// turns milliseconds into seconds
		Parameters: map[string]any{"num_thread": 1},
	}
	if err := client.Create(ctx, request, func(api.ProgressResponse) error { return nil }); err != nil {
		return fmt.Errorf("create model %s: %w", m.Name, err)
	}
	return nil
}
