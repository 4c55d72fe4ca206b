package pdftext

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// childArg is the argument of a child.
const childArg = "__pdf"

// Limits of the memory of a child. PDFium itself has 64 MB, which is enough for every PDF that
// was tried; a file isn't copied into it. The process's own limit holds where the system has
// one, and leaves room to compile PDFium.
const (
	wasmPages = 64 << 20 / 65536
	maxMemory = 512 << 20
)

// hasChild reports that main called Child, so that this program can be its own child.
var hasChild bool

// answer is a line that a child prints. The first ones: PDFium has to be compiled; the child can
// read, which says nothing. Then, for each PDF: the number of its pages; each page; the end.
type answer struct {
	Making bool `json:"making,omitempty"`

	Pages int    `json:"pages,omitempty"`
	Page  int    `json:"page,omitempty"`
	Text  string `json:"text,omitempty"`
	Done  bool   `json:"done,omitempty"`
	Full  bool   `json:"full,omitempty"` // at the end: the text reached its limit
	Why   int    `json:"why,omitempty"`  // at the end: an index of reasons
}

// Child reads the PDFs that a Reader writes to the standard input and exits, if the program's
// arguments ask for that; otherwise it returns at once. main must call it early. cache returns
// the folder in which the compiled PDFium is kept; "" means none.
func Child(cache func() string) {
	hasChild = true
	if len(os.Args) != 2 || os.Args[1] != childArg {
		return
	}
	limitMemory(maxMemory)
	if err := serve(os.Stdin, os.Stdout, cache()); err != nil {
		fmt.Fprintln(os.Stderr, "mac-stats: reading PDFs:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// memory is the memory of one PDFium after the other. It never moves: growing by copies, as
// wazero does, takes four times as much.
type memory struct {
	all  []byte // zero, but for what is used
	used int
}

// Allocate implements experimental.MemoryAllocator.
func (m *memory) Allocate(_, most uint64) experimental.LinearMemory {
	if m.all == nil {
		m.all = make([]byte, most)
	}
	return m
}

// Reallocate implements experimental.LinearMemory.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.all)) {
		return nil
	}
	m.used = max(m.used, int(size)) //nolint:gosec // not more than its length
	return m.all[:size]
}

// Free implements experimental.LinearMemory.
func (m *memory) Free() { clear(m.all[:m.used]) }

// serve reads PDFs until the input ends: the size and the limit of the text in a line, then
// the file.
func serve(stdin io.Reader, stdout io.Writer, cache string) error {
	in, out := bufio.NewReader(stdin), json.NewEncoder(stdout)
	out.SetEscapeHTML(false)
	engine, err := openEngine(cache, func() { _ = out.Encode(answer{Making: true}) }) // the next answer fails, too
	if err != nil {
		return err
	}
	runtime.GC() // compiling leaves some hundred MB, which count against the limit
	if err := out.Encode(answer{}); err != nil {
		return err
	}
	for {
		var size, most int
		if _, err := fmt.Fscanf(in, "%d %d\n", &size, &most); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("the frame of a PDF: %w", err)
		}
		data := make([]byte, size)
		if _, err := io.ReadFull(in, data); err != nil {
			return err
		}
		// The parent kills a child that takes too long. This one is for a parent that died.
		orphan := time.AfterFunc(2*fileTime, func() { os.Exit(1) })
		last, err := readFile(engine, data, most, out)
		orphan.Stop()
		if err != nil {
			return err
		}
		if err := out.Encode(last); err != nil {
			return err
		}
	}
}

// openEngine starts PDFium. Its compiled form comes from the cache folder, or is made and kept
// there, which making is told before. It is run by wazero's compiler, as its interpreter takes
// twenty times as long.
func openEngine(cache string, making func()) (pdfium.Pool, error) {
	config := webassembly.Config{
		Context:  experimental.WithMemoryAllocator(context.Background(), &memory{}),
		MaxTotal: 1,
		FSConfig: wazero.NewFSConfig(), // no files: without it the module gets all of them
		Stdout:   io.Discard,
		Stderr:   io.Discard,
		RuntimeConfig: wazero.NewRuntimeConfigCompiler().
			WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
			WithMemoryLimitPages(wasmPages).
			WithDebugInfoEnabled(false),
	}
	if cache == "" {
		making()
		return webassembly.Init(config)
	}
	// wazero checks only parts of what it reads here and believes a damaged file for ever, so
	// a checksum of all of it decides.
	dir := filepath.Join(cache, "pdfium")
	sumFile := filepath.Join(dir, "checksum")
	if sum, err := os.ReadFile(sumFile); err != nil || string(sum) != checksum(dir) {
		making()
		_ = os.RemoveAll(dir)
	}
	kept, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil { // such as a full disk: without a cache it takes some seconds more
		return webassembly.Init(config)
	}
	plain := config.RuntimeConfig
	config.RuntimeConfig = plain.WithCompilationCache(kept)
	engine, err := webassembly.Init(config)
	if err != nil {
		_ = os.RemoveAll(dir)
		config.RuntimeConfig = plain
		return webassembly.Init(config)
	}
	if _, err := os.Stat(sumFile); errors.Is(err, fs.ErrNotExist) {
		_ = os.WriteFile(sumFile, []byte(checksum(dir)), 0o600)
	}
	return engine, nil
}

// checksum returns the checksum of the compiled files in a folder.
func checksum(dir string) string {
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || filepath.Dir(path) == dir {
			return nil //nolint:nilerr // what can't be read changes the sum
		}
		f, err := os.Open(path)
		if err != nil {
			return nil //nolint:nilerr // likewise
		}
		defer f.Close()
		_, _ = io.Copy(sum, f)
		return nil
	})
	return fmt.Sprintf("%08x", sum.Sum32())
}

// isXFA reports whether the pages of a PDF hold only a notice, and a form that replaces them.
func isXFA(lib pdfium.Pdfium, doc references.FPDF_DOCUMENT) bool {
	form, err := lib.FPDF_GetFormType(&requests.FPDF_GetFormType{Document: doc})
	return err == nil && form.FormType == enums.FPDF_FORMTYPE_XFA_FULL
}

// readFile prints the pages of a PDF and returns the last answer. Each PDF gets a PDFium of
// its own. An error is one of the child, which ends then.
func readFile(engine pdfium.Pool, data []byte, most int, out *json.Encoder) (answer, error) {
	lib, err := engine.GetInstanceWithContext(context.Background())
	if err != nil {
		return answer{}, fmt.Errorf("starting PDFium: %w", err)
	}
	defer func() { _ = lib.Close() }()
	if at := bytes.Index(data[:min(len(data), 1024)], []byte(Header)); at > 0 {
		data = data[at:]
	}
	// As a file that PDFium reads from, it takes nothing of PDFium's memory.
	opened, err := lib.OpenDocument(&requests.OpenDocument{FileReader: bytes.NewReader(data), FileReaderSize: int64(len(data))})
	switch {
	case errors.Is(err, pdfiumerrors.ErrPassword), errors.Is(err, pdfiumerrors.ErrSecurity):
		return answer{Done: true, Why: 2}, nil
	case err != nil:
		return answer{Done: true, Why: 1}, nil
	}
	count, err := lib.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: opened.Document})
	if err != nil {
		return answer{Done: true, Why: 1}, nil
	}
	if count.PageCount == 0 {
		return answer{Done: true, Why: 4}, nil
	}
	if err := out.Encode(answer{Pages: count.PageCount}); err != nil {
		return answer{}, err
	}
	size, best := 0, blank
	for n := 1; n <= count.PageCount; n++ {
		about := ""
		if n == 1 {
			about = signatures(lib, opened.Document)
			if isXFA(lib, opened.Document) {
				about += "[it is a form of the kind XFA, whose fields can't be read]\n"
			}
		}
		text, has := readPage(lib, opened.Document, n)
		text, best = about+text, max(best, has)
		full := size+len(text) > most
		if full && size == 0 {
			text = cutText(text, most) + "\n[the page goes on]\n\n"
		}
		if !full || size == 0 {
			if err := out.Encode(answer{Page: n, Text: text}); err != nil {
				return answer{}, err
			}
		}
		if size += len(text); full {
			return answer{Done: true, Full: n > 1 || count.PageCount > 1}, nil
		}
	}
	switch best {
	case blank:
		return answer{Done: true, Why: 4}, nil
	case pictures:
		return answer{Done: true, Why: 3}, nil
	}
	return answer{Done: true}, nil
}
