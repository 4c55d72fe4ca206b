package testkit

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

// failFirst plays the faults that come before the first line. It reports whether the
// request was handled.
func (s *Server) failFirst(w http.ResponseWriter, r *http.Request, f *Fault) bool {
	switch f.Kind {
	case FaultDown:
		if f.After > 0 {
			return false // left to failMid
		}
		s.Down()
		panic(http.ErrAbortHandler)
	case FaultHangFirst:
		wait[struct{}](s, r, nil)
	case FaultGarbage:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, page) // fails only if the client is gone
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

// failMid plays the faults that come after some chunks, of which sent have been sent. It
// reports whether the response ends there.
func (s *Server) failMid(r *http.Request, out *lines, f *Fault, sent int) bool {
	if f == nil || sent != f.After {
		return false
	}
	switch f.Kind {
	case FaultHangMid:
		out.flush()
		wait[struct{}](s, r, nil)
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
