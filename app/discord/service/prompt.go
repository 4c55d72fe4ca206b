package service

import (
	"errors"
	"path/filepath"
	"strings"

	"mac-stats/sessionmem/wholefile"
)

const (
	// promptName is the prompt file in the data folder if none is configured.
	promptName = "LUNA_RUNTIME_PROMPT.md"
	maxPrompt  = 64 << 10
)

// promptFile returns the path of the user's own prompt.
func (s *Service) promptFile() string {
	if file := s.p.Config().Discord.PromptFile; file != "" {
		if rest, ok := strings.CutPrefix(file, "~/"); ok {
			return filepath.Join(s.p.Getenv("HOME"), rest)
		}
		if !filepath.IsAbs(file) {
			return filepath.Join(s.p.Home, file)
		}
		return file
	}
	return filepath.Join(s.p.Home, promptName)
}

// prompt returns the current text that comes first in every call. If the file can't be
// read, it is the app's own prompt.
func (s *Service) prompt() string {
	file := s.promptFile()
	data, err := wholefile.Read(file, maxPrompt)
	switch {
	case errors.Is(err, wholefile.ErrTooLarge):
		s.log.Warn("the prompt file is too long: the app's own prompt is used", "file", file)
	case err != nil && s.p.Config().Discord.PromptFile != "":
		s.log.Warn("discord.prompt_file can't be read: the app's own prompt is used", "file", file, "err", err)
	case err == nil && strings.TrimSpace(string(data)) != "":
		return strings.TrimSpace(strings.ToValidUTF8(string(data), "\uFFFD"))
	}
	return strings.ReplaceAll(s.p.Builtin, "{{name}}", s.p.Config().Discord.Name)
}
