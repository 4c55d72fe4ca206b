//go:build unix

package failuretest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/testkit"
)

// Each question of the storm has its own mark, which is in every word of the answer: q17s
// gets a short answer, q18l a long one.
var stormMark = regexp.MustCompile(`\bq\d+[sl]\b`)

const (
	shortAnswer = 8   // words
	longAnswer  = 400 // words
	stormWord   = 15 * time.Millisecond

	// stormLesson is in every summary.
	stormLesson = "The user paddles a red kayak."
)

// markOf returns the mark of the newest question. Lines of the memory, with marks of their own, may
// stand beside it.
func markOf(req api.ChatRequest) string {
	for _, m := range slices.Backward(req.Messages) {
		if _, asked, found := strings.Cut(m.Content, "What of "); found && m.Role == "user" {
			return stormMark.FindString(asked)
		}
	}
	return ""
}

// stormAnswer returns the whole answer to a question.
func stormAnswer(mark string) string {
	words := make([]string, shortAnswer)
	if strings.HasSuffix(mark, "l") {
		words = make([]string, longAnswer)
	}
	for i := range words {
		words[i] = fmt.Sprintf("%s.%d", mark, i)
	}
	return strings.Join(words, " ")
}

// stormLine returns the line that the agent remembers for a short answer's question.
func stormLine(mark string) string { return "The parcel " + mark + " belongs on the upper shelf." }

// stormScript always summarises with the same lesson, remembers before short answers, or
// proposes as the agent that may, and streams. A reply has one call: of several together none
// runs if the agent may not use one of them.
func stormScript() testkit.Script {
	digest := testkit.Reply{Delay: stormWord, Text: `{"context": "They speak of parcels, and of a red kayak to paddle.", "lessons": [{"text": "` + stormLesson + `", "confidence": 0.9}], "people": []}`}
	answer := func(req api.ChatRequest) testkit.Reply {
		mark := markOf(req)
		call := "MEMORY_APPEND: " + stormLine(mark)
		if strings.Contains(testkit.System(req), "MEMORY_REPLACE:") {
			call = "MEMORY_REPLACE: I drink green tea. => I drink green tea from cup " + mark + "."
		}
		called := slices.ContainsFunc(req.Messages, func(m api.Message) bool {
			return m.Role == "assistant" && strings.Contains(m.Content, call)
		})
		if strings.HasSuffix(mark, "s") && !called {
			return testkit.Reply{Text: call + "\n"}
		}
		return testkit.Reply{Text: stormAnswer(mark), Delay: stormWord}
	}
	return testkit.Script{Models: []testkit.Model{tiny()}, Rules: []testkit.Rule{
		{Task: "You compress a conversation", Reply: digest},
		{Func: answer},
	}}
}

// sentLog records when each word of an answer was sent.
type sentLog struct {
	mu    sync.Mutex
	words map[string][]time.Time // mark → time of each word
}

// startStorm serves the script and records what is sent.
func startStorm(t *testing.T) (*sentLog, string) {
	t.Helper()
	log := &sentLog{words: map[string][]time.Time{}}
	handler := testkit.New(stormScript()).Handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // it was killed
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler.ServeHTTP(&sentWriter{w, log}, r)
	}))
	t.Cleanup(server.Close)
	return log, server.Listener.Addr().String()
}

// sentWriter records the lines written through it.
type sentWriter struct {
	http.ResponseWriter
	log *sentLog
}

func (w *sentWriter) Write(line []byte) (int, error) {
	var chat api.ChatResponse
	if json.Unmarshal(line, &chat) == nil {
		if mark, _, found := strings.Cut(strings.TrimSpace(chat.Message.Content), "."); found && stormMark.MatchString(mark) {
			w.log.mu.Lock()
			w.log.words[mark] = append(w.log.words[mark], time.Now())
			w.log.mu.Unlock()
		}
	}
	return w.ResponseWriter.Write(line)
}

func (w *sentWriter) Flush() {
	if f, ok := w.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// times returns when the words of an answer were sent.
func (l *sentLog) times(mark string) []time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.words[mark])
}
