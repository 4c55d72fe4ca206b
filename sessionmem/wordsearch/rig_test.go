package wordsearch

import (
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/transcript"
)

var (
	must      = filetest.Must
	writeFile = filetest.Write
)

func openStore(t testing.TB, root string) *sessionmem.Store {
	t.Helper()
	s, err := sessionmem.Open(sessionmem.Config{Root: root})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func mustAppend(t testing.TB, s *sessionmem.Store, name string, b transcript.Block) transcript.Block {
	t.Helper()
	out, err := s.Append(t.Context(), name, b)
	must(t, err)
	return out
}

func user(text string) transcript.Block {
	return transcript.Block{Kind: transcript.KindUser, Text: text}
}

func ago(d time.Duration, text string) transcript.Block {
	return transcript.Block{Kind: transcript.KindUser, Time: time.Now().Add(-d), Text: text}
}

func second[T any](_ T, err error) error { return err }
