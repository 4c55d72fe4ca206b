package realollama

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGGUFRoundTrip(t *testing.T) {
	tests := map[string]ggufFile{
		"given nothing": {},
		"given every type of value": {meta: []ggufEntry{
			{"text", "größe"},
			{"empty", ""},
			{"number", uint32(7)},
			{"float", float32(1e-5)},
			{"yes", true},
			{"no", false},
			{"texts", []string{"a", "", "ü"}},
			{"numbers", []int32{1, -3}},
		}},
		"given tensors whose sizes need padding": {
			meta: []ggufEntry{{"general.architecture", "llama"}},
			tensors: []ggufTensor{
				{"one", []uint64{3}, []float32{1, 2, 3}},
				{"two", []uint64{2, 2}, []float32{0, -1, 0.5, 4}},
				{"many", []uint64{4097}, make([]float32, 4097)},
			},
		},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			n, err := want.WriteTo(&b)
			if err != nil || n != int64(b.Len()) {
				t.Fatalf("WriteTo = %d, %v; wrote %d bytes", n, err, b.Len())
			}
			got, err := readGGUF(b.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(ggufFile{}, ggufEntry{}, ggufTensor{})); diff != "" {
				t.Errorf("read back (-want +got):\n%s", diff)
			}
		})
	}
}

func TestGGUFRefuses(t *testing.T) {
	tests := map[string]struct {
		file ggufFile
		want string
	}{
		"given a value of another type": {ggufFile{meta: []ggufEntry{{"x", 1.5}}}, "float64"},
		"given a tensor whose data do not fill its dimensions": {
			ggufFile{tensors: []ggufTensor{{"x", []uint64{2, 2}, []float32{1}}}}, "want 4",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := test.file.WriteTo(io.Discard); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("WriteTo: %v, want an error about %q", err, test.want)
			}
		})
	}
}

// ggufReader reads a GGUF file by the specification. It shares no code with ggufFile,
// the writer.
type ggufReader struct{ *bytes.Reader }

func readGGUF(data []byte) (f ggufFile, err error) {
	r := ggufReader{bytes.NewReader(data)}
	if magic := string(r.take(4)); magic != "GGUF" || r.uint32() != 3 {
		return f, fmt.Errorf("not a GGUF 3 file: %q", magic)
	}
	tensors, entries := r.uint64(), r.uint64()
	for range entries {
		f.meta = append(f.meta, ggufEntry{r.string(), r.value(r.uint32())})
	}
	var offsets []uint64
	for range tensors {
		t := ggufTensor{name: r.string()}
		for range r.uint32() {
			t.dims = append(t.dims, r.uint64())
		}
		if kind := r.uint32(); kind != 0 {
			return f, fmt.Errorf("tensor %s has type %d", t.name, kind)
		}
		offsets = append(offsets, r.uint64())
		f.tensors = append(f.tensors, t)
	}
	start := (r.Size() - int64(r.Len()) + 31) / 32 * 32
	for i := range f.tensors {
		if offsets[i]%32 != 0 {
			return f, fmt.Errorf("tensor %s starts at %d", f.tensors[i].name, offsets[i])
		}
		size := uint64(1)
		for _, d := range f.tensors[i].dims {
			size *= d
		}
		if _, err := r.Seek(start+int64(offsets[i]), io.SeekStart); err != nil {
			return f, err
		}
		for range size {
			f.tensors[i].data = append(f.tensors[i].data, math.Float32frombits(r.uint32()))
		}
	}
	return f, nil
}

func (r ggufReader) take(n uint64) []byte {
	p := make([]byte, n)
	if _, err := io.ReadFull(r, p); err != nil {
		panic(err)
	}
	return p
}

func (r ggufReader) uint32() uint32 { return binary.LittleEndian.Uint32(r.take(4)) }
func (r ggufReader) uint64() uint64 { return binary.LittleEndian.Uint64(r.take(8)) }
func (r ggufReader) string() string { return string(r.take(r.uint64())) }

func (r ggufReader) value(kind uint32) any {
	switch kind {
	case 4:
		return r.uint32()
	case 6:
		return math.Float32frombits(r.uint32())
	case 7:
		return r.take(1)[0] == 1
	case 8:
		return r.string()
	case 9:
		return r.array(r.uint32(), r.uint64())
	}
	panic(fmt.Sprintf("a value of type %d", kind))
}

func (r ggufReader) array(kind uint32, n uint64) any {
	var texts []string
	var numbers []int32
	for range n {
		if kind == 8 {
			texts = append(texts, r.string())
		} else {
			numbers = append(numbers, int32(r.uint32()))
		}
	}
	if kind == 8 {
		return texts
	}
	return numbers
}
