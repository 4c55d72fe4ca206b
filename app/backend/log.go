package backend

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"gopkg.in/natefinch/lumberjack.v2"

	"mac-stats/agents/ollama"
	"mac-stats/app/config"
	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/wholefile"
)

// openLog logs to logs/mac-stats.log (rotated at 5 MB, three old files, mode 0600) at info
// level, or at debug level if DEBUG is set. Message text is never logged above debug level.
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
	file, err := rotated(filepath.Join(dir, "mac-stats.log"))
	if err != nil {
		b.Logger = slog.New(slog.DiscardHandler)
		b.addStorageNotice(err)
		return
	}
	level := slog.LevelInfo
	if config.Debug(b.environ) {
		level = slog.LevelDebug
	}
	b.Logger = slog.New(privateLog{slog.NewTextHandler(file, &slog.HandlerOptions{Level: level, ReplaceAttr: hideSecrets}), b.isPrivate})
	b.closers = append(b.closers, file.Close)
	b.logLife()
}

// hideSecrets takes the credentials and queries of addresses out of everything that is logged.
func hideSecrets(_ []string, a slog.Attr) slog.Attr {
	if kind := a.Value.Kind(); kind == slog.KindString || kind == slog.KindAny {
		text := a.Value.String()
		if clean := excerpt.Addresses(text); clean != text {
			a.Value = slog.StringValue(clean)
		}
	}
	return a
}

// rotated returns a log file that rotates at 5 MB and keeps three old files. If the path is
// a pipe, which would block every writer, it returns an error.
func rotated(path string) (*lumberjack.Logger, error) {
	if fi, err := os.Stat(path); err == nil && !fi.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: wholefile.ErrNotFile}
	}
	return &lumberjack.Logger{Filename: path, MaxSize: 5, MaxBackups: 3}, nil
}

// logLife logs the start (version, folder, server, invalid settings), the reloads and the
// stop.
func (b *Backend) logLife() {
	cfg, findings := config.Load(b.Paths.ConfigFile(), b.environ)
	host := "not readable"
	if u, err := ollama.ParseHost(cfg.Ollama.Host); err == nil {
		host = u.Host // without credentials
	}
	mode := "command"
	switch {
	case b.Demo:
		mode, host = "demo", b.demoHost
	case b.watching:
		mode = "app"
	}
	log := b.Logger.With("pid", os.Getpid())
	log.Info("start", "mode", mode, "version", b.Version, "data", b.Paths.Home, "ollama", host)
	logged := map[string]bool{}
	for _, f := range findings {
		if !f.Note {
			logged[f.String()] = true
			log.Info("setting not usable", "place", f.Place, "key", f.Key, "reason", f.Reason)
		}
	}
	b.notify.record(func(n Notice) {
		switch n.Kind {
		case NoticeReload:
			words := []any{"what", n.Text}
			if n.Next != "" { // a setting that needs a restart
				words = append(words, "next", n.Next)
			}
			log.Info("reload", words...)
		case NoticeConfig, NoticeStorage, NoticeUnsaved, NoticeMissing, NoticeCrash, NoticeBadTimes, NoticeHotkey, NoticeLogin, NoticeAPI:
			if !logged[n.Text] {
				logged[n.Text] = true
				log.Info("notice", "kind", n.Kind, "text", n.Text)
			}
		case NoticeDiscord: // may contain a pairing code; the bot logs its own failures
		case NoticeSessions, NoticeForgot, NoticeSchedule: // these only report a change
		}
	})
	b.closers = append(b.closers, func() error {
		b.notify.record(nil)
		log.Info("stop", "mode", mode)
		return nil
	})
}
