package catalog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

func TestFilesThatOnlyLookLikePartsStaySeparate(t *testing.T) {
	root := t.TempDir()
	s := openLimited(t, root, storetest.PartLimit)
	threeParts(t, s)
	older := "session-memory-cpu-a-20200102-030405-old"
	for i, text := range []string{"an older file", "and its second part"} {
		writeFile(t, filepath.Join(root, transcript.SessionDir, transcript.PartFile(older, i+1)), "---\nformat: mac-stats-session/1\n---\n\n## User · 2020-01-02T03:04:05Z\n<!-- id=o"+fmt.Sprint(i)+" -->\n\n"+text+"\n")
	}
	list, err := s.List(t.Context())
	if err != nil || len(list) != 2 {
		t.Fatalf("list %+v, %v", list, err)
	}
	slices.SortFunc(list, func(a, b transcript.Info) int { return a.Active.Compare(b.Active) })
	if old := list[0]; !old.ReadOnly || old.Messages != 2 || len(old.Parts) != 2 {
		t.Errorf("the older one is %+v", old)
	}
	if list[1].ReadOnly || list[1].Messages != 6 {
		t.Errorf("the newer one is %+v", list[1])
	}
	if got := loadOne(t, s, "cpu-a").Blocks; len(got) != 6 {
		t.Errorf("%d blocks are loaded", len(got))
	}
}

func TestLoadFileOfAPart(t *testing.T) {
	root := t.TempDir()
	s := openLimited(t, root, 500)
	written := threeParts(t, s)
	all := onlyInfo(t, s).Parts
	if len(all) != 3 {
		t.Fatalf("parts %v, want three", all)
	}
	// given any of the parts, the whole session is read
	for _, path := range all {
		tr, err := s.LoadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(written, tr.Blocks); diff != "" {
			t.Errorf("%s (-written +read):\n%s", filepath.Base(path), diff)
		}
		if diff := cmp.Diff(all, tr.Info.Parts); diff != "" || tr.Info.Path != path || tr.Info.Name != "cpu-a" || tr.Info.Messages != 6 {
			t.Errorf("%s is told as %+v", filepath.Base(path), tr.Info)
		}
	}
	// given that one is gone, the adjoining ones
	if err := os.Remove(all[1]); err != nil {
		t.Fatal(err)
	}
	if tr, err := s.LoadFile(all[0]); err != nil || len(tr.Blocks) != 2 || tr.Info.Parts != nil {
		t.Errorf("the first alone: %+v, %v", tr, err)
	}
	// given a name that isn't a session's, a file named like a part is another file
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "notes.md"), "## User\n\nmine\n")
	writeFile(t, filepath.Join(dir, "notes.part2.md"), "## User\n\nanother's\n")
	if tr, err := s.LoadFile(filepath.Join(dir, "notes.md")); err != nil || len(tr.Blocks) != 1 {
		t.Errorf("notes.md: %+v, %v", tr, err)
	}
}
