// Package crash keeps what is left when the app ends in a panic or by a fatal signal,
// so that the next start can tell of it.
//
// While the app runs, Go's runtime has a file of ours to write its last words to
// (logs/crash-<pid>.part). A later start, or `mac-stats doctor`, makes a report of it
// (logs/crash-<time>-<pid>.txt) and removes it. A report holds the version, the
// system, the stack and the last lines of the log. It holds no value a panic was
// called with but those of the runtime itself, because such a value may be text of a
// conversation, and nothing that looks like a password.
//
// What ends a process without a word (kill -9, no power, memory that ran out) leaves
// no report.
package crash

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"mac-stats/sessionmem/alive"
	"mac-stats/sessionmem/wholefile"
)

// The files' names in the folder of logs: a part belongs to a process that runs or
// has crashed, a report is new until somebody has seen it.
const (
	prefix    = "crash-"
	suffix    = ".txt"
	newSuffix = ".new.txt"
	part      = ".part"
	stamp     = "20060102-150405"

	// kept is how many reports stay; older ones are removed.
	kept = 10
	// dying is how long a crashed process may take to say all it says.
	dying = 10 * time.Second
)

// Watch is the file this process would crash into.
type Watch struct{ path string }

// Start has a crash of this process written down below home, the data folder. What
// crashed before is made a report first. version is the app's.
func Start(home, version string) (*Watch, error) {
	dir := filepath.Join(home, "logs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of crash reports: %w", err)
	}
	own := partName(os.Getpid())
	collectErr := collect(home, own)
	path := filepath.Join(dir, own)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return nil, errors.Join(collectErr, fmt.Errorf("prepare a crash report: %w", err))
	}
	head := headOf(version, time.Now())
	if _, err = f.WriteString(head); err == nil {
		err = debug.SetCrashOutput(f, debug.CrashOptions{})
	}
	if err = errors.Join(err, f.Close()); err != nil { // the runtime has a descriptor of its own
		return nil, errors.Join(collectErr, fmt.Errorf("prepare a crash report: %w", err), os.Remove(path))
	}
	return &Watch{path: path}, collectErr
}

// Stop ends it: the process ends as it should.
func (w *Watch) Stop() error {
	err := debug.SetCrashOutput(nil, debug.CrashOptions{})
	if removeErr := os.Remove(w.path); !errors.Is(removeErr, fs.ErrNotExist) {
		err = errors.Join(err, removeErr)
	}
	if err != nil {
		return fmt.Errorf("end the watch for crashes: %w", err)
	}
	return nil
}

// Report is one crash.
type Report struct {
	Path  string
	Time  time.Time // of the crash, to the second
	Cause string    // "panic: runtime error: index out of range [5] with length 3"
	Seen  bool      // somebody has dismissed it
}

// Reports makes reports of what crashed and gives all there are, newest first. With
// an error it still gives those that can be listed. home is the data folder.
func Reports(home string) ([]Report, error) {
	collectErr := collect(home, "")
	paths, err := filepath.Glob(filepath.Join(globEscape(home), "logs", prefix+"*"+suffix))
	if err != nil {
		return nil, errors.Join(collectErr, err)
	}
	var list []Report
	for _, path := range paths {
		name := strings.TrimPrefix(filepath.Base(path), prefix)
		if len(name) < len(stamp) {
			continue
		}
		at, err := time.ParseInLocation(stamp, name[:len(stamp)], time.Local)
		if err != nil {
			continue // not one of ours
		}
		list = append(list, Report{Path: path, Time: at, Cause: causeIn(path), Seen: !strings.HasSuffix(path, newSuffix)})
	}
	slices.SortStableFunc(list, func(a, b Report) int { return b.Time.Compare(a.Time) })
	return list, collectErr
}

// Text is the whole report.
func (r Report) Text() (string, error) {
	data, err := wholefile.Read(r.Path, maxReport)
	if err != nil {
		return "", fmt.Errorf("read the crash report: %w", err)
	}
	return string(data), nil
}

// Dismiss notes that somebody has seen the report; it stays in the folder of logs.
func (r Report) Dismiss() error {
	old, isNew := strings.CutSuffix(r.Path, newSuffix)
	if !isNew {
		return nil
	}
	if err := os.Rename(r.Path, old+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("dismiss the crash report: %w", err)
	}
	return nil
}

// globEscape is a path whose own special characters mean nothing in a pattern.
func globEscape(path string) string {
	if runtime.GOOS == "windows" { // a backslash parts folders there
		return path
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

func partName(pid int) string { return prefix + strconv.Itoa(pid) + part }

// causeIn reads the line of a report that says what happened.
func causeIn(path string) string {
	data, err := wholefile.Read(path, maxReport)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if cause, ok := strings.CutPrefix(line, causeLabel); ok {
			return strings.TrimSpace(cause)
		}
	}
	return ""
}

// collect makes reports of the parts that crashed processes left, and removes those
// of processes that ended without a word. own is a part that is certainly not in use.
func collect(home, own string) error {
	dir := filepath.Join(home, "logs")
	paths, err := filepath.Glob(filepath.Join(globEscape(dir), prefix+"*"+part))
	if err != nil {
		return err
	}
	var errs []error
	for _, path := range paths {
		name := filepath.Base(path)
		pid, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(name, prefix), part))
		if err != nil {
			continue // not one of ours
		}
		errs = append(errs, collectPart(home, path, pid, name != own && alive.Process(pid)))
	}
	if len(paths) > 0 {
		errs = append(errs, prune(dir))
	}
	return errors.Join(errs...)
}

// collectPart deals with one part; inUse says that a process of its number runs.
func collectPart(home, path string, pid int, inUse bool) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // somebody else was quicker
	}
	if err != nil {
		return fmt.Errorf("read what a crash left: %w", err)
	}
	left, err := readPart(path)
	if err != nil {
		return fmt.Errorf("read what a crash left: %w", err)
	}
	crashed := left.words != ""
	if inUse && (!crashed || time.Since(info.ModTime()) < dying) {
		return nil
	}
	if crashed {
		name := prefix + info.ModTime().Format(stamp) + "-" + strconv.Itoa(pid) + newSuffix
		if err := writeNew(filepath.Join(home, "logs", name), reportOf(left, info.ModTime(), home)); err != nil {
			return fmt.Errorf("write the crash report: %w", err)
		}
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove what a crash left: %w", err)
	}
	return nil
}

// writeNew writes a file that nobody else has written.
func writeNew(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// prune removes all but the newest reports.
func prune(dir string) error {
	paths, err := filepath.Glob(filepath.Join(globEscape(dir), prefix+"*"+suffix))
	if err != nil || len(paths) <= kept {
		return err
	}
	slices.Sort(paths) // by time
	var errs []error
	for _, path := range paths[:len(paths)-kept] {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
