package recall_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/recalltest"
)

func TestConforms(t *testing.T) {
	recalltest.Run(t, func(t *testing.T, p recalltest.Params) recalltest.Backend {
		t.Helper()
		x, err := recall.Open(recall.Config{Root: p.Root, CacheDir: p.CacheDir, Store: p.Store, Memory: p.Memory, Settings: p.Settings})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}, func(t *testing.T, p recalltest.Params, word string) []string {
		t.Helper()
		var left []string
		err := filepath.WalkDir(p.CacheDir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			if bytes.Contains(data, []byte(word)) {
				left = append(left, filepath.Base(path))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return left
	})
}
