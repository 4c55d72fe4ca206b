// Package indexwords describes the search index's coverage in the user's language, for the
// search and for the settings.
package indexwords

import (
	"strings"

	"mac-stats/app/i18n"
	"mac-stats/sessionmem/recall"
)

// Of translates recall.State.String.
func Of(s recall.State) string {
	if s.Err != nil {
		return i18n.With("can't be used: {{.Error}}", i18n.Places{"Error": s.Err.Error()})
	}
	parts := []string{coverWords(s)}
	switch s.Vectors {
	case recall.VectorsBuilding:
		parts = append(parts, i18n.T("vectors building"))
	case recall.VectorsPaused:
		parts = append(parts, i18n.T("vectors paused"))
	case recall.VectorsPartial:
		parts = append(parts, i18n.T("vectors partial"))
	}
	if s.Cold > 0 {
		parts = append(parts, i18n.Count("{{.N}} cold chunks excluded", s.Cold))
	}
	if len(s.LeftOut) > 0 {
		parts = append(parts, i18n.With("hits with “{{.Words}}” left out", i18n.Places{"Words": strings.Join(s.LeftOut, "”, “")}))
	}
	return strings.Join(parts, ", ")
}

// coverWords describes how much of the conversations the index covers.
func coverWords(s recall.State) string {
	switch {
	case s.Building && s.Of > 0:
		return i18n.With("building, {{.Done}} of {{.Files}}", i18n.Places{"Done": s.Done, "Files": i18n.Count("{{.N}} files", s.Of)})
	case s.Building && s.Behind > 0:
		return i18n.With("building, {{.Files}} to go", i18n.Places{"Files": i18n.Count("{{.N}} files", s.Behind)})
	case s.Building:
		return i18n.T("building")
	case s.Behind > 0:
		return i18n.With("behind by {{.Files}}", i18n.Places{"Files": i18n.Count("{{.N}} files", s.Behind)})
	}
	return i18n.T("fresh")
}

// Lacks reports whether results may be missing from an answer.
func Lacks(s recall.State) bool {
	return s.Err != nil || s.Building || s.Behind > 0 || s.Cold > 0 || len(s.LeftOut) > 0 || s.Vectors == recall.VectorsPaused || s.Vectors == recall.VectorsPartial
}
