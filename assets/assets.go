// Package assets holds what is embedded in the binary: icons, default agents and
// skills, prompts, the commented default configuration. Only app imports it;
// others get an fs.FS.
package assets

import "embed"

// FS holds agents/, skills/, prompts/, icons/, translations/ and config.toml.
//
//go:embed all:agents all:skills all:prompts all:icons all:translations config.toml
var FS embed.FS
