package schedule

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones, on a system without them

	"github.com/google/go-cmp/cmp"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func mustWhen(t *testing.T, text string) When {
	t.Helper()
	w, err := ParseWhen(text)
	if err != nil {
		t.Fatalf("ParseWhen(%q): %v", text, err)
	}
	return w
}

// given a cron line with a field that is none, then it is refused with its place
func TestFieldsOfACronLine(t *testing.T) {
	for line, place := range map[string]string{
		"*-12 * * * *":           `"*-12" can't be the minute`,
		"0 8 * * mon,,tue":       `"mon,,tue" can't be the day of the week`,
		"0 8 1, * *":             `"1," can't be the day of the month`,
		"+5 8 * * *":             `"+5" can't be the minute`,
		"0 ,8 * * *":             `",8" can't be the hour`,
		"0 8-9-10 * * *":         `"8-9-10" can't be the hour`,
		"0 8 * */ *":             `"*/" can't be the month`,
		"0 8 * * 5#2":            `"5#2" can't be the day of the week`,
		"0 8 L * *":              `"L" can't be the day of the month`,
		"0 0x8 * * *":            `"0x8" can't be the hour`,
		"0 8 * * *-fri":          `"*-fri" can't be the day of the week`,
		"*/-5 * * * *":           `"*/-5" can't be the minute`,
		"0 8 * jan-feb-mar *":    `"jan-feb-mar" can't be the month`,
		"* * * * **":             `"**" can't be the day of the week`,
		"0 24 * * *":             `"24" can't be the hour of a cron line, which is from 0 to 23`,
		"0,60 8 * * *":           `"0,60" can't be the minute`,
		"0 8 0 * *":              `"0" can't be the day of the month`,
		"0 8 * 1-13 *":           `"1-13" can't be the month of a cron line, which is from 1 to 12 or jan to dec`,
		"0 8 * * jan":            `"jan" can't be the day of the week`,
		"*/0 * * * *":            `"*/0" can't be the minute`,
		"0 8 * * 5L":             `"5L" can't be the day of the week`,
		"0 8 * *":                "has five fields (minute, hour, day of the month, month, day of the week), this one has 4",
		"0 0 8 * * 1-5":          "this one has 6",
		"0 8 * * 1-5 # weekdays": "this one has 7",
		"TZ=UTC 0 8 * * *":       "times are those of this machine",
		"every other day at 8":   `write it like "every day at 8"`,
		"tomorrow at 8":          `write it like "every day at 8"`,
	} {
		if _, err := ParseWhen(line); err == nil || !strings.Contains(err.Error(), place) {
			t.Errorf("%s: %v, want %s", line, err, place)
		}
	}
	for _, line := range []string{"0 8 * * 1-5", "*/15 9-17 1,15 jan-mar,12 MON,wed-fri", "0-30/10 0 ? * 0", "5/20 * * * *"} {
		if _, err := ParseWhen(line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// given a machine that moves to another zone while the program runs, then times are in the new one
func TestTheZoneIsTheMachinesNow(t *testing.T) {
	folder := t.TempDir()
	rules := func(offset int32) []byte { // one type of local time, as tzfile(5) says
		data := append([]byte("TZif"), make([]byte, 16)...)
		for _, count := range []uint32{0, 0, 0, 0, 1, 4} {
			data = binary.BigEndian.AppendUint32(data, count)
		}
		data = binary.BigEndian.AppendUint32(data, uint32(offset)) //nolint:gosec // two's complement
		return append(data, 0, 0, 'A', 'B', 'C', 0)
	}
	local := filepath.Join(folder, "localtime")
	at := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	z := &localZone{file: local, loc: time.UTC}
	if got := z.location(); got != time.UTC {
		t.Errorf("without a file it is %v", got)
	}
	for _, want := range []int{9 * 3600, 2 * 3600, -4 * 3600} {
		next := filepath.Join(folder, "next")
		if err := errors.Join(os.WriteFile(next, rules(int32(want)), 0o600), os.Rename(next, local)); err != nil {
			t.Fatal(err)
		}
		first := z.location()
		if _, got := at.In(first).Zone(); got != want {
			t.Errorf("it is %d s from UTC, want %d", got, want)
		}
		if z.location() != first {
			t.Errorf("the zone of %d s is read again without a change", want)
		}
	}
}

func TestParseWhen(t *testing.T) {
	for text, want := range map[string]string{
		"every hour":                "0 * * * *",
		"every day at 8":            "0 8 * * *",
		"Every Weekday at 17:30":    "30 17 * * 1-5",
		"every  sunday at 09:05":    "5 9 * * 0",
		"0 8 * * 1-5":               "0 8 * * 1-5",
		"*/15 9-17 * * mon-fri":     "*/15 9-17 * * mon-fri",
		"every day":                 "",
		"every hour at 8":           "",
		"every weekday at 24":       "",
		"every day at 8:60":         "",
		"every moonday at 8":        "",
		"":                          "",
		"0 8 * *":                   "",
		"61 8 * * *":                "",
		"0 0 8 * * *":               "",
		"TZ=UTC 0 8 * *":            "",
		"0 0 30 2 *":                "",
		"@every 1s":                 "",
		strings.Repeat("0,", 99999): "",
	} {
		w, err := ParseWhen(text)
		if (err == nil) != (want != "") || w.line != want {
			t.Errorf("ParseWhen(%.40q) = %q, %v, want %q", text, w.line, err, want)
		}
		if p, ok := w.Plain(); ok {
			if again, err := ParseWhen(p.String()); err != nil || again.line != w.line {
				t.Errorf("%q is %q in plain words, which is %q, %v", text, p, again.line, err)
			}
		} else if strings.HasPrefix(want, "0 8") {
			t.Errorf("%q has no plain form", text)
		}
	}
}

func TestNextAcrossDaylightSaving(t *testing.T) {
	// "01-02T15:04-0700", one after the other
	tests := []struct {
		name, zone, from, when string
		want                   []string
	}{
		{"a skipped time is due as much later", "Europe/Berlin", "2026-03-28T12:00:00Z", "30 2 * * *", []string{"03-29T03:30+0200", "03-30T02:30+0200"}},
		{"a repeated time is due once", "Europe/Berlin", "2026-10-24T12:00:00Z", "30 2 * * *", []string{"10-25T02:30+0200", "10-26T02:30+0100"}},
		{"every hour goes on through the gap", "Europe/Berlin", "2026-03-28T23:30:00Z", "every hour", []string{"03-29T01:00+0100", "03-29T03:00+0200", "03-29T04:00+0200"}},
		{"every hour is also the repeated one", "Europe/Berlin", "2026-10-24T23:30:00Z", "every hour", []string{"10-25T02:00+0200", "10-25T02:00+0100", "10-25T03:00+0100"}},
		{"minutes of two hours, one of them skipped", "Europe/Berlin", "2026-03-29T00:10:00Z", "0,30 2,3 * * *", []string{"03-29T03:00+0200", "03-29T03:30+0200", "03-30T02:00+0200"}},
		{"asked within the hour that stands for the gap", "Europe/Berlin", "2026-03-29T01:05:00Z", "30 2 * * *", []string{"03-29T03:30+0200", "03-30T02:30+0200"}},
		{"asked between the two", "Europe/Berlin", "2026-10-25T00:40:00Z", "30 2 * * *", []string{"10-26T02:30+0100"}},
		{"New York springs", "America/New_York", "2026-03-07T18:00:00Z", "every day at 2:30", []string{"03-08T03:30-0400", "03-09T02:30-0400"}},
		{"New York falls", "America/New_York", "2026-10-31T18:00:00Z", "45 1 * * *", []string{"11-01T01:45-0400", "11-02T01:45-0500"}},
		{"half an hour springs", "Australia/Lord_Howe", "2026-10-03T03:00:00Z", "15 2 * * *", []string{"10-04T02:45+1100", "10-05T02:15+1100"}},
		{"half an hour springs beside the gap", "Australia/Lord_Howe", "2026-10-03T03:00:00Z", "20,35 2 * * *", []string{"10-04T02:35+1100", "10-04T02:50+1100", "10-05T02:20+1100"}},
		{"half an hour springs before a quarter to", "Australia/Lord_Howe", "2026-10-03T03:00:00Z", "45 1 * * *", []string{"10-04T01:45+1030", "10-05T01:45+1100"}},
		{"half an hour falls, once", "Australia/Lord_Howe", "2026-04-04T03:00:00Z", "45 1 * * *", []string{"04-05T01:45+1100", "04-06T01:45+1030"}},
		{"half an hour falls, later that hour", "Australia/Lord_Howe", "2026-04-04T03:00:00Z", "15 2 * * *", []string{"04-05T02:15+1030", "04-06T02:15+1030"}},
		{"every half hour falls", "Australia/Lord_Howe", "2026-04-04T14:10:00Z", "*/30 * * * *", []string{"04-05T01:30+1100", "04-05T01:30+1030", "04-05T02:00+1030"}},
		{"midnight is skipped", "America/Sao_Paulo", "2018-11-03T12:00:00Z", "every day at 0:00", []string{"11-04T01:00-0200", "11-05T00:00-0200"}},
		{"weekdays only", "Europe/Berlin", "2026-03-27T12:00:00Z", "every weekday at 8", []string{"03-30T08:00+0200", "03-31T08:00+0200"}},
		{"a day of the month or of the week", "UTC", "2026-05-10T12:00:00Z", "0 8 13 * 5", []string{"05-13T08:00+0000", "05-15T08:00+0000"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			at, err := time.Parse(time.RFC3339, test.from)
			if err != nil {
				t.Fatal(err)
			}
			at = at.In(zone(t, test.zone))
			var got []string
			for range test.want {
				at = mustWhen(t, test.when).Next(at)
				got = append(got, at.Format("01-02T15:04-0700"))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNextIsAlwaysLater(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe"} {
		loc := zone(t, name)
		for _, text := range []string{"*/10 * * * *", "every hour", "20,35 1-3 * * *", "30 2 * * *"} {
			w := mustWhen(t, text)
			for _, evening := range []time.Time{time.Date(2026, 3, 28, 22, 0, 0, 0, loc), time.Date(2026, 10, 3, 22, 0, 0, 0, loc), time.Date(2026, 4, 4, 22, 0, 0, 0, loc), time.Date(2026, 10, 31, 22, 0, 0, 0, loc)} {
				for n := range 60 {
					at := evening.Add(time.Duration(n) * 7 * time.Minute)
					next := w.Next(at)
					if !next.After(at) {
						t.Fatalf("%s, %s: after %s comes %s", name, text, at, next)
					}
					if between := w.Next(next.Add(-time.Second)); next.Sub(at) > time.Second && !between.Equal(next) {
						t.Fatalf("%s, %s: after %s comes %s, but a second before that %s", name, text, at, next, between)
					}
				}
			}
		}
	}
}

func TestQuietHours(t *testing.T) {
	for text, want := range map[string]string{"22:00-7:00": "22:00-7:00", "22 - 7": "22:00-7:00", "13:15–14": "13:15-14:00", "": "", "7:00-7:00": "bad", "25-7": "bad", "night": "bad", "22:60-7": "bad"} {
		q, err := ParseQuiet(text)
		if err != nil && want != "bad" || err == nil && q.String() != want {
			t.Errorf("ParseQuiet(%q) = %q, %v, want %q", text, q, err, want)
		}
	}
	night, _ := ParseQuiet("22:00-7:00")
	day, _ := ParseQuiet("13:00-14:00")
	at := func(h, m int) time.Time { return time.Date(2026, 5, 4, h, m, 0, 0, time.UTC) }
	for _, test := range []struct {
		q     Quiet
		at    time.Time
		quiet bool
		end   time.Time
	}{
		{night, at(23, 0), true, at(31, 0)},
		{night, at(6, 59), true, at(7, 0)},
		{night, at(7, 0), false, time.Time{}},
		{night, at(21, 59), false, time.Time{}},
		{day, at(13, 0), true, at(14, 0)},
		{day, at(14, 0), false, time.Time{}},
		{Quiet{}, at(0, 0), false, time.Time{}},
	} {
		if got := test.q.Covers(test.at); got != test.quiet {
			t.Errorf("%s covers %s: %v", test.q, test.at, got)
		}
		if test.quiet && !test.q.end(test.at).Equal(test.end) {
			t.Errorf("%s at %s ends %s, want %s", test.q, test.at, test.q.end(test.at), test.end)
		}
	}
}
