package trash_test

import (
	"slices"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"
)

var (
	must       = filetest.Must
	readFile   = filetest.Read
	writeFile  = filetest.Write
	openStore  = storetest.Open
	mustAppend = storetest.Append
	user       = storetest.User
	assistant  = storetest.Assistant
	texts      = storetest.Texts
	onlyFile   = storetest.OnlyFile
)

// ago returns a user block written that long ago.
func ago(d time.Duration, text string) transcript.Block {
	return transcript.Block{Kind: transcript.KindUser, Time: time.Now().Add(-d), Text: text}
}

func names(infos []transcript.Info) []string {
	var out []string
	for _, i := range infos {
		out = append(out, i.Name)
	}
	return out
}

func mustArchive(t *testing.T, s *sessionmem.Store, rule sessionmem.ArchiveRule) []string {
	t.Helper()
	moved, err := s.Archive(t.Context(), rule)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(moved)
	return moved
}

const month = 30 * 24 * time.Hour
