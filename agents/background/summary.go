package background

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/summary"
	"mac-stats/sessionmem/transcript"
)

const (
	compactTime   = 2 * time.Minute // for one attempt, including loading the model
	compactAnswer = 1200            // maximum tokens of an answer
	compactFrame  = 64              // tokens in addition to the texts
	cutMessage    = 400             // tokens of a message that was cut from the conversation
	shortestLine  = 12              // bytes of a remembered line that a Summary mustn't repeat
)

// compactSchema is the form of a digest.
const compactSchema = `{"type":"object","properties":{` +
	`"context":{"type":"string"},` +
	`"lessons":{"type":"array","items":{"type":"object","properties":{"text":{"type":"string"},"confidence":{"type":"number"}},"required":["text","confidence"]}},` +
	`"people":{"type":"array","items":{"type":"object","properties":{"who":{"type":"string"},"fact":{"type":"string"},"confidence":{"type":"number"}},"required":["who","fact","confidence"]}}` +
	`},"required":["context","lessons","people"]}`

// Summarize asks the small model at most twice: first with a schema, then either for
// headed text from less of the conversation, or for what the first answer lacked. The
// messages are cut to the model's real context, the oldest first. A Summary must contain
// what the user said, including the messages left out (see summary.MissingFrom);
// otherwise it is rejected. A tiny model isn't asked unless the settings give it a larger
// tier, because the user would wait for two answers that are discarded.
//
// If the session's chat uses the same model, the first question continues that chat.
func (s *SmallModel) Summarize(ctx context.Context, session string, previous *transcript.Block, messages []transcript.Block) (compact.Digest, error) {
	model, numCtx, err := s.find(ctx)
	if err != nil {
		return compact.Digest{}, fmt.Errorf("choosing a model for summaries: %w", err)
	}
	if model.Tiny() && prompt.ChooseTier(prompt.TierFor(model.KnownSize(), model.MaxContext), "", s.settings().PromptTier) == prompt.TierPlain {
		return compact.Digest{}, fmt.Errorf("%w: %w", compact.ErrNoDigest, errTiny)
	}
	task := summaryTask{session: session, model: model, numCtx: numCtx, previous: previous, messages: messages}
	for attempt := range 2 {
		var digest compact.Digest
		digest, task.missing, err = s.attempt(ctx, attempt, task)
		task.apart = errors.Is(err, errMemory)
		switch {
		case err == nil:
			digest.By = model.Name
			return digest, nil
		case ctx.Err() != nil, errors.Is(err, ollama.ErrOllamaDown), errors.Is(err, ollama.ErrModelMissing):
			return compact.Digest{}, err
		}
	}
	return compact.Digest{}, fmt.Errorf("%w: %w", compact.ErrNoDigest, err)
}

// checkSummary returns an error if a Summary may not replace the messages, and what it
// lacks, in words for the model.
func checkSummary(text string, previous *transcript.Block, messages []transcript.Block) (missing string, err error) {
	list, madeUp := summary.MissingFrom(text, previous, messages)
	switch {
	case len(list) > 0:
		return "Your last summary left out what the user said. It must hold:\n- " + strings.Join(list, "\n- "), errMissing
	case madeUp:
		return "Your last summary was about something else. Use the words of the conversation.", errMadeUp
	}
	return "", nil
}

// summaryTask is the input for one Summary.
type summaryTask struct {
	session  string
	model    ollama.ModelInfo
	numCtx   int
	previous *transcript.Block
	messages []transcript.Block
	missing  string // from the previous attempt, in words for the model
	apart    bool   // not as a continuation of the chat, whose memory got into the last answer
}

// attempt makes one call. The second attempt sends less of the conversation and has no
// schema, unless the first answer was usable and only lacked something. With an error, it
// may return what to tell the model about it.
func (s *SmallModel) attempt(ctx context.Context, attempt int, task summaryTask) (digest compact.Digest, missing string, err error) {
	model, numCtx := task.model.Name, task.numCtx
	ctx, stop := context.WithTimeout(ctx, compactTime)
	defer stop()
	answer := compactAnswer
	if numCtx > 0 {
		answer = min(answer, numCtx/4)
	}
	again := attempt > 0 && task.missing == "" && !task.apart
	var req ollama.ChatRequest
	var in Conversation
	ok := false
	if !again && !task.apart {
		req, in, ok = s.continued(ctx, task.session, task.model, answer, func(in Conversation) string { return s.continuation(in, task) })
	}
	if !ok {
		share := 1
		if again {
			share = 2 // perhaps it was too much
		}
		text := s.material(model, numCtx-answer-transcript.EstimateTokens(task.missing), share, task.previous, task.messages)
		if task.missing != "" {
			text += "\n\n" + task.missing
		}
		req = request(task.model, numCtx, answer, s.guides.Compact, text)
	}
	if !again {
		req.Format = json.RawMessage(compactSchema)
	}
	res, err := s.chat.Chat(ctx, req)
	if err != nil {
		return digest, "", err
	}
	if s.models.Observe(ctx, model, req.NumCtx, rawTokens(req), res.PromptTokens) {
		return digest, "", errors.New("the server left out a part of the conversation")
	}
	if digest, err = parseDigest(answerOf(task.model, res)); err != nil {
		return digest, "", err
	}
	if missing, err = checkSummary(digest.Context, task.previous, task.messages); err == nil && ok && repeatsMemory(digest.Context, in.Memory, task) {
		err = errMemory
	}
	return digest, missing, err
}

// continuation returns the task of a Summary for a model that has the conversation before
// it: the rules, and the messages that were cut from it.
func (s *SmallModel) continuation(in Conversation, task summaryTask) string {
	text := s.guides.Compact + "\n\nThe conversation is what stands above this task."
	var cut []string
	for _, b := range task.messages {
		if !in.Holds[b.ID] {
			said, _ := prompt.CutResult(transcript.WithoutAttachments(b.Text), cutMessage)
			cut = append(cut, "["+string(b.Kind)+"]\n"+said)
		}
	}
	if cut != nil {
		text += "\n\nThese messages stood before the first of it:\n\n" + strings.Join(cut, "\n\n")
	}
	if task.missing != "" {
		text += "\n\n" + task.missing
	}
	return text + "\n\n[end of the conversation: give CONTEXT, LESSONS and PEOPLE]"
}

// repeatsMemory reports whether a Summary holds a remembered line that nobody said in the
// conversation. Such a line may be removed from the memory, and the Summary would keep it.
func repeatsMemory(text string, lines []string, task summaryTask) bool {
	plain := func(text string) string { return strings.ToLower(excerpt.OneLine(text)) }
	var said strings.Builder
	if task.previous != nil {
		said.WriteString(plain(task.previous.Text) + "\n")
	}
	for _, b := range task.messages {
		said.WriteString(plain(b.Text) + "\n")
	}
	text = plain(text)
	return slices.ContainsFunc(lines, func(line string) bool {
		line = strings.Trim(plain(line), ".!- ")
		return len(line) >= shortestLine && strings.Contains(text, line) && !strings.Contains(said.String(), line)
	})
}

// material returns the model's input: the previous Summary, and the messages that fit into
// that many tokens beside the prompt, or a fraction of them, cut between characters and
// messages.
func (s *SmallModel) material(model string, tokens, share int, previous *transcript.Block, messages []transcript.Block) string {
	const unknown, whole = 4096, 1000
	if tokens <= 0 {
		tokens = unknown
	}
	room := tokens*whole/max(s.models.Estimate(model, whole), 1) - transcript.EstimateTokens(s.guides.Compact) - compactFrame
	room = max(room/share, compactFrame)
	head := ""
	if previous != nil {
		text, _ := prompt.CutResult(previous.Text, room/4)
		head = "[summary of what was before]\n" + text + "\n\n"
		room -= transcript.EstimateTokens(head)
	}
	var parts []string
	for i := len(messages) - 1; i >= 0; i-- {
		text, _ := prompt.CutResult(transcript.WithoutAttachments(messages[i].Text), max(room/3, compactFrame/2))
		part := "[" + string(messages[i].Kind) + "]\n" + text
		if room -= transcript.EstimateTokens(part) + prompt.MessageTokens; room < 0 && len(parts) > 0 {
			break
		}
		parts = append([]string{part}, parts...)
	}
	return head + strings.Join(parts, "\n\n") + "\n\n[end of the conversation: give CONTEXT, LESSONS and PEOPLE]"
}

var (
	errEmptyDigest   = errors.New("the summary is empty")
	errGarbledDigest = errors.New("the summary is garbled")
	errRefused       = errors.New("the model refused to summarise")
	errMissing       = errors.New("the summary leaves out what the user said")
	errMemory        = errors.New("the summary repeats the memory")
	errTiny          = errors.New("the model is too small for summaries")
	errMadeUp        = errors.New("the summary is about something that nobody said")
)

// refusal matches the beginning of a refusal.
var refusal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(i'?m sorry|sorry,|i can(no|')t|i am (unable|not able)|i'm (unable|not able)|as an ai)`)
})

// parseDigest reads an answer, either JSON in the form of the schema or headed text.
func parseDigest(text string) (compact.Digest, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return compact.Digest{}, errEmptyDigest
	}
	if refusal().MatchString(text) {
		return compact.Digest{}, errRefused
	}
	var answer digestAnswer
	body := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(text, "```json"), "```"), "```")
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		var ok bool
		if answer, ok = parseHeaded(text); !ok {
			return compact.Digest{}, errGarbledDigest
		}
	}
	digest := compact.Digest{}
	digest.Context, _ = prompt.CutResult(strings.TrimSpace(strings.ToValidUTF8(answer.Context, "")), 1000)
	switch {
	case digest.Context == "":
		return digest, errEmptyDigest
	case refusal().MatchString(digest.Context):
		return digest, errRefused
	}
	digest.Lessons = answer.lessons()
	return digest, nil
}
