package monitor

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Output of a Mac in the format of its manual pages and headers. No test here needs a Mac.

const psOutput = `    1 Sat Nov 21 08:12:01 2026     1:02.50  14320 /sbin/launchd
  345 Sat Nov 21 08:12:09 2026   123:45.67 198204 /System/Library/PrivateFrameworks/SkyLight.framework/Resources/WindowServer
 4711 Sun Nov  1 23:59:59 2026     0:00.01    345 /Applications/My Editor 2.app/Contents/MacOS/My Editor
 4712 Sun Nov  1 23:59:59 2026 1-02:03:04       0 (zombie)
 half a line
`

func TestProcessesOfAllUsersOnAMac(t *testing.T) {
	got := parsePS(psOutput, time.UTC)
	at := func(day, hour, minute, second int) int64 {
		return time.Date(2026, 11, day, hour, minute, second, 0, time.UTC).UnixMilli()
	}
	want := []usage{
		{1, at(21, 8, 12, 1), "launchd", 62500 * time.Millisecond, 14320 << 10},
		{345, at(21, 8, 12, 9), "WindowServer", 123*time.Minute + 45670*time.Millisecond, 198204 << 10},
		{4711, at(1, 23, 59, 59), "My Editor", 10 * time.Millisecond, 345 << 10},
		{4712, at(1, 23, 59, 59), "(zombie)", 26*time.Hour + 3*time.Minute + 4*time.Second, 0},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(usage{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// ifMessage returns a message of NET_RT_IFLIST2.
func ifMessage(kind byte, name string, in, out uint64) []byte {
	m := make([]byte, ifHead+20)
	m[2], m[3] = 5, kind
	binary.LittleEndian.PutUint64(m[ifBytesIn:], in)
	binary.LittleEndian.PutUint64(m[ifBytesOut:], out)
	link := m[ifHead:]
	link[0], link[1], link[linkNameLen] = 20, 18, byte(len(name))
	copy(link[linkNameStart:], name)
	binary.LittleEndian.PutUint16(m, uint16(len(m)))
	return m
}

func TestInterfacesOfAMac(t *testing.T) {
	var list []byte
	list = append(list, ifMessage(ifInfo2, "lo0", 5, 5)...)
	list = append(list, ifMessage(0x13, "en0", 1, 1)...) // RTM_NEWMADDR2
	list = append(list, ifMessage(ifInfo2, "en0", 1<<33, 1<<32+7)...)
	want := counters{"lo0": {5, 5}, "en0": {1 << 33, 1<<32 + 7}}
	if diff := cmp.Diff(want, parseIFList2(list)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for n := range list { // cut off anywhere, its complete part is parsed
		for name, c := range parseIFList2(list[:n]) {
			if c != want[name] {
				t.Errorf("the first %d bytes: %s has %v", n, name, c)
			}
		}
	}
}

func TestConstantSensorsAreIgnored(t *testing.T) {
	got := plausible([]Sensor{{"PMU tcal", 51.9}, {"PMU2 tcal", 51.9}, {"gas gauge battery", 29}, {"PMU tdie1", 38.5}, {"TR0Z", 90}})
	if diff := cmp.Diff([]Sensor{{"PMU tdie1", 38.5}, {"gas gauge battery", 29}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestVolumesOfAMacAndTheirDisk(t *testing.T) {
	for _, c := range []struct {
		device  string
		counted []string
		want    string
	}{
		{"disk3s1s1", []string{"disk0"}, "disk0"}, // APFS: the mounted volume is on a disk made from a part of the real one
		{"disk0s2", []string{"disk0", "disk4"}, "disk0"},
		{"disk4s1", []string{"disk0", "disk4"}, "disk4"},
		{"disk3s5", []string{"disk0", "disk4"}, ""}, // it could be on either
		{"sda1", []string{"sda1"}, "sda1"},
	} {
		if got := countedDevice(c.device, c.counted); got != c.want {
			t.Errorf("%s among %v is %q, want %q", c.device, c.counted, got, c.want)
		}
	}
}
