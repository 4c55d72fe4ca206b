package catalog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// The list cache holds what the session list shows of each transcript, so that a start
// doesn't read thousands of files. It is in the cache folder and may be deleted at any time. An
// entry is used only if the file's size, time and identity are unchanged. Titles are text
// of messages: an entry goes as soon as its transcript is deleted or shows another title.

const (
	cacheFormat = "mac-stats-list/4\n"

	// cacheAfter is how many entries must be new before the cache is written: reading a few
	// transcripts is cheaper.
	cacheAfter = 32

	// maxCacheBytes is the largest cache file that is read.
	maxCacheBytes = 256 << 20
)

var errNoCache = errors.New("it is no list cache of this folder and version")

// listCache is the cache file of one session folder. Its fields are set once.
type listCache struct {
	file string // absolute
	dir  string // the session folder
}

// newListCache returns the cache of a session folder; nil without a folder for caches. The
// name contains a hash because data folders may share that folder.
func newListCache(cacheDir, dir string) *listCache {
	if cacheDir == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(dir))
	return &listCache{file: filepath.Join(cacheDir, "sessions-"+hex.EncodeToString(sum[:6])+".list"), dir: dir}
}

// read returns the entries by file.
func (c *listCache) read() (map[string]*listed, error) {
	fi, err := os.Stat(c.file)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() || fi.Size() > maxCacheBytes {
		return nil, errNoCache
	}
	data, err := os.ReadFile(c.file)
	if err != nil {
		return nil, err
	}
	return c.decode(data)
}

// head returns the beginning of a cache file.
func (c *listCache) head() string { return cacheFormat + c.dir + "\n" }

// encode returns the file's bytes: the head, the entries, a checksum.
func (c *listCache) encode(lines map[string]*listed) []byte {
	out := []byte(c.head())
	out = binary.AppendUvarint(out, uint64(len(lines)))
	for _, file := range slices.Sorted(maps.Keys(lines)) {
		out = lines[file].appendLine(out)
	}
	return binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
}

// The flags of an entry.
const (
	flagEnded = 1 << iota
	flagReadOnly
	flagOwn
	flagTalk
	flagFit // of nameFit, in two bits

	flagClaimed = flagFit << 2 // the session's name follows
)

func (l *listed) appendLine(out []byte) []byte {
	var flags uint64
	for flag, set := range map[uint64]bool{flagEnded: l.info.Ended, flagReadOnly: l.info.ReadOnly, flagOwn: l.own, flagTalk: l.talk} {
		if set {
			flags |= flag
		}
	}
	flags |= uint64(l.fit) * flagFit
	if l.claimed {
		flags |= flagClaimed
	}
	for _, s := range []string{l.File, l.info.Title, l.noted, l.first, l.info.Agent} {
		out = appendText(out, s)
	}
	out = binary.AppendUvarint(out, l.stamp.Inode)
	out = binary.AppendUvarint(out, flags)
	if l.claimed {
		out = appendText(out, l.Session)
	}
	for _, n := range []int64{l.stamp.Size, l.stamp.Time, int64(l.info.Messages)} {
		out = binary.AppendVarint(out, n)
	}
	for _, t := range []time.Time{l.info.Started, l.info.Active} {
		_, offset := t.Zone()
		out = binary.AppendVarint(out, t.Unix())
		out = binary.AppendVarint(out, int64(offset))
	}
	return out
}

func appendText(out []byte, s string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(s))), s...)
}

// decode parses a file's bytes. A file that is damaged, of another version or of another
// folder is an error as a whole.
func (c *listCache) decode(data []byte) (map[string]*listed, error) {
	head := c.head()
	end := len(data) - 4
	if end < len(head) || !bytes.HasPrefix(data, []byte(head)) || crc32.ChecksumIEEE(data[:end]) != binary.LittleEndian.Uint32(data[end:]) {
		return nil, errNoCache
	}
	r := lineReader{left: string(data[len(head):end])} // one copy that all strings share
	n := r.uvarint()
	if n > uint64(end) {
		return nil, errNoCache
	}
	lines := make(map[string]*listed, n)
	all := make([]listed, n)
	for i := range all {
		l := &all[i]
		r.line(l)
		lines[l.File] = l
	}
	if r.bad || r.left != "" {
		return nil, errNoCache
	}
	c.addPaths(all)
	return lines, nil
}

// addPaths sets the entries' paths, which are parts of one string.
func (c *listCache) addPaths(lines []listed) {
	folder := c.dir + string(filepath.Separator)
	size := 0
	for i := range lines {
		size += len(folder) + len(lines[i].File)
	}
	var b strings.Builder
	b.Grow(size)
	for i := range lines {
		b.WriteString(folder)
		b.WriteString(filepath.FromSlash(lines[i].File))
	}
	paths := b.String()
	for i := range lines {
		n := len(folder) + len(lines[i].File)
		lines[i].info.Path, paths = paths[:n], paths[n:]
	}
}

// lineReader parses entries. After bytes it can't parse it is bad and returns zeros.
type lineReader struct {
	left string
	bad  bool
	zone *time.Location // of the last time: most have the same zone
	off  int
}

func (r *lineReader) line(l *listed) {
	file := r.text()
	l.Entry = parseEntry(file)
	l.info.Title, l.noted, l.first, l.info.Agent = r.text(), r.text(), r.text(), r.text()
	l.stamp.Inode = r.uvarint()
	flags := r.uvarint()
	l.info.Ended, l.info.ReadOnly = flags&flagEnded != 0, flags&flagReadOnly != 0
	l.own, l.talk = flags&flagOwn != 0, flags&flagTalk != 0
	l.fit = nameFit(flags / flagFit % 4)
	if flags&flagClaimed != 0 {
		l.claimed, l.Session = true, r.text()
	}
	l.stamp.Size, l.stamp.Time, l.info.Messages = r.varint(), r.varint(), int(r.varint())
	l.info.Started, l.info.Active = r.time(), r.time()
	l.info.Name, l.info.Archived = l.Session, InArchive(file)
	l.info.Source, l.info.ID = transcript.SplitName(l.Session)
}

func (r *lineReader) uvarint() uint64 {
	var n uint64
	for i := range min(len(r.left), binary.MaxVarintLen64) {
		c := r.left[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			r.left = r.left[i+1:]
			return n
		}
	}
	r.bad, r.left = true, ""
	return 0
}

func (r *lineReader) varint() int64 {
	n := r.uvarint()
	return int64(n>>1) ^ -int64(n&1) //nolint:gosec // how encoding/binary does it
}

func (r *lineReader) text() string {
	n := r.uvarint()
	if n > uint64(len(r.left)) {
		r.bad, r.left = true, ""
		return ""
	}
	s := r.left[:n]
	r.left = r.left[n:]
	return s
}

func (r *lineReader) time() time.Time {
	sec, offset := r.varint(), int(r.varint())
	if offset <= -24*3600 || offset >= 24*3600 {
		r.bad = true
		return time.Time{}
	}
	t := time.Unix(sec, 0)
	if _, local := t.Zone(); local == offset {
		return t
	}
	if r.zone == nil || r.off != offset {
		r.zone, r.off = time.FixedZone("", offset), offset
	}
	return t.In(r.zone)
}

// change reads the file under its lock, calls f, and writes the entries back if f reports that
// it changed any.
func (c *listCache) change(ctx context.Context, f func(lines map[string]*listed) bool) error {
	if err := os.MkdirAll(filepath.Dir(c.file), 0o700); err != nil {
		return err
	}
	lock := wholefile.NewLock(c.file + ".lock")
	if err := wholefile.TakeLock(ctx, lock); err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }() // the end of the process releases it too
	lines, err := c.read()
	if err != nil {
		lines = map[string]*listed{}
	}
	if !f(lines) {
		return nil
	}
	return wholefile.WriteQuick(c.file, c.encode(lines), 0o600)
}
