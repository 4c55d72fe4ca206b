package prompt

import (
	"strings"
	"testing"

	"github.com/ollama/ollama/api"
)

func TestAnAnswerEndsAtAWrittenTurnMark(t *testing.T) {
	for answer, want := range map[string]string{
		"Hello!<|im_end|>\n<|im_start|>user\nTell me more": "Hello!",
		"Hello!\n<|im_end|>": "Hello!\n",
		"<|im_end|>":         "",
		"It is 7.<end_of_turn>\n<start_of_turn>user\nWhy?": "It is 7.",
		"Oslo.</s>":                                        "Oslo.",
		"Oslo. [INST] And Bergen? [/INST] It is":           "Oslo. [INST] And Bergen? [/INST] It is", // in a sentence
		"Oslo.\n[INST] And Bergen? [/INST]":                "Oslo.\n",
		"Sure.<|eot_id|><|start_header_id|>user":           "Sure.",
		"`<|im_end|>`\nends a turn.":                       "`<|im_end|>`\nends a turn.",
		"```\n<|im_start|>user\nHello<|im_end|>\n```\nso.": "```\n<|im_start|>user\nHello<|im_end|>\n```\nso.",
		"The mark <|im_end|> ends a turn.":                 "The mark <|im_end|> ends a turn.",
		"if (a < b) { x[0] = 1 }\n<b>bold</b> a <|> b":     "if (a < b) { x[0] = 1 }\n<b>bold</b> a <|> b",
	} {
		pieces := func(parts ...string) string {
			e, got := NewTurnEnd(nil), ""
			for _, p := range parts {
				text, over := e.Write(p)
				if got += text; over {
					return got
				}
			}
			return got + e.Finish()
		}
		for i := range len(answer) {
			if got := pieces(answer[:i], answer[i:]); got != want {
				t.Errorf("%q cut at %d gives %q, want %q", answer, i, got, want)
			}
		}
		if got := pieces(strings.Split(answer, "")...); got != want {
			t.Errorf("%q in characters gives %q, want %q", answer, got, want)
		}
	}
	asked := NewTurnEnd([]api.Message{{Role: "user", Content: "What does <|im_end|> do?"}})
	if text, over := asked.Write("It ends a turn:\n<|im_end|>\nSo."); over || !strings.HasSuffix(text, "So.") {
		t.Errorf("asked about it: %q", text)
	}
}
