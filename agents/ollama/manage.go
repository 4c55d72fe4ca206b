package ollama

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/ollama/ollama/api"
)

// Delete removes an installed model from the server's disk.
func (c *Client) Delete(ctx context.Context, model string) error {
	return c.order(ctx, c.target("delete", model), http.MethodDelete, "/api/delete", api.DeleteRequest{Model: model})
}

// Unload removes a model from the server's memory, after it has finished the answer that
// it is writing. It does nothing if the model isn't loaded.
func (c *Client) Unload(ctx context.Context, model string) error {
	return c.order(ctx, c.target("unload", model), http.MethodPost, "/api/generate", api.GenerateRequest{Model: model, KeepAlive: &api.Duration{}})
}

// order makes a call whose response has no content.
func (c *Client) order(ctx context.Context, t target, method, path string, in any) error {
	ctx, cancel := context.WithTimeout(ctx, min(shortCall, c.idle))
	defer cancel()
	body, err := json.Marshal(in)
	if err != nil {
		return t.fail(ErrServer, "the request can't be written as JSON", err)
	}
	answer, err := c.open(ctx, t, method, path, body)
	if err != nil {
		return err
	}
	defer answer.Close()
	if _, err := io.Copy(io.Discard, io.LimitReader(answer, maxJSONBody)); err != nil {
		return t.transport(err, true)
	}
	return nil
}
