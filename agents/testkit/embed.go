package testkit

import (
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/ollama/ollama/api"
)

// CommonConcepts returns lists of words that mean the same to every embedding model of
// the scripted server, so that a question finds a text with which it shares no word.
func CommonConcepts() [][]string {
	return [][]string{
		{"car", "cars", "automobile", "vehicle"},
		{"doctor", "physician", "clinic"},
		{"dog", "puppy", "hound"},
		{"fan", "cooler", "ventilator"},
		{"loud", "noisy", "noise"},
		{"computer", "laptop", "machine"},
		{"buy", "bought", "purchase", "purchased"},
		{"house", "home", "apartment"},
		{"holiday", "vacation", "trip"},
		{"job", "work", "employment"},
		{"child", "children", "kid", "kids"},
		{"food", "meal", "dinner"},
	}
}

// SetEmbedFault replaces the fault of embeddings; nil removes it.
func (s *Server) SetEmbedFault(f *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.embedFault = f
}

func (s *Server) embed(w http.ResponseWriter, r *http.Request, body []byte, at int) {
	var req api.EmbedRequest
	if !decode(w, body, &req) {
		return
	}
	m, ok := s.find(req.Model)
	if !ok {
		fail(w, http.StatusNotFound, fmt.Sprintf("model %q not found, try pulling it first", req.Model))
		return
	}
	texts, ok := inputs(req.Input)
	if !ok {
		fail(w, http.StatusBadRequest, "invalid input type")
		return
	}
	s.update(at, func(r *Request) { r.Embed = texts })
	s.mu.Lock()
	fault := s.embedFault
	s.mu.Unlock()
	limit := s.context(m, 0)
	answer := api.EmbedResponse{Model: m.Name, Embeddings: [][]float32{}}
	for _, text := range texts {
		if len(text)/4 > limit && req.Truncate != nil && !*req.Truncate {
			fail(w, http.StatusBadRequest, overflowMessage)
			return
		}
		answer.Embeddings = append(answer.Embeddings, s.script.vector(text, m.dimensions()))
		answer.PromptEvalCount += len(text) / 4
	}
	if fault != nil && s.due(fault) && s.failEmbed(w, r, fault, &answer) {
		return
	}
	if _, ok := s.load(r, m, limit, m.LoadDelay); !ok {
		return
	}
	reply(w, answer)
}

// failEmbed plays a fault of embeddings. It reports whether the request was handled.
func (s *Server) failEmbed(w http.ResponseWriter, r *http.Request, f *Fault, answer *api.EmbedResponse) bool {
	vectors := answer.Embeddings
	switch f.Kind {
	case FaultSlow:
		return !s.pause(r, f.Delay)
	case FaultOtherDims:
		for i := range vectors {
			vectors[i] = append(vectors[i], 0.5)
		}
		return false
	case FaultFewer:
		answer.Embeddings = vectors[:max(len(vectors)-1, 0)]
		return false
	case FaultZero:
		for i := range vectors {
			clear(vectors[i])
		}
		return false
	case FaultNotJSON:
		newLines(w).raw([]byte("<p>Bad gateway</p>\n"))
		return true
	}
	return s.failFirst(w, r, f)
}

func inputs(v any) ([]string, bool) {
	switch v := v.(type) {
	case string:
		return []string{v}, true
	case []any:
		var texts []string
		for _, each := range v {
			text, ok := each.(string)
			if !ok {
				return nil, false
			}
			texts = append(texts, text)
		}
		return texts, true
	}
	return nil, false
}

// vector returns a bag of meanings as a vector of length one: texts that share words, or
// words of one concept, are near each other. Words of fewer than three letters and the
// prefix that states the purpose of the embedding are ignored.
func (s Script) vector(text string, dimensions int) []float32 {
	text = strings.TrimPrefix(strings.TrimPrefix(text, "search_query: "), "search_document: ")
	v := make([]float32, dimensions)
	sum := 0.0
	split := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }
	for _, word := range strings.FieldsFunc(strings.ToLower(text), split) {
		if len(word) < 3 {
			continue
		}
		h := fnv.New64a()
		_, _ = h.Write([]byte(s.concept(word))) // never fails
		bits := h.Sum64()
		v[bits%uint64(dimensions)]++
		v[bits>>20%uint64(dimensions)]++ // two places: few words share both
	}
	for _, x := range v {
		sum += float64(x * x)
	}
	if sum == 0 {
		v[0], sum = 1, 1
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// concept returns the first word of a word's concept, or the word if it has none.
func (s Script) concept(word string) string {
	for _, list := range [][][]string{s.Concepts, CommonConcepts()} {
		for _, concept := range list {
			if slices.Contains(concept, word) {
				return concept[0]
			}
		}
	}
	return word
}
