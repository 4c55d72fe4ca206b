package config

import "mac-stats/app/hotkey"

// windowSettings lists the settings of the window's appearance.
func windowSettings() []Setting {
	return []Setting{
		named("window.theme", "system", "Light, dark, or the same as the system.",
			oneOf(func(c *Config) *string { return &c.Window.Theme }, "system", "light", "dark")),
		named("window.high_contrast", "false", "Stronger text and lines, in light and in dark.",
			boolean(func(c *Config) *bool { return &c.Window.HighContrast })),
		named("window.accent", "green", "The colour of buttons, links and marks.",
			oneOf(func(c *Config) *string { return &c.Window.Accent }, "green", "blue", "purple", "pink", "orange", "graphite")),
		named("window.zoom", "100", "The size of everything in the window, in percent.",
			whole(func(c *Config) *int { return &c.Window.Zoom }, 50, 300, nil)),
		named("window.text_size", "13", "The text size of answers. Smaller and larger text scales with it.",
			whole(func(c *Config) *int { return &c.Window.TextSize }, 10, 24, nil)),
		named("window.density", "comfortable", "How much space is between the lines of a list and the rows of a conversation.",
			oneOf(func(c *Config) *string { return &c.Window.Density }, "comfortable", "compact")),
		named("window.on_top", "false", "Keep the window above all others. This works on X11, macOS and Windows, but not on Wayland.",
			boolean(func(c *Config) *bool { return &c.Window.OnTop })),
		named("window.hotkey", "", "A key that shows the window whatever program you are in, such as Ctrl+Alt+Space. It works on X11 and Windows, and on Wayland where the desktop asks you for it; elsewhere bind the command mac-stats to a key in the system's settings.",
			words(func(c *Config) *string { return &c.Window.Hotkey }, "a key with its modifiers, such as Ctrl+Alt+Space, or empty for none", hotkeyOrNone)),
	}
}

func hotkeyOrNone(text string) error {
	if text == "" {
		return nil
	}
	_, err := hotkey.Parse(text)
	return err
}

// shortcutSettings lists the window's shortcuts.
func shortcutSettings() []Setting {
	key := func(name, def, help string, field func(*Shortcuts) *string) Setting {
		return named("shortcuts."+name, def, help, words(func(c *Config) *string { return field(&c.Shortcuts) },
			"shortcuts like Mod+K or F1, separated by spaces, or empty; Mod is Cmd on macOS, Ctrl elsewhere", shortcuts)).ofKind(KindShortcut)
	}
	return []Setting{
		key("new_chat", "Mod+N", "Begin a new chat.", func(s *Shortcuts) *string { return &s.NewChat }),
		key("new_private_chat", "Mod+Shift+N", "Begin a chat that is not saved.", func(s *Shortcuts) *string { return &s.NewPrivateChat }),
		key("search", "Mod+K", "Search all conversations.", func(s *Shortcuts) *string { return &s.Search }),
		key("find", "Mod+F", "Find in what is shown.", func(s *Shortcuts) *string { return &s.Find }),
		key("write", "Mod+L", "Go to the message field.", func(s *Shortcuts) *string { return &s.Write }),
		key("answer_again", "Mod+R", "Answer the last message again.", func(s *Shortcuts) *string { return &s.AnswerAgain }),
		key("stop", "Mod+.", "Stop the answer. Escape does too.", func(s *Shortcuts) *string { return &s.Stop }),
		key("next_session", "Ctrl+Tab Mod+]", "Go to the next conversation.", func(s *Shortcuts) *string { return &s.NextSession }),
		key("previous_session", "Ctrl+Shift+Tab Mod+[", "Go to the previous conversation.", func(s *Shortcuts) *string { return &s.PreviousSession }),
		key("chat", "Mod+1", "Show the chat.", func(s *Shortcuts) *string { return &s.Chat }),
		key("memory", "Mod+2", "Show the memory.", func(s *Shortcuts) *string { return &s.Memory }),
		key("agents", "Mod+3", "Show the agents.", func(s *Shortcuts) *string { return &s.Agents }),
		key("transcript", "Mod+4", "Show the transcripts.", func(s *Shortcuts) *string { return &s.Transcript }),
		key("models", "Mod+5", "Show the models.", func(s *Shortcuts) *string { return &s.Models }),
		key("schedules", "Mod+6", "Show the schedules.", func(s *Shortcuts) *string { return &s.Schedules }),
		key("tools", "Mod+7", "Show permissions and the tools of other programs.", func(s *Shortcuts) *string { return &s.Tools }),
		key("settings", "Mod+,", "Show the settings.", func(s *Shortcuts) *string { return &s.Settings }),
		key("zoom_in", "Mod++ Mod+=", "Make everything larger.", func(s *Shortcuts) *string { return &s.ZoomIn }),
		key("zoom_out", "Mod+-", "Make everything smaller.", func(s *Shortcuts) *string { return &s.ZoomOut }),
		key("zoom_reset", "Mod+0", "Show everything at its usual size.", func(s *Shortcuts) *string { return &s.ZoomReset }),
		key("pin_on_top", "Mod+Shift+P", "Keep the window above all others, or stop doing so.", func(s *Shortcuts) *string { return &s.PinOnTop }),
		key("shortcuts", "Mod+/ F1", "List the shortcuts.", func(s *Shortcuts) *string { return &s.Shortcuts }),
		key("close", "Mod+W", "Close the window. mac-stats keeps running in the menu bar, if there is one.", func(s *Shortcuts) *string { return &s.Close }),
		key("quit", "Mod+Q", "Quit mac-stats.", func(s *Shortcuts) *string { return &s.Quit }),
	}
}

func (s Setting) ofKind(k Kind) Setting { s.Kind = k; return s }

func shortcuts(text string) error {
	if _, err := ParseShortcuts(text); err != nil || len(text) > maxText {
		return errNotAllowed
	}
	return nil
}
