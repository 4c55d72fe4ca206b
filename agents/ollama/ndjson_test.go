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

func TestLineReader(t *testing.T) {
	long := strings.Repeat("x", 3*readChunk)
	tests := []struct {
		name  string
		in    string
		limit int
		want  []string
		whole bool // of the last line
		err   error
	}{
		{"empty", "", 100, nil, false, io.EOF},
		{"one line", "a\n", 100, []string{"a"}, true, io.EOF},
		{"no newline at the end", "a\nb", 100, []string{"a", "b"}, false, io.EOF},
		{"blank lines and CRLF", "\n a \r\n\r\n\nb\n  ", 100, []string{"a", "b"}, true, io.EOF},
		{"longer than the buffer", long + "\nb\n", 1 << 20, []string{long, "b"}, true, io.EOF},
		{"exactly the buffer", long[:readChunk-1] + "\nb\n", 1 << 20, []string{long[:readChunk-1], "b"}, true, io.EOF},
		{"too long", "a\n" + long + "\n", readChunk, []string{"a"}, true, errLineTooLong},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, source := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
				got, whole, err := readAllLines(newLineReader(source, tt.limit))
				if diff := cmp.Diff(tt.want, got); diff != "" || whole != tt.whole || !errors.Is(err, tt.err) {
					t.Errorf("whole %v, err %v, lines (-want +got):\n%s", whole, err, diff)
				}
			}
		})
	}
}

func readAllLines(r *lineReader) (lines []string, whole bool, err error) {
	for {
		line, w, err := r.next()
		if err != nil {
			return lines, whole, err
		}
		lines, whole = append(lines, string(line)), w
	}
}

func TestLineReaderReleasesTheMemoryOfALongLine(t *testing.T) {
	r := newLineReader(strings.NewReader(strings.Repeat("x", 10*keepLine)+"\nshort\n"), maxLine)
	for range 2 {
		if _, _, err := r.next(); err != nil {
			t.Fatal(err)
		}
	}
	if cap(r.long) > keepLine {
		t.Errorf("%d bytes are still held", cap(r.long))
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
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		reader := newLineReader(bytes.NewReader(data), maxLine)
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
