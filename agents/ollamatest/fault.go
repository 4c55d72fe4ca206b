package ollamatest

import (
	"io"
	"net/http"
	"strconv"
	"time"
)

const (
	overflowMessage = "the input length exceeds the context length"
	page            = "<!DOCTYPE html><html><head><title>Welcome</title></head><body><h1>It works!</h1></body></html>"
)

// refuse plays the faults that come before the first line; it reports whether the
// request was dealt with.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, f *Fault) bool {
	switch f.Kind {
	case FaultDown:
		if f.After > 0 {
			return false // breaks does it
		}
		s.Down()
		panic(http.ErrAbortHandler)
	case FaultHangFirst:
		s.hang(r)
	case FaultGarbage:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, page) // the client is gone where this fails
	case FaultStatus:
		if f.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(f.RetryAfter/time.Second)))
		}
		fail(w, f.Status, f.message())
	default:
		return false
	}
	return true
}

func (f *Fault) message() string {
	switch {
	case f.Message != "":
		return f.Message
	case f.Status == http.StatusBadRequest:
		return overflowMessage
	case f.Status == http.StatusNotFound:
		return "model not found, try pulling it first"
	case f.Status == http.StatusServiceUnavailable:
		return "server busy, please try again.  maximum pending requests exceeded"
	}
	return "something went wrong inside"
}

// breaks plays the faults of a stream that come after so many chunks; it reports
// whether the answer ends with it.
func (s *Server) breaks(w http.ResponseWriter, r *http.Request, out *lines, f *Fault, sent int) bool {
	if f == nil || sent != f.After {
		return false
	}
	switch f.Kind {
	case FaultHangMid:
		out.flush()
		s.hang(r)
	case FaultCut:
		out.flush()
	case FaultDown, FaultReset:
		out.flush()
		if f.Kind == FaultDown {
			s.Down()
		}
		panic(http.ErrAbortHandler)
	case FaultErrorLine:
		out.send(map[string]string{"error": f.message()})
	case FaultNotJSON:
		out.raw([]byte("<p>Bad gateway</p>\n"))
	default:
		return false
	}
	return true
}

func after(f *Fault) int {
	if f == nil {
		return 0
	}
	return f.After
}

// hang waits until the client or the server goes.
func (s *Server) hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.gone.Done():
	}
}
