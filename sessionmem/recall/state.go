package recall

import (
	"fmt"
	"strings"
)

// VectorState describes whether a search by meaning is possible.
type VectorState string

// The states of the vectors.
const (
	VectorsOff      VectorState = "off"
	VectorsReady    VectorState = "ready"
	VectorsBuilding VectorState = "building"
	VectorsPaused   VectorState = "paused"  // they belong to another model, or their model is gone
	VectorsPartial  VectorState = "partial" // the server didn't answer
)

// State describes how much of the files the index covers.
type State struct {
	Files    int // that exist
	Behind   int // of them changed since they were indexed
	Building bool
	Done, Of int // of the building: files done, files to do; 0 if not known yet
	Vectors  VectorState
	Cold     int      // chunks left out because they are cold
	LeftOut  []string // words of the question, "-word" or "NOT word", that left hits out
	Err      error    // why the index can't be read; the answer is empty then
	Server   error    // why other machines weren't searched although they should have been
}

// String describes the state, e.g. "behind by 3 files, vectors paused, 120 cold chunks excluded".
func (s State) String() string {
	if s.Err != nil {
		return "unusable: " + s.Err.Error()
	}
	var parts []string
	switch {
	case s.Building && s.Of > 0:
		parts = append(parts, fmt.Sprintf("building, %d of %s", s.Done, count(s.Of, "file")))
	case s.Building && s.Behind > 0:
		parts = append(parts, "building, "+count(s.Behind, "file")+" to go")
	case s.Building:
		parts = append(parts, "building")
	case s.Behind > 0:
		parts = append(parts, "behind by "+count(s.Behind, "file"))
	default:
		parts = append(parts, "fresh")
	}
	if s.Vectors != "" && s.Vectors != VectorsOff && s.Vectors != VectorsReady {
		parts = append(parts, "vectors "+string(s.Vectors))
	}
	if s.Cold > 0 {
		parts = append(parts, count(s.Cold, "cold chunk")+" excluded")
	}
	if len(s.LeftOut) > 0 {
		parts = append(parts, "hits with “"+strings.Join(s.LeftOut, "”, “")+"” left out")
	}
	if s.Server != nil {
		parts = append(parts, "partial: this machine alone")
	}
	return strings.Join(parts, ", ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
