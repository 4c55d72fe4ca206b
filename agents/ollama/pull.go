package ollama

import (
	"context"
	"encoding/json"

	"github.com/ollama/ollama/api"
)

// pullSilence is the longest silence of a pull, in idle timeouts: checking the digest of a
// large layer takes minutes without any output.
const pullSilence = 5

// Progress is a step of a pull.
type Progress struct {
	Status           string
	Completed, Total int64 // bytes, summed over layers
}

type pullLine struct {
	Status    text      `json:"status"`
	Digest    text      `json:"digest"`
	Total     number    `json:"total"`
	Completed number    `json:"completed"`
	Failure   errorText `json:"error"`
}

func (l pullLine) failure() string { return string(l.Failure) }
func (l pullLine) last() bool      { return l.Status == "success" }
func (l pullLine) blank() bool     { return l.Status == "" && l.Failure == "" }

// Pull downloads a model; progress may be nil. An error line in the stream is an error,
// and so is a stream that ends without success. Downloaded data stays, and the next Pull
// continues from there.
func (c *Client) Pull(ctx context.Context, model string, progress func(Progress)) error {
	t := c.target("pull", model)
	body, err := json.Marshal(api.PullRequest{Model: model})
	if err != nil {
		return t.fail(ErrServer, "the request can't be written as JSON", err)
	}
	c.pulls.Add(1)
	defer c.pulls.Add(-1)
	layers := layerSum{}
	call := streamCall{target: t, path: "/api/pull", body: body, most: maxValue, idle: pullSilence * c.idle}
	_, err = stream(ctx, c, call, func(Phase) {}, func(l pullLine) {
		if p := layers.add(l); progress != nil {
			progress(p)
		}
	})
	return err
}

// layerSum sums up the layers of a pull, by digest.
type layerSum map[text]pullLine

func (s layerSum) add(l pullLine) Progress {
	if l.Digest != "" {
		s[l.Digest] = l
	}
	sum := Progress{Status: string(l.Status)}
	for _, layer := range s {
		sum.Completed += int64(layer.Completed)
		sum.Total += int64(layer.Total)
	}
	return sum
}
