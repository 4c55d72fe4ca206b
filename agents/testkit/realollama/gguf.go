package realollama

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// The GGUF container, version 3, little-endian, as its specification defines it
// (github.com/ggml-org/ggml, docs/gguf.md): magic, version, counts, metadata, tensor
// descriptions, padding, tensor data.
const (
	ggufMagic     = "GGUF"
	ggufVersion   = 3
	ggufAlignment = 32 // bytes; every tensor's data starts at a multiple of it
	ggmlTypeF32   = 0
)

// Value types of GGUF metadata that our models need.
const (
	ggufUint32  uint32 = 4
	ggufInt32   uint32 = 5
	ggufFloat32 uint32 = 6
	ggufBool    uint32 = 7
	ggufString  uint32 = 8
	ggufArray   uint32 = 9
)

// ggufEntry is one metadata entry; value is a string, uint32, float32, bool,
// []string or []int32.
type ggufEntry struct {
	key   string
	value any
}

// ggufTensor is a matrix of 32-bit floats. dims[0] is the innermost dimension.
type ggufTensor struct {
	name string
	dims []uint64
	data []float32
}

type ggufFile struct {
	meta    []ggufEntry
	tensors []ggufTensor
}

// WriteTo writes the file; it implements io.WriterTo.
func (f *ggufFile) WriteTo(w io.Writer) (int64, error) {
	buffered := bufio.NewWriterSize(w, 1<<20)
	g := &ggufWriter{w: buffered}
	g.bytes([]byte(ggufMagic))
	g.number(uint32(ggufVersion))
	g.number(uint64(len(f.tensors)))
	g.number(uint64(len(f.meta)))
	for _, entry := range f.meta {
		g.string(entry.key)
		g.value(entry.value)
	}
	var offset uint64
	for _, t := range f.tensors {
		g.describe(t, offset)
		offset = aligned(offset + 4*uint64(len(t.data)))
	}
	g.pad()
	for _, t := range f.tensors {
		g.floats(t.data)
		g.pad()
	}
	if g.err == nil {
		g.err = buffered.Flush()
	}
	return g.n, g.err
}

// ggufWriter keeps the first error and the number of bytes written.
type ggufWriter struct {
	w   io.Writer
	n   int64
	err error
}

func (g *ggufWriter) bytes(p []byte) {
	if g.err != nil {
		return
	}
	n, err := g.w.Write(p)
	g.n, g.err = g.n+int64(n), err
}

// number writes a uint32, int32 or uint64.
func (g *ggufWriter) number(v any) {
	p, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil && g.err == nil {
		g.err = fmt.Errorf("write a number of a GGUF file: %w", err)
	}
	g.bytes(p)
}

func (g *ggufWriter) string(s string) {
	g.number(uint64(len(s)))
	g.bytes([]byte(s))
}

func (g *ggufWriter) value(v any) {
	switch v := v.(type) {
	case uint32:
		g.number(ggufUint32)
		g.number(v)
	case float32:
		g.number(ggufFloat32)
		g.number(math.Float32bits(v))
	case bool:
		g.number(ggufBool)
		if v {
			g.bytes([]byte{1})
		} else {
			g.bytes([]byte{0})
		}
	case string:
		g.number(ggufString)
		g.string(v)
	case []string:
		g.array(ggufString, len(v))
		for _, s := range v {
			g.string(s)
		}
	case []int32:
		g.array(ggufInt32, len(v))
		for _, n := range v {
			g.number(n)
		}
	default:
		if g.err == nil {
			g.err = fmt.Errorf("a GGUF file of ours holds no %T", v)
		}
	}
}

func (g *ggufWriter) array(element uint32, length int) {
	g.number(ggufArray)
	g.number(element)
	g.number(uint64(length))
}

func (g *ggufWriter) describe(t ggufTensor, offset uint64) {
	size := uint64(1)
	for _, d := range t.dims {
		size *= d
	}
	if size != uint64(len(t.data)) && g.err == nil {
		g.err = fmt.Errorf("tensor %s has %d values, its dimensions %v want %d", t.name, len(t.data), t.dims, size)
	}
	g.string(t.name)
	g.number(uint32(len(t.dims)))
	for _, d := range t.dims {
		g.number(d)
	}
	g.number(uint32(ggmlTypeF32))
	g.number(offset)
}

func (g *ggufWriter) floats(data []float32) {
	row := make([]byte, 0, 4096)
	for i, v := range data {
		row = binary.LittleEndian.AppendUint32(row, math.Float32bits(v))
		if len(row) == cap(row) || i == len(data)-1 {
			g.bytes(row)
			row = row[:0]
		}
	}
}

func (g *ggufWriter) pad() {
	g.bytes(make([]byte, aligned(uint64(g.n))-uint64(g.n)))
}

func aligned(n uint64) uint64 {
	return (n + ggufAlignment - 1) / ggufAlignment * ggufAlignment
}
