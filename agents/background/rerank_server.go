package background

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mac-stats/sessionmem/excerpt"
)

const (
	rerankTime   = 10 * time.Second
	maxRerank    = 4 << 20 // bytes of an answer
	rerankPieces = 8 << 10 // maximum bytes of a passage
)

// errRerank reports that the reranking server didn't respond or returned no scores.
var errRerank = errors.New("the reranking server can't be used")

// RerankServer scores passages with a server that supports POST /rerank, such as
// llama.cpp's or Jina's: {query, documents} returns results of {index, relevance_score}.
// It is a recall.Reranker.
type RerankServer struct {
	url  string
	http *http.Client
}

// NewRerankServer returns a RerankServer for an address. If it has no path, the path is
// /rerank.
func NewRerankServer(address string) (*RerankServer, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%w: %s is not an http or https URL", errRerank, excerpt.Shorten(address, 200))
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/rerank"
	}
	client := &http.Client{
		Timeout: rerankTime,
		// The passages are private: they only go to the address in the settings.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &RerankServer{url: u.String(), http: client}, nil
}

type rerankRequest struct {
	Query     string   `json:"query"`
	Documents []string `json:"documents"`
	TopN      int      `json:"top_n"`
}

type rerankAnswer struct {
	Results []rerankResult `json:"results"`
}

type rerankResult struct {
	Index *int     `json:"index"`
	Score *float64 `json:"relevance_score"`
}

// Rerank returns a score from 0 to 1 for each text. It converts logits to that scale.
func (s *RerankServer) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	documents := make([]string, len(texts))
	for i, text := range texts {
		documents[i] = strings.ToValidUTF8(text[:min(len(text), rerankPieces)], "")
	}
	body, err := json.Marshal(rerankRequest{Query: query, Documents: documents, TopN: len(documents)})
	if err != nil {
		return nil, fmt.Errorf("write the request for %s: %w", s.url, err)
	}
	answer, err := s.post(ctx, body)
	if err != nil {
		return nil, err
	}
	return s.scores(answer, len(texts))
}

func (s *RerankServer) post(ctx context.Context, body []byte) (rerankAnswer, error) {
	var answer rerankAnswer
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return answer, fmt.Errorf("%w: %w", errRerank, err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.http.Do(req)
	if err != nil {
		return answer, fmt.Errorf("%w: %w", errRerank, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return answer, fmt.Errorf("%w: %s answered %s", errRerank, s.url, resp.Status)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxRerank)).Decode(&answer); err != nil {
		return answer, fmt.Errorf("%w: the answer of %s is not the JSON expected: %w", errRerank, s.url, err)
	}
	return answer, nil
}

// scores returns the scores in the order of the texts.
func (s *RerankServer) scores(answer rerankAnswer, want int) ([]float64, error) {
	scores, seen, logits := make([]float64, want), make([]bool, want), false
	for _, r := range answer.Results {
		if r.Index == nil || r.Score == nil || *r.Index < 0 || *r.Index >= want || seen[*r.Index] || math.IsNaN(*r.Score) {
			return nil, fmt.Errorf("%w: %s scored a passage that was not sent, or twice", errRerank, s.url)
		}
		scores[*r.Index], seen[*r.Index] = *r.Score, true
		logits = logits || *r.Score < 0 || *r.Score > 1
	}
	if len(answer.Results) != want {
		return nil, fmt.Errorf("%w: %s gave %d scores for %d passages", errRerank, s.url, len(answer.Results), want)
	}
	if logits {
		for i, x := range scores {
			scores[i] = 1 / (1 + math.Exp(-x))
		}
	}
	return scores, nil
}
