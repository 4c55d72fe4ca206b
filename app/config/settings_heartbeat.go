package config

import "mac-stats/app/schedule"

// heartbeatSettings lists the settings of the heartbeat.
func heartbeatSettings() []Setting {
	return []Setting{
		named("heartbeat.minutes", "off", "How often an agent goes through heartbeat.md, your checklist in the data folder, and looks at the vitals. It notifies you only if there is something to report.",
			whole(func(c *Config) *int { return &c.Heartbeat.Minutes }, 1, 1440, map[string]int{"off": 0})),
		named("heartbeat.quiet_hours", "", "When it pauses, such as 22:00-7:00. Leave it empty for never.",
			words(func(c *Config) *string { return &c.Heartbeat.QuietHours }, "two times of the day like 22:00-7:00, or empty", quietHours)),
		named("heartbeat.on_battery", "false", "Also run while the machine is on battery.",
			boolean(func(c *Config) *bool { return &c.Heartbeat.OnBattery })),
	}
}

func quietHours(text string) error {
	_, err := schedule.ParseQuiet(text)
	return err
}
