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

// Unload takes a model out of the server's memory; an answer it is writing is finished
// first. One that isn't loaded stays so.
func (c *Client) Unload(ctx context.Context, model string) error {
	return c.order(ctx, c.target("unload", model), http.MethodPost, "/api/generate", api.GenerateRequest{Model: model, KeepAlive: &api.Duration{}})
}

// order is a call whose answer says nothing but that it was done.
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
