package ollama

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestValueReader(t *testing.T) {
	long := strings.Repeat("x", 3*readChunk)
	object := `{"a": ["` + long + `"]}`
	tests := []struct {
		name  string
		in    string
		limit int
		want  []string
		err   error
	}{
		{"empty", "", 100, nil, io.EOF},
		{"words", "a\n", 100, []string{"a"}, io.EOF},
		{"no newline at the end", "a\nb", 100, []string{"a", "b"}, io.EOF},
		{"blank lines and CRLF", "\n a \r\n\r\n\nb\n  ", 100, []string{"a", "b"}, io.EOF},
		{"longer than the buffer", long + "\nb\n", 1 << 20, []string{long, "b"}, io.EOF},
		{"exactly the buffer", long[:readChunk-1] + "\nb\n", 1 << 20, []string{long[:readChunk-1], "b"}, io.EOF},
		{"too long", "a\n" + long + "\n", readChunk, []string{"a"}, errTooLong},
		{"an object longer than the buffer", object + object + "\nb", 1 << 20, []string{object, object, "b"}, io.EOF},
		{"an object that is too long", "{}\n" + strings.ReplaceAll(object, "[", "\n["), readChunk, []string{"{}"}, errTooLong},
		{"an object over lines", "{\n\"a\":\n{\n}\n}{}", 100, []string{"{\n\"a\":\n{\n}\n}", "{}"}, io.EOF},
		{"a cut object", "{}\n{\"a\": {}\n", 100, []string{"{}"}, errCutValue},
		{"a broken string", "{\"a\": \"b\n{}\n", 100, []string{`{"a": "b`, "{}"}, io.EOF},
		{"a missing brace", "{\"a\": {}\n{}\n", 100, []string{"{\"a\": {}\n", "{}"}, io.EOF},
		{"a brace too many", "{}}\n{}\n", 100, []string{"{}", "}", "{}"}, io.EOF},
		{"words behind an object", "{} or not\n", 100, []string{"{}", "or not"}, io.EOF},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, source := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
				r := newValueReader(source, tt.limit)
				var got []string
				value, err := r.next()
				for ; err == nil; value, err = r.next() {
					got = append(got, string(value))
				}
				if diff := cmp.Diff(tt.want, got); diff != "" || !errors.Is(err, tt.err) {
					t.Errorf("err %v, values (-want +got):\n%s", err, diff)
				}
			}
		})
	}
}

func TestValueReaderReleasesTheMemoryOfALongValue(t *testing.T) {
	r := newValueReader(strings.NewReader(strings.Repeat("x", 10*keepValue)+"\nshort\n"), maxValue)
	for range 2 {
		if _, err := r.next(); err != nil {
			t.Fatal(err)
		}
	}
	if cap(r.buf) > keepValue {
		t.Errorf("%d bytes are still held", cap(r.buf))
	}
}

// FuzzStream reads any bytes as a chat stream. It must end in done or in an *Error, and
// the answer must be the text of the lines.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		`{"message":{"role":"assistant","content":"Hi"},"done":false}` + "\n" + `{"done":true,"done_reason":"stop","eval_count":1}` + "\n",
		`{"message":{"content":"a"`, `{"error":"boom"}` + "\n", `{"error":{"message":"deep"}}` + "\n", "<html>\n", "\n\n\n", "null\n", "[]\n", `"x"`,
		`{"message":{"tool_calls":[{"function":{"name":"x","arguments":{"a":[1,{"b":null}]}}}]},"done":true}`,
		`{"message":{"content":"<think>a</thi"},"done":false}` + "\n" + `{"message":{"content":"nk>b"},"done":true}` + "\n",
		`{"message":{"tool_calls":[{"function":{"arguments":"not an object"}}]}}` + "\n",
		`{"done":true,"prompt_eval_count":-1,"total_duration":1e99}` + "\n", "\xef\xbb\xbf{}\n", strings.Repeat("{", 2*readChunk) + "\n",
		"event: error\ndata: {\"message\": \"x\"}\n\n", "data: {\ndata: \"response\": \"a\"}\n: x\n\ndata: [DONE]\n", "[{\"content\": \"a\"},\n{\"done_reason\": \"stop\"}]",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		reader := newValueReader(bytes.NewReader(data), maxValue)
		run := &chatRun{}
		var sum strings.Builder
		run.req.OnChunk = func(c Chunk) { sum.WriteString(c.Content) }
		for {
			var line chatLine
			if err := readLine(reader, target{op: "chat"}, &line); err != nil {
				var e *Error
				if !errors.As(err, &e) || e.Kind == nil {
					t.Fatalf("an error without a kind: %v", err)
				}
				break
			}
			run.onLine(line)
			if line.last() {
				break
			}
		}
		result := run.finish()
		if result.Content != sum.String() {
			t.Fatalf("chunks %q, result %q", sum.String(), result.Content)
		}
		if _, err := json.Marshal(result.ToolCalls); err != nil {
			t.Fatalf("tool calls that can't be sent back: %v", err)
		}
	})
}
