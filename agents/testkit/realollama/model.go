package realollama

import (
	"fmt"
	"io"
)

// DefaultContext is the default context length of a Model, in tokens. A byte of a prompt
// is a token, so this is little text.
const DefaultContext = 32768

// Model is a model with answers that a test defines.
type Model struct {
	Name    string            // as the server lists it; ":latest" is added if there is no tag
	Answers map[string]string // name → text; a name has lower-case letters, digits, - and _
	Endless []string          // names of answers that repeat until the call is stopped
	Rules   []Rule            // the first that matches chooses the answer
	Default string            // the answer if no rule matches; optional if there is only one answer
	Tools   bool              // has the capability "tools": an answer written by ToolCall arrives as a native call
	Context int               // context length in tokens; 0 is DefaultContext
}

// Rule chooses an answer by the request. A rule matches if all its fields match; an empty
// field matches everything.
type Rule struct {
	Role     string // the last message's role: user, assistant, tool
	Contains string // in the last message
	System   string // in the system message
	Answer   string
}

// ToolCall returns the answer with which a model with Tools makes a native call;
// arguments is a JSON object.
func ToolCall(name, arguments string) string {
	return fmt.Sprintf(`<tool_call> {"name": %q, "arguments": %s} </tool_call>`, name, arguments)
}

// Sizes of the one block, in units of the model file.
const (
	unit        = 64 // the width of the residual stream is a multiple of it
	headSize    = 32 // of the only attention head, which adds nothing and should cost little
	feedForward = 64
	// certainty makes the intended token's score so high that no sampling misses it.
	certainty = 4
)

// WriteGGUF writes the model's file. The weights keep the residual stream one-hot: token
// i enters as the unit vector i, attention and feed-forward add zero, and the output
// matrix maps it to next(i).
func (m Model) WriteGGUF(w io.Writer) (int64, error) {
	v, err := newVocabulary(m.Answers, m.Endless)
	if err != nil {
		return 0, fmt.Errorf("model %s: %w", m.Name, err)
	}
	file := ggufFile{meta: m.metadata(v), tensors: tensors(v)}
	return file.WriteTo(w)
}

func (m Model) context() int {
	if m.Context == 0 {
		return DefaultContext
	}
	return m.Context
}

// width returns the size of the residual stream, which has a dimension for every token.
func (v *vocabulary) width() int {
	return (len(v.tokens) + unit - 1) / unit * unit
}

func (m Model) metadata(v *vocabulary) []ggufEntry {
	types := make([]int32, len(v.tokens))
	for i, control := range v.control {
		types[i] = 1 // normal
		if control {
			types[i] = 3
		}
	}
	width := uint32(v.width())
	return []ggufEntry{
		{"general.architecture", "llama"},
		{"general.name", m.Name},
		{"general.file_type", uint32(0)}, // all F32
		{"llama.context_length", uint32(m.context())},
		{"llama.embedding_length", width},
		{"llama.block_count", uint32(1)},
		{"llama.feed_forward_length", uint32(feedForward)},
		{"llama.attention.head_count", uint32(1)},
		{"llama.attention.head_count_kv", uint32(1)},
		{"llama.attention.key_length", uint32(headSize)},
		{"llama.attention.value_length", uint32(headSize)},
		{"llama.attention.layer_norm_rms_epsilon", float32(1e-5)},
		{"llama.rope.dimension_count", uint32(headSize)},
		{"llama.vocab_size", uint32(len(v.tokens))},
		{"tokenizer.ggml.model", "gpt2"},
		{"tokenizer.ggml.pre", "default"},
		{"tokenizer.ggml.tokens", v.tokens},
		{"tokenizer.ggml.token_type", types},
		{"tokenizer.ggml.merges", []string{unusedMerge}},
		{"tokenizer.ggml.bos_token_id", uint32(v.end)},
		{"tokenizer.ggml.eos_token_id", uint32(v.end)},
		{"tokenizer.ggml.add_bos_token", false},
	}
}

// unusedMerge satisfies the reader, which requires a merge. It names no token of the
// vocabulary, so nothing is ever merged.
const unusedMerge = "Ā Ā"

func tensors(v *vocabulary) []ggufTensor {
	width := v.width()
	embedding := zeros("token_embd.weight", width, len(v.tokens))
	output := zeros("output.weight", width, len(v.tokens))
	for i, next := range v.next {
		embedding.data[i*width+i] = 1
		output.data[next*width+i] = certainty
	}
	return []ggufTensor{
		embedding,
		ones("blk.0.attn_norm.weight", width),
		zeros("blk.0.attn_q.weight", width, headSize),
		zeros("blk.0.attn_k.weight", width, headSize),
		zeros("blk.0.attn_v.weight", width, headSize),
		zeros("blk.0.attn_output.weight", headSize, width),
		ones("blk.0.ffn_norm.weight", width),
		zeros("blk.0.ffn_gate.weight", width, feedForward),
		zeros("blk.0.ffn_up.weight", width, feedForward),
		zeros("blk.0.ffn_down.weight", feedForward, width),
		ones("output_norm.weight", width),
		output,
	}
}

func zeros(name string, columns, rows int) ggufTensor {
	return ggufTensor{name, []uint64{uint64(columns), uint64(rows)}, make([]float32, columns*rows)}
}

func ones(name string, columns int) ggufTensor {
	t := ggufTensor{name, []uint64{uint64(columns)}, make([]float32, columns)}
	for i := range t.data {
		t.data[i] = 1
	}
	return t
}
