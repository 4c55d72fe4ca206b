package monitor

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"mac-stats/sessionmem/wholefile"
)

// The history survives a restart in a small file of fixed size: a name with the version,
// each metric's tiers, and a checksum. The file is disposable: if it can't be read, the
// history starts afresh.

// historyMagic is the start of the file; its digit is the version. A different layout of
// the slots needs a different digit.
const historyMagic = "mac-stats history 1\n"

// saveEvery is how often the history is written while the app runs, which is the most that
// a crash can lose.
const saveEvery = 5 * time.Minute

// latestSlot is the highest slot number that a file may contain: the year 36812 in slots of
// 5 s.
const latestSlot = 1 << 38

// traced returns the metrics with a history, in the order of the file: those that have a
// headline.
func traced() []Metric {
	return []Metric{CPU, Memory, Disk, Network, GPU, Temperature, Battery}
}

// errHistory means that the file is not a history of this version, or is damaged.
var errHistory = errors.New("not a history of this version")

// encodeHistory encodes all traces.
func encodeHistory(h map[Metric]*trace) []byte {
	var b bytes.Buffer
	b.WriteString(historyMagic)
	put := func(v float64) {
		b.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v))))
	}
	for _, metric := range traced() {
		for _, t := range h[metric].tiers {
			b.Write(binary.LittleEndian.AppendUint64(nil, uint64(t.head)))
			for _, s := range t.slots {
				mean := 0.0
				if s.seconds > 0 {
					mean = s.sum / s.seconds
				}
				put(s.seconds)
				put(mean)
				put(s.max)
			}
		}
	}
	return binary.LittleEndian.AppendUint32(b.Bytes(), crc32.ChecksumIEEE(b.Bytes()))
}

// decodeHistory decodes what encodeHistory wrote; anything else is an error.
func decodeHistory(data []byte) (map[Metric]*trace, error) {
	body := len(data) - 4
	if body < len(historyMagic) || string(data[:len(historyMagic)]) != historyMagic ||
		crc32.ChecksumIEEE(data[:body]) != binary.LittleEndian.Uint32(data[body:]) {
		return nil, errHistory
	}
	rest, h := data[len(historyMagic):body], map[Metric]*trace{}
	for _, metric := range traced() {
		h[metric] = newTrace()
		for i := range h[metric].tiers {
			var err error
			if rest, err = h[metric].tiers[i].decode(rest); err != nil {
				return nil, err
			}
		}
	}
	if len(rest) != 0 {
		return nil, errHistory
	}
	return h, nil
}

// decode decodes a tier from the start of data and returns the rest.
func (t *tier) decode(data []byte) (rest []byte, err error) {
	if len(data) < 8+12*len(t.slots) {
		return nil, errHistory
	}
	head := binary.LittleEndian.Uint64(data)
	if head > latestSlot {
		return nil, errHistory
	}
	t.head, data = int64(head), data[8:]
	for i := range t.slots {
		var v [3]float64
		for k := range v {
			v[k] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))
			if math.IsNaN(v[k]) || math.IsInf(v[k], 0) {
				return nil, errHistory
			}
			data = data[4:]
		}
		if v[0] < 0 {
			return nil, errHistory
		}
		t.slots[i] = slot{seconds: v[0], sum: v[0] * v[1], max: v[2]}
	}
	return data, nil
}

// readHistory reads the file, or returns an empty history. It drops values after now, which
// were measured with a wrong clock.
func readHistory(path string, now time.Time) (map[Metric]*trace, error) {
	h, err := readHistoryFile(path)
	if h == nil {
		h = map[Metric]*trace{}
		for _, metric := range traced() {
			h[metric] = newTrace()
		}
	}
	for _, t := range h {
		t.rewind(now)
	}
	return h, err
}

func readHistoryFile(path string) (map[Metric]*trace, error) {
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the history of the vitals: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return nil, fmt.Errorf("reading %s: %w", path, errHistory)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the history of the vitals: %w", err)
	}
	h, err := decodeHistory(data)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return h, nil
}

// SaveHistory writes the history if it has a file and has changed. It doesn't flush to the
// disk: after a power cut the history may start again from nothing.
func (m *Monitor) SaveHistory() error {
	m.saving.Lock()
	defer m.saving.Unlock()
	m.mu.Lock()
	changed := m.unsaved
	var data []byte
	if changed && m.cfg.HistoryFile != "" {
		data = encodeHistory(m.history)
	}
	m.unsaved = false
	m.mu.Unlock()
	if data == nil {
		return nil
	}
	path := m.cfg.HistoryFile
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("saving the history of the vitals: %w", err)
	}
	if err := wholefile.WriteQuick(path, data, 0o600); err != nil {
		return fmt.Errorf("saving the history of the vitals: %w", err)
	}
	return nil
}

// keepSaving writes the history from time to time until ctx is done.
func (m *Monitor) keepSaving(ctx context.Context) {
	for sleep(ctx, saveEvery) {
		if err := m.SaveHistory(); err != nil {
			m.log.Debug("the history of the vitals is not kept", "error", err)
		}
	}
}
