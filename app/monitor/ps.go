package monitor

import (
	"path"
	"strconv"
	"strings"
	"time"
)

// psLine is the number of words before the program's path in a line of ps: the PID, five
// for the start time, the CPU time, the resident memory.
const psLine = 8

// parsePS parses the output of `/bin/ps -axo pid=,lstart=,time=,rss=,comm=` on macOS in the
// C locale. ps can see the processes of all users, which otherwise seem idle to a user's
// program. Lines in another format are ignored.
func parsePS(out string, zone *time.Location) []usage {
	var all []usage
	for line := range strings.Lines(out) {
		words := strings.Fields(line)
		if len(words) <= psLine {
			continue
		}
		pid, err := strconv.ParseInt(words[0], 10, 32)
		if err != nil {
			continue
		}
		started, err := time.ParseInLocation("Mon Jan 2 15:04:05 2006", strings.Join(words[1:6], " "), zone)
		if err != nil {
			continue
		}
		spent, ok := parsePSTime(words[6])
		kilobytes, err := strconv.ParseUint(words[7], 10, 64)
		if !ok || err != nil {
			continue
		}
		all = append(all, usage{
			pid: int32(pid), started: started.UnixMilli(), name: path.Base(behind(line, psLine)), cpu: spent, memory: kilobytes << 10,
		})
	}
	return all
}

// behind returns the text after the first words of a line, including its spaces.
func behind(line string, words int) string {
	for range words {
		line = strings.TrimLeft(line, " ")
		i := strings.IndexByte(line, ' ')
		if i < 0 {
			return ""
		}
		line = line[i:]
	}
	return strings.TrimSpace(line)
}

// parsePSTime parses a CPU time: minutes, seconds and hundredths ("123:45.67"), or with
// hours and days in front ("1-02:03:04").
func parsePSTime(text string) (time.Duration, bool) {
	days, clock, dashed := strings.Cut(text, "-")
	if !dashed {
		days, clock = "0", text
	}
	day, err := strconv.ParseUint(days, 10, 31)
	if err != nil {
		return 0, false
	}
	parts := strings.Split(clock, ":")
	seconds, err := strconv.ParseFloat(parts[len(parts)-1], 64)
	if err != nil || len(parts) < 2 || len(parts) > 3 || seconds < 0 || seconds >= 60 {
		return 0, false
	}
	var minutes uint64
	for _, part := range parts[:len(parts)-1] {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil {
			return 0, false
		}
		minutes = minutes*60 + n
	}
	return time.Duration(day)*24*time.Hour + time.Duration(minutes)*time.Minute + time.Duration(seconds*float64(time.Second)), true
}
