package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// leastMacOS is the oldest macOS that programs built with this Go version run on.
const leastMacOS = "12.0"

// packDarwin writes the .app and returns its path. It doesn't sign it, because codesign only
// runs on a Mac.
func packDarwin(root string, a about, program, out string) ([]string, error) {
	binary, err := os.ReadFile(program)
	if err != nil {
		return nil, fmt.Errorf("pack the program: %w", err)
	}
	icon, err := readIcon(filepath.Join(root, a.Details.Icon))
	if err != nil {
		return nil, err
	}
	icons, err := icns(icon)
	if err != nil {
		return nil, err
	}
	licences, err := os.ReadFile(filepath.Join(root, "docs", "licences", "pdfium.txt"))
	if err != nil {
		return nil, fmt.Errorf("pack the licences: %w", err)
	}
	app := filepath.Join(out, a.Details.Name+".app")
	if err := os.RemoveAll(app); err != nil { // files of an earlier version must not stay
		return nil, fmt.Errorf("write the package: %w", err)
	}
	for _, f := range []packed{
		{"Contents/Info.plist", infoPlist(a), false},
		{"Contents/PkgInfo", []byte("APPL????"), false},
		{"Contents/MacOS/" + a.Details.Name, binary, true},
		{"Contents/Resources/icon.icns", icons, false},
		{"Contents/Resources/licences/pdfium.txt", licences, false},
	} {
		mode := os.FileMode(0o644)
		if f.run {
			mode = 0o755
		}
		if err := writeFile(filepath.Join(app, filepath.FromSlash(f.name)), f.data, mode); err != nil {
			return nil, err
		}
	}
	return []string{app}, nil
}

// infoPlist describes the app to macOS. LSUIElement keeps its icon out of the Dock.
func infoPlist(a about) []byte {
	var b bytes.Buffer
	b.WriteString(xml.Header + `<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">` +
		"\n<plist version=\"1.0\">\n<dict>\n")
	for _, kv := range [][2]string{
		{"CFBundleDevelopmentRegion", "en"},
		{"CFBundleDisplayName", a.Details.Name},
		{"CFBundleExecutable", a.Details.Name},
		{"CFBundleIconFile", "icon"},
		{"CFBundleIdentifier", a.Details.ID},
		{"CFBundleInfoDictionaryVersion", "6.0"},
		{"CFBundleName", a.Details.Name},
		{"CFBundlePackageType", "APPL"},
		{"CFBundleShortVersionString", a.Details.Version},
		{"CFBundleVersion", strconv.Itoa(a.Details.Build)},
		{"LSApplicationCategoryType", "public.app-category.utilities"},
		{"LSMinimumSystemVersion", leastMacOS},
		{"NSLocalNetworkUsageDescription", "mac-stats talks to the Ollama server you name in its settings, which may be another machine in your network."},
	} {
		b.WriteString("\t<key>" + kv[0] + "</key>\n\t<string>")
		_ = xml.EscapeText(&b, []byte(kv[1])) // a buffer takes everything
		b.WriteString("</string>\n")
	}
	for _, key := range []string{"LSUIElement", "NSHighResolutionCapable", "NSSupportsAutomaticGraphicsSwitching"} {
		b.WriteString("\t<key>" + key + "</key>\n\t<true/>\n")
	}
	b.WriteString("</dict>\n</plist>\n")
	return b.Bytes()
}
