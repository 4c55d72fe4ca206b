package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/sessionmem/transcript"
)

// ChatRequest is one chat request.
type ChatRequest struct {
	Model       string
	Messages    []api.Message
	NoSystem    bool // see ModelInfo: system messages are sent with the user's first message
	Tools       api.Tools
	NumCtx      int // 0: the server's default
	MaxTokens   int // num_predict; 0: the server's default
	Temperature *float64
	Think       *bool           // nil: the model's default; omitted if the model can't think
	Format      json.RawMessage // nil, or a JSON schema
	OnPhase     func(Phase)     // may be nil; called on the caller's goroutine
	OnChunk     func(Chunk)     // may be nil; called in order on the caller's goroutine
}

// Chunk is the text that one line of the stream added.
type Chunk struct {
	Content   string
	Thinking  string
	ToolCalls []api.ToolCall
}

func (c Chunk) empty() bool { return c.Content == "" && c.Thinking == "" && len(c.ToolCalls) == 0 }

// ChatResult is a finished answer. After an error, it holds what had arrived.
type ChatResult struct {
	Content      string
	Thinking     string
	ToolCalls    []api.ToolCall
	DoneReason   string // stop | length; other servers have others
	PromptTokens int    // prompt_eval_count
	AnswerTokens int    // eval_count
	LoadTime     time.Duration
	PromptTime   time.Duration
	AnswerTime   time.Duration
	Loaded       bool // the call had to load the model
	Reading      Reading
}

// Whole reports whether the model ended its answer by itself, which Ollama calls "stop". A
// reason that isn't known may be a filter or a limit of the server's own.
func (r ChatResult) Whole() bool {
	switch strings.ToLower(r.DoneReason) {
	case "", "stop", "eos", "eos_token", "end_turn", "complete", "stop_sequence", "tool_calls", "tool_use", "function_call":
		return true
	}
	return false
}

// chatLine is one line of the stream, or an error.
type chatLine struct {
	messageFields           // of a line without a message
	Message       message   `json:"message"`
	Done          flag      `json:"done"`
	DoneReason    text      `json:"done_reason"`
	Failure       errorText `json:"error"`

	PromptEvalCount    number `json:"prompt_eval_count"`
	EvalCount          number `json:"eval_count"`
	LoadDuration       number `json:"load_duration"` // nanoseconds, as the others
	PromptEvalDuration number `json:"prompt_eval_duration"`
	EvalDuration       number `json:"eval_duration"`
}

func (l chatLine) failure() string { return string(l.Failure) }
func (l chatLine) last() bool      { return bool(l.Done) || l.DoneReason != "" }
func (l chatLine) blank() bool {
	return !l.Message.present && l.chunk().empty() && !l.last() && l.Failure == ""
}

// Chat streams one answer (truncate:false, shift:false). Cancelling ctx ends the call
// within 200 ms with ErrCancelled. A 503 is retried with back-off at most 3 times, as long
// as nothing has arrived. The first phase is reported within 100 ms; PhaseQueued is
// reported again if the server is busy. A silent server times out (ErrTimeout) after the
// idle timeout; before the first line it gets additional time to load the model and to
// read the prompt (see readingTime). Template tokens in the messages are sent as plain
// text (see Harmless).
func (c *Client) Chat(ctx context.Context, req ChatRequest) (ChatResult, error) {
	t := c.target("chat", req.Model)
	req.Messages = harmless(req.Messages)
	if req.NoSystem {
		req.Messages = withoutSystem(req.Messages)
	}
	run := &chatRun{req: req}
	c.chats.Add(1)
	defer c.chats.Add(-1)
	c.preparing.cancelAll()
	if !c.permits.tryAcquire() {
		run.onPhase(PhaseQueued)
		c.aside.cancelAll()
		if err := c.permits.acquire(ctx); err != nil {
			return run.result, t.ended(ctx)
		}
	}
	defer c.permits.release()
	err := c.chat(ctx, t, run)
	result := run.finish()
	asked := parts(run.req)
	if err != nil && result.PromptTokens == 0 && !run.started {
		asked = nil // who knows what it has read
	}
	result.Reading = c.read(req.Model, asked, result.Content, result, 0)
	var failed *Error
	if errors.As(err, &failed) {
		failed.Began = result.Content != ""
	}
	return result, err
}

// The reading speed of the slowest supported machine (a small laptop without a GPU, a
// model of 8 billion parameters) in tokens per second, and the tokens that an image
// counts for.
const (
	slowestReading = 20
	imageTokens    = 1000
)

// readingTime returns how long the server may read the prompt before it counts as hung,
// in addition to the idle timeout. A server is silent while it reads, and 16,000 tokens
// take minutes on a machine without a GPU. A prompt of 1,000 tokens gets 50 s more, one of
// 16,000 gets 13 minutes. It includes what the server has in its cache, which the client
// can't know.
func readingTime(req ChatRequest) time.Duration {
	tokens := 0
	for _, m := range req.Messages {
		tokens += transcript.EstimateTokens(m.Content) + imageTokens*len(m.Images)
	}
	if len(req.Tools) > 0 {
		tokens += transcript.EstimateTokens(req.Tools.String())
	}
	if req.NumCtx > 0 {
		tokens = min(tokens, req.NumCtx)
	}
	return time.Duration(tokens) * time.Second / slowestReading
}

// chat sends the request until the server accepts it.
func (c *Client) chat(ctx context.Context, t target, run *chatRun) error {
	think := run.req.Think
	for retry := 0; ; {
		body, err := json.Marshal(c.chatBody(run.req, think))
		if err != nil {
			return t.fail(ErrServer, "the request can't be written as JSON", err)
		}
		call := streamCall{target: t, path: "/api/chat", body: body, most: maxValue, watch: true, idle: c.idle, reading: readingTime(run.req)}
		cold, err := stream(ctx, c, call, run.onPhase, run.onLine)
		run.result.Loaded = run.result.Loaded || cold
		switch {
		case err == nil:
			return nil
		case think != nil && refuses(err, "thinking"):
			think = nil
		case len(run.req.Tools) > 0 && !run.started && refuses(err, "tools"):
			run.req.Tools = nil
			if err := c.shown.without(run.req.Model, "tools"); err != nil {
				c.log.Info("the description of a model can't be kept", "model", t.model, "err", err)
			}
		case errors.Is(err, ErrBusy) && !run.started && retry < maxRetries:
			wait := backOff(retry, err)
			c.log.Info("ollama is busy, trying again", "model", t.model, "wait", wait, "retry", retry+1)
			run.onPhase(PhaseQueued)
			if !sleep(ctx, wait) {
				return t.ended(ctx)
			}
			retry++
		default:
			return err
		}
	}
}

// refuses reports whether the server refused a part of the request because the model
// doesn't support it, even though its description may say so.
func refuses(err error, part string) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusBadRequest && strings.Contains(e.Detail, "does not support "+part)
}

func (c *Client) chatBody(req ChatRequest, think *bool) api.ChatRequest {
	no := false
	body := api.ChatRequest{
		Model:     req.Model,
		Messages:  req.Messages,
		Tools:     req.Tools,
		Format:    req.Format,
		KeepAlive: &api.Duration{Duration: c.keep},
		Options:   map[string]any{},
		Truncate:  &no,
		Shift:     &no,
	}
	if req.NumCtx > 0 {
		body.Options["num_ctx"] = req.NumCtx
	}
	if req.MaxTokens > 0 {
		body.Options["num_predict"] = req.MaxTokens
	}
	if req.Temperature != nil {
		body.Options["temperature"] = *req.Temperature
	}
	if think != nil {
		body.Think = &api.ThinkValue{Value: *think}
	}
	return body
}

// chatRun collects one answer.
type chatRun struct {
	req      ChatRequest
	result   ChatResult
	content  strings.Builder
	thinking strings.Builder
	started  bool // part of the answer has arrived
}

func (r *chatRun) onPhase(p Phase) {
	if r.req.OnPhase != nil {
		r.req.OnPhase(p)
	}
}

func (r *chatRun) onLine(l chatLine) {
	r.emit(l.Message.chunk())
	r.emit(l.chunk())
	if !l.last() {
		return
	}
	r.result.DoneReason = string(l.DoneReason)
	r.result.PromptTokens, r.result.AnswerTokens = int(l.PromptEvalCount), int(l.EvalCount)
	r.result.LoadTime, r.result.PromptTime, r.result.AnswerTime = time.Duration(l.LoadDuration), time.Duration(l.PromptEvalDuration), time.Duration(l.EvalDuration)
}

func (r *chatRun) emit(ch Chunk) {
	if ch.empty() {
		return
	}
	r.started = true
	r.content.WriteString(ch.Content)
	r.thinking.WriteString(ch.Thinking)
	r.result.ToolCalls = append(r.result.ToolCalls, ch.ToolCalls...)
	if r.req.OnChunk != nil {
		r.req.OnChunk(ch)
	}
}

// finish returns the result.
func (r *chatRun) finish() ChatResult {
	r.result.Content, r.result.Thinking = r.content.String(), r.thinking.String()
	return r.result
}
