package cpuwindow

import (
	"strings"

	"mac-stats/sessionmem/recall"
)

// coverage says in the reader's language what recall.State.String says in English.
func coverage(s recall.State) string {
	if s.Err != nil {
		return trWith("can't be used: {{.Error}}", places{"Error": s.Err.Error()})
	}
	parts := []string{coverWords(s)}
	switch s.Vectors {
	case recall.VectorsBuilding:
		parts = append(parts, tr("vectors building"))
	case recall.VectorsPaused:
		parts = append(parts, tr("vectors paused"))
	case recall.VectorsPartial:
		parts = append(parts, tr("vectors partial"))
	}
	if s.Cold > 0 {
		parts = append(parts, trCount("{{.N}} cold chunks excluded", s.Cold))
	}
	return strings.Join(parts, ", ")
}

// coverWords say how much the index covers of what there is.
func coverWords(s recall.State) string {
	switch {
	case s.Building && s.Of > 0:
		return trWith("building, {{.Done}} of {{.Files}}", places{"Done": s.Done, "Files": trCount("{{.N}} files", s.Of)})
	case s.Building && s.Behind > 0:
		return trWith("building, {{.Files}} to go", places{"Files": trCount("{{.N}} files", s.Behind)})
	case s.Building:
		return tr("building")
	case s.Behind > 0:
		return trWith("behind by {{.Files}}", places{"Files": trCount("{{.N}} files", s.Behind)})
	}
	return tr("fresh")
}

// lacks reports whether an answer may lack something.
func lacks(s recall.State) bool {
	return s.Err != nil || s.Building || s.Behind > 0 || s.Cold > 0 || s.Vectors == recall.VectorsPaused || s.Vectors == recall.VectorsPartial
}
