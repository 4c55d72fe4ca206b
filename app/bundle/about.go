package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/pelletier/go-toml/v2"
)

// about holds what FyneApp.toml says about the program.
type about struct {
	Details struct {
		Icon    string // PNG, below the root
		Name    string
		ID      string
		Version string
		Build   int
	}
	LinuxAndBSD struct {
		GenericName string
		Comment     string
		Categories  []string
		Keywords    []string
		ExecParams  string
	}
}

// The forms of values that go into file names and the systems' own files.
var (
	plainName    = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
	plainID      = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9.-]*$`)
	plainVersion = regexp.MustCompile(`^\d+\.\d+\.\d+$`)
)

func readAbout(root string) (about, error) {
	var a about
	data, err := os.ReadFile(filepath.Join(root, "FyneApp.toml"))
	if err != nil {
		return a, fmt.Errorf("read what the program is: %w (run this at the root of the sources)", err)
	}
	if err := toml.Unmarshal(data, &a); err != nil {
		return a, fmt.Errorf("FyneApp.toml: %w", err)
	}
	d := a.Details
	switch {
	case !plainName.MatchString(d.Name):
		return a, fmt.Errorf("FyneApp.toml: Name %q must be lower-case letters, digits and dashes", d.Name)
	case !plainID.MatchString(d.ID):
		return a, fmt.Errorf("FyneApp.toml: ID %q must be like net.example.app", d.ID)
	case !plainVersion.MatchString(d.Version):
		return a, fmt.Errorf("FyneApp.toml: Version %q must be like 1.2.3", d.Version)
	case d.Build < 1 || d.Icon == "":
		return a, fmt.Errorf("FyneApp.toml: Build must be 1 or more, and Icon a PNG")
	}
	return a, nil
}
