package fault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"mac-stats/agents/ollama"
	"mac-stats/agents/registry"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

func TestExplain(t *testing.T) {
	server := func(kind error, status int, detail string) error {
		return fmt.Errorf("turn: %w", &ollama.Error{Kind: kind, Op: "chat", Host: "127.0.0.1:11434", Model: "qwen3:8b", Status: status, Detail: detail})
	}
	path := func(err error) error {
		return fmt.Errorf("writing: %w", &fs.PathError{Op: "open", Path: "/data/session/x.md", Err: err})
	}
	for _, tt := range []struct {
		err                  error
		kind, sentence, next string
	}{
		{server(ollama.ErrOllamaDown, 0, ""), KindDown, "Ollama isn't running at 127.0.0.1:11434.", "Start it with `ollama serve`, then Retry."},
		{server(ollama.ErrModelMissing, 404, "x"), KindModelMissing, "qwen3:8b isn't installed (HTTP 404): x.", "mac-stats models pull qwen3:8b"},
		{server(ollama.ErrContextOverflow, 400, "x"), KindContextOverflow, "doesn't fit the context of qwen3:8b", "new chat"},
		{server(ollama.ErrTimeout, 0, ""), KindTimeout, "Ollama at 127.0.0.1:11434 doesn't answer.", "idle_timeout"},
		{&ollama.Error{Kind: ollama.ErrTimeout, Host: "h:1", Began: true}, KindTimeout, "Ollama at h:1 stopped in mid-answer.", "is kept"},
		{server(ollama.ErrCancelled, 0, ""), KindCancelled, "Stopped.", "kept"},
		{server(ollama.ErrStreamCut, 0, ""), KindStreamCut, "broke off before an answer came", "Retry"},
		{&ollama.Error{Kind: ollama.ErrStreamCut, Host: "h:1", Began: true}, KindStreamCut, "broke off in mid-answer", "is kept"},
		{
			&ollama.Error{Kind: ollama.ErrServer, Host: "h:1", Status: 404, Foreign: true, Detail: "it answered 404 Not Found"},
			KindServer, "What answers at h:1 doesn't look like Ollama: it answered 404 Not Found.", "OLLAMA_HOST",
		},
		{server(ollama.ErrBusy, 503, "busy"), KindBusy, "busy", "Wait"},
		{server(ollama.ErrServer, 500, "out of\nluck"), KindServer, "reported an error (HTTP 500): out of luck.", "log"},
		{server(ollama.ErrServer, 500, "llama runner process has terminated: CUDA error: out of\nmemory"), KindNoMemory, "There isn't enough memory for qwen3:8b (HTTP 500): llama runner", "smaller model"},
		{server(ollama.ErrServer, 500, "CUDA error: out of memory\n  current device: 0"), KindNoMemory, "out of memory; current device: 0.", "smaller context size"},
		{server(ollama.ErrServer, 500, "cudaMalloc failed"), KindNoMemory, "enough memory", "smaller context"},
		{server(ollama.ErrServer, 500, "model requires more system memory (9.1 GiB) than is available (4.2 GiB)"), KindNoMemory, "(9.1 GiB)", "Closing other programs"},
		{&ollama.NoModelError{Role: ollama.RoleGeneral}, KindNoModel, "No model is installed yet.", "models pull"},
		{&ollama.NoModelError{Role: ollama.RoleVision, Installed: 2}, KindNoModel, "None of the installed models can look at images.", "pull"},
		{context.Canceled, KindCancelled, "Stopped.", "Retry"},
		{context.DeadlineExceeded, KindTimeout, "longer than allowed", "Retry"},
		{&TooLong{Model: "qwen3:8b", Need: 9000, Room: 2000}, KindTooLong, "about 9,000 tokens, and qwen3:8b has room for 2,000", "Shorten"},
		{&TooLong{Model: "qwen3:8b", Need: 9000, Room: -50}, KindTooLong, "room for 0", "larger context"},
		{&Locked{"command line", context.DeadlineExceeded}, KindLocked, "held by the command line.", "not sent"},
		{&Locked{"command line", context.Canceled}, KindCancelled, "waiting for the session, which the command line holds.", "not sent"},
		{fmt.Errorf("%w: \"codre\"; did you mean coder?", registry.ErrNoAgent), KindAgent, `No such agent: "codre"; did you mean coder?`, "agents list"},
		{fmt.Errorf("%w: \"x\"", registry.ErrNoSkill), KindAgent, "No such skill", "skills"},
		{&Empty{Model: "qwen3:8b"}, KindServer, "qwen3:8b gave an empty answer.", "Retry"},
		{&Empty{Model: "qwen3:8b", Reason: "content_filter"}, KindServer, "qwen3:8b gave an empty answer. The server's reason for its end: content_filter.", "Retry"},
		{&Empty{Model: "qwen3:8b", Thought: true}, KindServer, "qwen3:8b only thought and gave no answer.", "kept"},
		{&Empty{Model: "qwen3:8b", Thought: true, Cut: true}, KindServer, "qwen3:8b thought until its limit and gave no answer.", "ollama.num_ctx"},
		{fmt.Errorf("%w: the message is empty", ErrRequest), KindInternal, "the message is empty.", "Write"},
		{&Panic{"boom"}, KindInternal, "mac-stats itself", "log"},
		{&Save{What: "Your message", Err: path(syscall.ENOSPC)}, KindDisk, "Your message could not be saved: the disk is full.", "Free some space"},
		{&Save{What: "The answer", Err: path(syscall.EROFS)}, KindDisk, "The answer could not be saved: the disk is read-only.", "MAC_STATS_HOME"},
		{&Save{What: "The answer", Err: path(fs.ErrPermission)}, KindDisk, "no permission to open /data/session/x.md", "access"},
		{&Save{What: "The answer", Err: errors.New("odd")}, KindDisk, "The answer could not be saved: odd.", "Retry"},
		{errors.Join(server(ollama.ErrCancelled, 0, ""), &Save{What: "The answer", Err: path(syscall.ENOSPC)}), KindDisk, "disk is full", "Free"},
		{path(fs.ErrPermission), KindDisk, "No permission to open /data/session/x.md.", "access"},
		{path(syscall.ENOTDIR), KindDisk, "A file stands where a folder should be: /data/session/x.md.", "Move it away"},
		{&Save{What: "The answer", Err: path(syscall.EFBIG)}, KindDisk, "The answer could not be saved: the file may not grow any more.", "ulimit"},
		{&Save{What: "The answer", Err: path(syscall.ENOENT)}, KindDisk, "The answer could not be saved: its folder is gone", "makes a new one"},
		{path(syscall.EIO), KindDisk, "Writing: open /data/session/x.md: input/output error.", "Retry"},
		{fmt.Errorf("writing: %w", session.ErrReadOnly), KindDisk, "is read-only", "new chat"},
		{fmt.Errorf("x: %w", transcript.ErrBadName), KindInternal, "not a session name", "sessions list"},
		{fmt.Errorf("x: %w", session.ErrNotFound), KindInternal, "no such session", "sessions list"},
		{errors.New("who knows"), KindInternal, "Who knows.", "Retry"},
	} {
		t.Run(tt.kind+" "+tt.err.Error(), func(t *testing.T) {
			got := Explain(tt.err)
			if got.Kind != tt.kind || !strings.Contains(got.Sentence, tt.sentence) || !strings.Contains(got.Next, tt.next) {
				t.Errorf("got %+v, want %s, %q, %q", got, tt.kind, tt.sentence, tt.next)
			}
			if strings.ContainsAny(got.Sentence, "\n") || !strings.HasSuffix(strings.TrimSpace(got.Sentence), ".") && !strings.HasSuffix(got.Sentence, "?") {
				t.Errorf("not a sentence: %q", got.Sentence)
			}
		})
	}
	if got := Explain(nil); got != (Explanation{}) {
		t.Errorf("nil: %+v", got)
	}
}

func TestExplainForATerminal(t *testing.T) {
	for err, want := range map[error]string{
		&ollama.Error{Kind: ollama.ErrOllamaDown, Host: "h:1"}: "Start it with `ollama serve`, then try again.",
		context.Canceled: "The partial answer is kept. `mac-stats ask -c` goes on from there.",
		&ollama.Error{Kind: ollama.ErrServer, Host: "h:1", Status: 400, Detail: "invalid model name"}: "Write the name as `mac-stats models list` and ollama.com/library show it, such as qwen3:8b.",
	} {
		if got := Explain(err).Terminal().Next; got != want {
			t.Errorf("%v: %q", err, got)
		}
	}
}
