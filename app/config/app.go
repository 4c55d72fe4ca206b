package config

// App is [app].
type App struct {
	LaunchAtLogin bool
}

func appSettings() []Setting {
	return []Setting{
		named("app.launch_at_login", "false", "Start mac-stats with its icon when you log in. If you switch it off in the system's own settings, it is off here too.",
			boolean(func(c *Config) *bool { return &c.App.LaunchAtLogin })),
	}
}
