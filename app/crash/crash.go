// Package crash saves the output of a panic or a fatal signal that ends the app, so that the
// next start can report it.
//
// While the app runs, Go's runtime holds a file for its last output
// (logs/crash-<pid>.part). A later start, or `mac-stats doctor`, turns that into a report
// (logs/crash-<time>-<pid>.txt) and removes it. A report holds the version, the system, the
// stack and the last lines of the log. Of panic values it holds only the runtime's own,
// because others may be text of a conversation, and nothing that looks like a password.
//
// A process that ends without output (kill -9, power loss, out of memory) leaves no report.
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

	"mac-stats/sessionmem/wholefile"
)

// The names of the files in the folder of logs: a part belongs to a process that runs or
// has crashed, a report is new until somebody has seen it.
const (
	prefix    = "crash-"
	suffix    = ".txt"
	newSuffix = ".new.txt"
	part      = ".part"
	stamp     = "20060102-150405"

	// kept is the number of reports that stay; older ones are removed.
	kept = 10
	// dying is how long a crashed process may take to write its output.
	dying = 10 * time.Second
)

// Watch is the file for a crash of this process.
type Watch struct{ path string }

// Start makes the runtime write a crash of this process to a file below home, the data
// folder, after turning earlier crashes into reports. version is the app's.
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
	if err = errors.Join(err, f.Close()); err != nil { // the runtime has its own descriptor
		return nil, errors.Join(collectErr, fmt.Errorf("prepare a crash report: %w", err), os.Remove(path))
	}
	return &Watch{path: path}, collectErr
}

// Stop ends the watch: the process ends normally.
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
	Time  time.Time // the crash's time, to the second
	Cause string    // "panic: runtime error: index out of range [5] with length 3"
	Seen  bool      // whether somebody has dismissed it
}

// Reports turns earlier crashes into reports and returns all reports, newest first. Even
// with an error it returns those that could be listed. home is the data folder.
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

// Text returns the whole report.
func (r Report) Text() (string, error) {
	data, err := wholefile.Read(r.Path, maxReport)
	if err != nil {
		return "", fmt.Errorf("read the crash report: %w", err)
	}
	return string(data), nil
}

// Dismiss marks the report as seen; it stays in the folder of logs.
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

// globEscape escapes a path's special characters for a pattern.
func globEscape(path string) string {
	if runtime.GOOS == "windows" { // there a backslash separates folders
		return path
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

func partName(pid int) string { return prefix + strconv.Itoa(pid) + part }

// causeIn reads the cause from a report.
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

// collect turns the parts of crashed processes into reports and removes those of processes
// that ended without output. own is a part that is certainly not in use.
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
		errs = append(errs, collectPart(home, path, pid, name != own && wholefile.Running(pid)))
	}
	if len(paths) > 0 {
		errs = append(errs, prune(dir))
	}
	return errors.Join(errs...)
}

// collectPart handles one part; inUse reports whether a process with its PID runs.
func collectPart(home, path string, pid int, inUse bool) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another process was faster
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

// writeNew writes a file unless it exists.
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
