package catalog

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"
	"time"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// FuzzListCache reads random bytes as a cache: they are rejected, or written back unchanged.
func FuzzListCache(f *testing.F) {
	c := &listCache{file: "/cache", dir: "/data/session"}
	sealed := func(body []byte) []byte {
		out := append([]byte(c.head()), body...)
		return binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
	}
	line := &listed{Entry: parseEntry("session-memory-cpu-a-20260102-030405-chat.md"), stamp: wholefile.Stamp{Size: 100, Time: 1e18, Inode: 7}, info: transcript.Info{Title: "Über", Messages: 3, Started: time.Unix(1e9, 0), Active: time.Unix(1e9+60, 0).In(time.FixedZone("", 7200))}, own: true}
	f.Add(c.encode(map[string]*listed{line.File: line})[len(c.head()):])
	claimed := *line
	claimed.File, claimed.FileNameParts, claimed.claimed = "Notes.md", parseEntry("Notes.md").FileNameParts, true
	claimed.Session = "cpu-a"
	f.Add(c.encode(map[string]*listed{claimed.File: &claimed})[len(c.head()):])
	f.Add([]byte{})
	f.Add([]byte{0})
	f.Add([]byte{1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, body []byte) {
		lines, err := c.decode(sealed(body))
		if err != nil {
			return
		}
		once := c.encode(lines)
		again, err := c.decode(once)
		if err != nil || len(again) != len(lines) {
			t.Fatalf("%d lines, then %d, %v", len(lines), len(again), err)
		}
		if !bytes.Equal(once, c.encode(again)) {
			t.Error("written twice it differs")
		}
	})
}

func TestListCacheKeepsTheLastAgent(t *testing.T) {
	c := newListCache(t.TempDir(), t.TempDir())
	line := &listed{Entry: parseEntry("session-memory-cpu-a-20261121-101500-x.md"), info: transcript.Info{Title: "t", Agent: "coder"}}
	lines, err := c.decode(c.encode(map[string]*listed{line.File: line}))
	if err != nil || lines[line.File].info.Agent != "coder" || lines[line.File].info.Title != "t" {
		t.Errorf("%+v, %v", lines[line.File], err)
	}
}
