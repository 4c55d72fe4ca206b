package cmdline

import (
	"fmt"
	"strings"

	"mac-stats/app/cli/words"
	"mac-stats/sessionmem"
)

// Lack is something that is missing from the data folder, and what can be done.
type Lack struct{ Found, Fix string }

// IncompleteWords describes what is missing from a data folder that was moved or restored only
// in part. dir is the folder of the sessions.
func IncompleteWords(in sessionmem.Incomplete, dir string) (lacks []Lack) {
	names := func(list []string) string {
		shown := strings.Join(list[:min(5, len(list))], ", ")
		if len(list) > 5 {
			shown += fmt.Sprintf(" and %d more", len(list)-5)
		}
		return shown
	}
	if n := len(in.Journals); n > 0 {
		lacks = append(lacks, Lack{
			words.Count(n, "session has", "sessions have") + " no transcript any more, only a journal: " + names(in.Journals) + ".",
			"If they weren't deleted on purpose, copy the transcripts back to " + dir + "; the journals in " + dir + "/.journal hold what was written last and go after 30 days.",
		})
	}
	if n := len(in.Parts); n > 0 {
		lacks = append(lacks, Lack{
			words.Count(n, "session begins", "sessions begin") + " with a later part: " + names(in.Parts) + ".",
			"Copy the earlier files back to " + dir + "; until then the session lacks what is in them.",
		})
	}
	if in.Keys {
		lacks = append(lacks, Lack{
			"forgotten.key is missing or lacks a key: what was forgotten isn't recognised in files that come back.",
			"Copy forgotten.key back from the same backup as forgotten.jsonl.",
		})
	}
	return lacks
}
