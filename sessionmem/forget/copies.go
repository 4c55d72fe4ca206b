package forget

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/sieve"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// forgetCopy removes matching text from a transcript outside the session folder: blocks
// that wait for the disk, kept by a process that may still run, or an export. place names
// it.
func forgetCopy(place, path string, t *forgotten.Traces, dry bool) []forgotten.Touched {
	was, err := os.Stat(path) // before reading: its owner may still be running
	if err != nil {
		return nil // its content was written where it belongs meanwhile
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil // as above
	}
	data, _ = wholefile.Decode(data)
	front, _ := transcript.CutFrontMatter(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	name := transcript.FrontValue(front, "session")
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(path), transcript.FileSuffix)
	}
	refused := func(err error) []forgotten.Touched {
		return []forgotten.Touched{{Place: place, Action: forgotten.Refused, Path: path, Session: name, Why: wholefile.WhyNot(err)}}
	}
	look := sieve.NewCleaner(t, name) // decides whether its title goes
	if _, _, err := look.File(data, nil); err != nil {
		return refused(err)
	}
	var out bytes.Buffer
	found, changed, err := look.Again().File(data, &out)
	if err != nil {
		return refused(err)
	}
	for i := range found {
		found[i].Path, found[i].Place = path, place
		if !dry {
			found[i].Text = ""
		}
	}
	if !changed || dry {
		return found
	}
	done, err := wholefile.Replace(path, out.Bytes(), was)
	switch {
	case err != nil:
		return refused(err)
	case !done:
		return []forgotten.Touched{{Place: place, Action: forgotten.Pending, Path: path, Session: name, Why: "it was written meanwhile"}}
	}
	return found
}
