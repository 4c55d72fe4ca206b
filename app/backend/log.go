package backend

import (
	"log/slog"
	"os"
	"path/filepath"

	"gopkg.in/natefinch/lumberjack.v2"

	"mac-stats/app/config"
)

// openLog logs to logs/mac-stats.log (rotated at 5 MB, three kept, 0600), at info
// level, or at debug level where DEBUG is set. Message text is never logged above
// debug level.
func (b *Backend) openLog(given *slog.Logger) {
	if given != nil {
		b.Logger = given
		return
	}
	dir := filepath.Join(b.Paths.Home, "logs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.Logger = slog.New(slog.DiscardHandler)
		b.addStorageNotice(err)
		return
	}
	file := &lumberjack.Logger{Filename: filepath.Join(dir, "mac-stats.log"), MaxSize: 5, MaxBackups: 3}
	level := slog.LevelInfo
	if config.Debug(b.environ) {
		level = slog.LevelDebug
	}
	b.Logger = slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{Level: level}))
	b.closers = append(b.closers, file.Close)
}

// logNote logs a setting that is known and unused, once a start.
func (b *Backend) logNote(f config.Finding) {
	b.Logger.Info("setting not used here", "place", f.Place, "key", f.Key, "reason", f.Reason)
}
