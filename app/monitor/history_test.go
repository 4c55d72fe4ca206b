package monitor

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// measured returns the means of the points that have one.
func measured(s Series) []float64 {
	var out []float64
	for _, p := range s.Points {
		if p.OK {
			out = append(out, p.Mean)
		}
	}
	return out
}

// drawn returns the newest n points of a series as characters: a digit for the mean, "."
// for a gap.
func drawn(s Series, n int) string {
	var b strings.Builder
	for _, p := range s.Points[len(s.Points)-n:] {
		if p.OK {
			b.WriteByte(byte('0' + int(p.Mean)%10))
		} else {
			b.WriteByte('.')
		}
	}
	return b.String()
}

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func TestHistoryShowsGaps(t *testing.T) {
	type value struct {
		at   time.Duration // since noon
		pace time.Duration
		v    float64
	}
	every := func(from, to, pace time.Duration, v float64) (out []value) {
		for at := from; at <= to; at += pace {
			out = append(out, value{at, pace, v})
		}
		return out
	}
	for _, c := range []struct {
		name   string
		values []value
		now    time.Duration
		want   string // the newest ten slots of five seconds
	}{
		{"nothing was measured", nil, 0, ".........."},
		{"a window's pace fills every slot", every(0, 49*time.Second, time.Second, 3), 49 * time.Second, "3333333333"},
		{"a slow pace fills the slots between", every(0, 60*time.Second, 30*time.Second, 4), 60 * time.Second, "4444444444"},
		{"sleep is a gap", append(every(0, 20*time.Second, 5*time.Second, 1), every(45*time.Second, 45*time.Second, 5*time.Second, 2)...), 45 * time.Second, "11111....2"},
		{"opening the window in between is none", append(every(0, 30*time.Second, 30*time.Second, 1), every(45*time.Second, 49*time.Second, time.Second, 2)...), 49 * time.Second, "1111111222"},
		{"what stopped ends", every(0, 20*time.Second, time.Second, 5), 40 * time.Second, ".55555...."},
		{"what is no number is left out", []value{{0, time.Second, math.NaN()}, {time.Second, time.Second, math.Inf(1)}}, 2 * time.Second, ".........."},
		{"a clock set back takes along what lies ahead", append(every(0, 45*time.Second, 5*time.Second, 1), value{20 * time.Second, 5 * time.Second, 2}), 45 * time.Second, "11111....."},
		{"a clock set forward is a gap", append(every(0, 10*time.Second, 5*time.Second, 1), every(40*time.Second, 45*time.Second, 5*time.Second, 2)...), 45 * time.Second, "111.....22"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := newTrace()
			for _, v := range c.values {
				tr.add(noon.Add(v.at), v.pace, v.v)
			}
			if got := drawn(tr.series(FiveMinutes, noon.Add(c.now)), 10); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestHistoryKeepsMeanAndMax(t *testing.T) {
	tr := newTrace()
	// given an hour of calm with one second of full load in the middle
	for i := range 3600 {
		v := 10.0
		if i == 1800 {
			v = 100
		}
		tr.add(noon.Add(time.Duration(i)*time.Second), time.Second, v)
	}
	for _, r := range Ranges() {
		s := tr.series(r, noon.Add(3599*time.Second))
		top, mean, n := 0.0, 0.0, 0
		for _, p := range s.Points {
			if p.OK {
				top, mean, n = max(top, p.Max), mean+p.Mean, n+1
			}
		}
		wantTop, wantPoints := 100.0, int(time.Hour/s.Step)
		if r == FiveMinutes {
			wantTop, wantPoints = 10, 60
		}
		if top != wantTop || n != wantPoints || mean/float64(n) < 10 || mean/float64(n) > 10.1 {
			t.Errorf("range %v: top %v, %d points, mean %v", r.Span(), top, n, mean/float64(n))
		}
	}
}

func TestHistoryWrapsAround(t *testing.T) {
	tr := newTrace()
	for i := range 1000 {
		tr.add(noon.Add(time.Duration(i)*5*time.Second), 5*time.Second, float64(i))
	}
	got := measured(tr.series(FiveMinutes, noon.Add(999*5*time.Second)))
	if len(got) != 60 || math.Abs(got[0]-941) > 1 || math.Abs(got[59]-999) > 1 {
		t.Errorf("%d points from %v to %v", len(got), got[0], got[len(got)-1])
	}
	// and a value after days stands alone
	later := noon.Add(100 * 24 * time.Hour)
	tr.add(later, 5*time.Second, 7)
	for _, r := range Ranges() {
		if got := measured(tr.series(r, later)); len(got) != 1 || got[0] != 7 {
			t.Errorf("range %v: %v", r.Span(), got)
		}
	}
}

func TestHistorySurvivesARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "cache", "vitals.history")
		cfg := Config{HistoryFile: file}
		open := func() *Monitor { return newMonitor(cfg, map[Metric]reader{CPU: &fakeReader{}}, nil) }
		m := open()
		m.Start(t.Context())
		stop := m.Show(true, CPU)
		time.Sleep(90*time.Second - time.Millisecond) // not at a tick, where the last read may or may not have happened
		stop()
		synctest.Wait()
		before := m.Series(CPU, FiveMinutes)
		if err := m.SaveHistory(); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("%v %v", info, err)
		}
		if diff := cmp.Diff(before, open().Series(CPU, FiveMinutes), cmpopts.EquateApprox(1e-5, 0)); diff != "" {
			t.Errorf("(-before +after the restart):\n%s", diff)
		}
		// when nothing changed, then nothing is written
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if err := m.SaveHistory(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(file); err == nil {
			t.Error("written though nothing changed")
		}
		// and while it runs it is written rarely
		defer m.Show(true, CPU)()
		time.Sleep(saveEvery - 2*time.Minute)
		synctest.Wait()
		if _, err := os.Stat(file); err == nil {
			t.Error("written too soon")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if again, err := os.Stat(file); err != nil || again.Size() != info.Size() {
			t.Errorf("%v %v, want %d bytes", again, err, info.Size())
		}
	})
}

func TestAnInvalidHistoryFileIsIgnored(t *testing.T) {
	good := func() []byte {
		h, _ := readHistory("", noon)
		h[CPU].add(noon, time.Second, 5)
		return encodeHistory(h)
	}
	sum := func(b []byte) []byte {
		return binary.LittleEndian.AppendUint32(b[:len(b)-4:len(b)-4], crc32.ChecksumIEEE(b[:len(b)-4]))
	}
	at := len(historyMagic)
	for _, c := range []struct {
		name string
		data []byte
		want int // number of points
		bad  bool
	}{
		{"as it was written", good(), 1, false},
		{"empty", nil, 0, true},
		{"something else", []byte("hello, I am a text file\n"), 0, true},
		{"cut", good()[:1000], 0, true},
		{"longer", append(good(), 0), 0, true},
		{"a flipped bit", func() []byte { b := good(); b[at+20] ^= 1; return b }(), 0, true},
		{"of another version", func() []byte { b := good(); b[at-2] = '2'; return sum(b) }(), 0, true},
		{"a slot that is no number", func() []byte {
			b := good()
			binary.LittleEndian.PutUint32(b[at+8:], math.Float32bits(float32(math.NaN())))
			return sum(b)
		}(), 0, true},
		{"of an impossible time", func() []byte { b := good(); binary.LittleEndian.PutUint64(b[at:], 1<<63); return sum(b) }(), 0, true},
		{"of the future", func() []byte {
			h, _ := readHistory("", noon)
			h[CPU].add(noon.Add(time.Hour), time.Second, 5)
			return encodeHistory(h)
		}(), 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "f")
			if err := os.WriteFile(file, c.data, 0o600); err != nil {
				t.Fatal(err)
			}
			h, err := readHistory(file, noon)
			if (err != nil) != c.bad {
				t.Errorf("error %v", err)
			}
			if got := measured(h[CPU].series(FiveMinutes, noon)); len(got) != c.want {
				t.Errorf("points %v", got)
			}
			// and it continues from there
			h[CPU].add(noon.Add(time.Second), time.Second, 9)
			if len(measured(h[CPU].series(FiveMinutes, noon.Add(time.Second)))) != 1 {
				t.Error("a new value is not there")
			}
		})
	}
}

func FuzzHistoryFile(f *testing.F) {
	h, _ := readHistory("", noon)
	f.Add([]byte{}, int64(0))
	h[CPU].add(noon, time.Second, 5)
	f.Add(encodeHistory(h)[len(historyMagic):], noon.Unix())
	f.Fuzz(func(t *testing.T, body []byte, now int64) {
		// given any content with a valid name and checksum
		data := append([]byte(historyMagic), body...)
		data = binary.LittleEndian.AppendUint32(data, crc32.ChecksumIEEE(data))
		h, err := decodeHistory(data)
		if err != nil {
			return
		}
		at := time.Unix(now%latestSlot, 0)
		for _, tr := range h {
			tr.rewind(at)
			tr.add(at, time.Second, 1)
			tr.add(at.Add(time.Minute), 30*time.Second, 2)
			for _, r := range Ranges() {
				for _, p := range tr.series(r, at.Add(time.Minute)).Points {
					if p.OK && (math.IsNaN(p.Mean) || math.IsInf(p.Mean, 0)) {
						t.Fatalf("a point that is no number: %+v", p)
					}
				}
			}
		}
		// then encoding and decoding it again works
		if _, err := decodeHistory(encodeHistory(h)); err != nil {
			t.Fatal(err)
		}
	})
}

func TestKeptHistoriesAreSampledRarely(t *testing.T) {
	started(t, func(t *testing.T, m *Monitor, readers map[Metric]*fakeReader) {
		stop := m.Keep(CPU, Battery)
		time.Sleep(10*time.Minute - time.Millisecond)
		synctest.Wait()
		if cpu, bat := readers[CPU].reads.Load(), readers[Battery].reads.Load(); cpu != 20 || bat != 5 {
			t.Errorf("%d and %d reads in ten minutes, want 20 and 5", cpu, bat)
		}
		if got := drawn(m.Series(CPU, FiveMinutes), 60); strings.Contains(got, ".") {
			t.Errorf("the history has gaps: %s", got)
		}
		stop()
		time.Sleep(time.Hour)
		if cpu := readers[CPU].reads.Load(); cpu != 20 {
			t.Errorf("%d reads: it goes on", cpu)
		}
	})
}

func BenchmarkSaveHistory(b *testing.B) {
	m := newMonitor(Config{HistoryFile: filepath.Join(b.TempDir(), "f")}, nil, nil)
	for b.Loop() {
		m.unsaved = true
		if err := m.SaveHistory(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(encodeHistory(m.history))), "bytes")
}

// BenchmarkHistoryAdd measures the cost of each value.
func BenchmarkHistoryAdd(b *testing.B) {
	tr, at := newTrace(), noon
	for b.Loop() {
		at = at.Add(time.Second)
		tr.add(at, time.Second, 1)
	}
}

// record adds every headline to a history.
func TestEveryHeadlineHasAHistory(t *testing.T) {
	for _, metric := range Metrics() {
		var s Snapshot // no reading is missing
		_, ok := s.headline(metric)
		if ok != slices.Contains(traced(), metric) {
			t.Errorf("%s has a headline: %v; traced in historyfile.go must agree", metric, ok)
		}
	}
}
