package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const sources = "../.."

// stand returns a stand-in for the built program, which prints its version.
func stand(t *testing.T) (program, version string) {
	t.Helper()
	a, err := readAbout(sources)
	if err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(t.TempDir(), "built")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho mac-stats version "+a.Details.Version+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return program, a.Details.Version
}

func TestTheTarballInstallsAndUninstalls(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // its installer is a shell script
	}
	t.Setenv("SOURCE_DATE_EPOCH", "")
	program, version := stand(t)
	out := t.TempDir()
	if err := run(sources, []string{"linux", program, out, "amd64"}); err != nil {
		t.Fatal(err)
	}
	top := "mac-stats-" + version + "-linux-amd64"
	data, err := os.ReadFile(filepath.Join(out, top+".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	if line, err := os.ReadFile(filepath.Join(out, top+".tar.gz.sha256")); err != nil || string(line) != hex.EncodeToString(sum[:])+"  "+top+".tar.gz\n" {
		t.Errorf("the checksum: %q, %v", line, err)
	}
	place := t.TempDir()
	unpack(t, data, place)
	for _, name := range []string{"README.md", "SECURITY.md", "docs/chat.md"} {
		if _, err := os.Stat(filepath.Join(place, top, filepath.FromSlash(name))); err != nil {
			t.Errorf("the tarball lacks a document: %v", err)
		}
	}
	prefix := filepath.Join(t.TempDir(), "a prefix")
	install := func(what string) {
		t.Helper()
		cmd := exec.Command(filepath.Join(place, top, "install.sh"), what)
		cmd.Env = append(os.Environ(), "PREFIX="+prefix)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", what, err, text)
		}
	}
	install("install")
	if text, err := exec.Command(filepath.Join(prefix, "bin", "mac-stats"), "--version").Output(); err != nil || string(text) != "mac-stats version "+version+"\n" {
		t.Errorf("the installed program says %q, %v", text, err)
	}
	if runtime.GOOS == "linux" {
		checkInstalled(t, prefix)
	}
	install("uninstall")
	err = filepath.WalkDir(prefix, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			t.Errorf("left behind: %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// checkInstalled checks the menu entry and the icons.
func checkInstalled(t *testing.T, prefix string) {
	t.Helper()
	path := filepath.Join(prefix, "share/applications/mac-stats.desktop")
	entry, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	a, err := readAbout(sources)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(desktopEntry(a), "Exec=mac-stats", `Exec="`+prefix+`/bin/mac-stats"`, 1)
	if diff := cmp.Diff(want, string(entry)); diff != "" {
		t.Errorf("the menu entry is not that of the package (-want +got):\n%s", diff)
	}
	if validate, err := exec.LookPath("desktop-file-validate"); err == nil {
		if text, err := exec.Command(validate, path).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, text)
		}
	}
	for _, size := range hicolorSizes {
		pattern := filepath.Join(prefix, "share/icons/hicolor", "*", "apps", "mac-stats.png")
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) != len(hicolorSizes) {
			t.Fatalf("icons of %d: %v, %v", size, paths, err)
		}
	}
}

// unpack unpacks a tarball as tar does, and checks that nothing in it depends on when or by
// whom it was made.
func unpack(t *testing.T, data []byte, place string) {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if !zip.ModTime.IsZero() {
		t.Errorf("packed at %v", zip.ModTime)
	}
	archive := tar.NewReader(zip)
	for {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if head.ModTime.Unix() != 0 || head.Uid != 0 || head.Gid != 0 || head.Uname != "" {
			t.Errorf("%s: %+v", head.Name, head)
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		if err := writeFile(filepath.Join(place, filepath.FromSlash(head.Name)), content, fs.FileMode(head.Mode)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheSameInputGivesTheSameBytes(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "")
	program, version := stand(t)
	for system, file := range map[string]string{
		"linux":   "mac-stats-" + version + "-linux-arm64.tar.gz",
		"debian":  "mac-stats_" + version + "_arm64.deb",
		"windows": "mac-stats-" + version + "-windows-arm64.zip",
	} {
		var first []byte
		for range 2 {
			out := t.TempDir()
			if err := run(sources, []string{system, program, out, "arm64"}); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(filepath.Join(out, file))
			if err != nil {
				t.Fatal(err)
			}
			if first != nil && !bytes.Equal(first, data) {
				t.Errorf("the second %s differs from the first", file)
			}
			first = data
		}
	}
}

func TestAPackageForDebianAndOneForWindows(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1790000000")
	program, version := stand(t)
	out := t.TempDir()
	for _, system := range []string{"debian", "windows"} {
		if err := run(sources, []string{system, program, out, "amd64"}); err != nil {
			t.Fatal(err)
		}
	}
	deb, err := os.ReadFile(filepath.Join(out, "mac-stats_"+version+"_amd64.deb"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(deb, []byte("!<arch>\ndebian-binary   1790000000  ")) {
		t.Errorf("it begins with %q", deb[:40])
	}
	if tool, err := exec.LookPath("dpkg-deb"); err == nil {
		fields, err := exec.Command(tool, "--field", filepath.Join(out, "mac-stats_"+version+"_amd64.deb"), "Package", "Version").CombinedOutput()
		if err != nil || string(fields) != "Package: mac-stats\nVersion: "+version+"\n" {
			t.Errorf("%s, %v", fields, err)
		}
		place := t.TempDir()
		if text, err := exec.Command(tool, "--extract", filepath.Join(out, "mac-stats_"+version+"_amd64.deb"), place).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if text, err := exec.Command(filepath.Join(place, "usr", "bin", "mac-stats")).Output(); err != nil || !strings.Contains(string(text), version) {
			t.Errorf("the program in it says %q, %v", text, err)
		}
		for _, name := range []string{"README.md", "SECURITY.md", "docs/chat.md"} {
			if _, err := os.Stat(filepath.Join(place, "usr", "share", "doc", "mac-stats", filepath.FromSlash(name))); err != nil {
				t.Errorf("the package for Debian lacks a document: %v", err)
			}
		}
	}
	archive, err := zip.OpenReader(filepath.Join(out, "mac-stats-"+version+"-windows-amd64.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	var names []string
	for _, f := range archive.File {
		names = append(names, strings.TrimPrefix(f.Name, "mac-stats-"+version+"-windows-amd64/"))
		if !f.Modified.Equal(time.Unix(1790000000, 0)) {
			t.Errorf("%s is of %v", f.Name, f.Modified)
		}
	}
	pages, err := filepath.Glob(filepath.Join(sources, "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("pages: %v, %v", pages, err)
	}
	want := []string{"mac-stats.exe", "install.ps1", "LICENSE.txt", "README.md", "CHANGELOG.md", "SECURITY.md"}
	for _, page := range pages {
		want = append(want, "docs/"+filepath.Base(page))
	}
	want = append(want, "docs/licences/pdfium.txt")
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, "docs/pictures/") })
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheResourcesOfWindows(t *testing.T) {
	a, err := readAbout(sources)
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if err := run(sources, []string{"resources", out}); err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	checkIco(t, read("mac-stats.ico"))
	var manifest struct {
		Identity struct {
			Name    string `xml:"name,attr"`
			Version string `xml:"version,attr"`
		} `xml:"assemblyIdentity"`
		Level struct {
			Level string `xml:"level,attr"`
		} `xml:"trustInfo>security>requestedPrivileges>requestedExecutionLevel"`
	}
	if err := xml.Unmarshal(read("mac-stats.manifest"), &manifest); err != nil || manifest.Identity.Name != a.Details.ID || manifest.Identity.Version != a.Details.Version+".0" || manifest.Level.Level != "asInvoker" {
		t.Errorf("the manifest is %+v, %v", manifest, err)
	}
	script := string(read("mac-stats.rc"))
	for _, line := range []string{`1 ICON "mac-stats.ico"`, `1 24 "mac-stats.manifest"`, "FILEVERSION " + strings.ReplaceAll(a.Details.Version, ".", ",") + ",1", `VALUE "ProductVersion", "` + a.Details.Version + `"`} {
		if !strings.Contains(script, line+"\n") {
			t.Errorf("%s is missing from\n%s", line, script)
		}
	}
	if windres, err := exec.LookPath("x86_64-w64-mingw32-windres"); err == nil {
		cmd := exec.Command(windres, "mac-stats.rc", "mac-stats.syso")
		cmd.Dir = out
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, text)
		}
	}
}

// checkIco reads an .ico as Windows does.
func checkIco(t *testing.T, data []byte) {
	t.Helper()
	if !bytes.HasPrefix(data, []byte{0, 0, 1, 0, byte(len(icoSizes)), 0}) {
		t.Fatalf("the head is %v", data[:6])
	}
	end := 6 + 16*len(icoSizes)
	for i, size := range icoSizes {
		entry := data[6+16*i:]
		length, at := int(binary.LittleEndian.Uint32(entry[8:])), int(binary.LittleEndian.Uint32(entry[12:]))
		picture, err := png.DecodeConfig(bytes.NewReader(data[at : at+length]))
		if err != nil || at != end || entry[0] != byte(size) || entry[1] != byte(size) || picture.Width != size || picture.Height != size {
			t.Errorf("%d pixels: %v, %+v at %d", size, err, picture, at)
		}
		end += length
	}
	if end != len(data) {
		t.Errorf("%d bytes of %d are pictures", end, len(data))
	}
}

// root returns a copy of what the sources give to packages, with an empty icon.
func root(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeIcon(t, dir, 512, 512)
	if err := os.CopyFS(filepath.Join(dir, "docs"), os.DirFS(filepath.Join(sources, "docs"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"FyneApp.toml", "README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE", "scripts/install.sh", "scripts/install.ps1", "assets/icons/icon.svg"} {
		data, err := os.ReadFile(filepath.Join(sources, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := writeFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// writeIcon writes an empty icon of this size.
func writeIcon(t *testing.T, dir string, width, height int) {
	t.Helper()
	var data bytes.Buffer
	err := png.Encode(&data, image.NewNRGBA(image.Rect(0, 0, width, height)))
	if err == nil {
		err = writeFile(filepath.Join(dir, "assets", "icons", "icon.png"), data.Bytes(), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What is missing from a package or can't be written is an error that names it.
func TestAPackageIsWholeOrAnError(t *testing.T) {
	program, _ := stand(t)
	dir := root(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for system, arch := range map[string][]string{"linux": {"amd64"}, "debian": {"amd64"}, "windows": {"amd64"}, "darwin": nil} {
		if err := run(dir, append([]string{system, program, filepath.Join(file, "out")}, arch...)); err == nil || !strings.Contains(err.Error(), "write the package: ") {
			t.Errorf("%s: an output that can't be written: %v", system, err)
		}
		if err := run(dir, append([]string{system, program + "gone", t.TempDir()}, arch...)); err == nil || !strings.HasPrefix(err.Error(), "pack ") {
			t.Errorf("%s: no program: %v", system, err)
		}
	}
	if err := run(dir, []string{"resources", filepath.Join(file, "out")}); err == nil || !strings.Contains(err.Error(), "write the package: ") {
		t.Errorf("resources that can't be written: %v", err)
	}
	for _, system := range []string{"debian", "windows"} {
		if err := run(dir, []string{system, program, t.TempDir(), "../x"}); !errors.Is(err, errUsage) {
			t.Errorf("%s with a strange arch: %v", system, err)
		}
	}
	icon := filepath.Join(dir, "assets", "icons", "icon.png")
	for want, spoil := range map[string]func(){
		"is 64 × 32 pixels: it must be a square of 512 or more": func() { writeIcon(t, dir, 64, 32) },
		"read the icon " + icon: func() {
			if err := os.WriteFile(icon, []byte("no PNG"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		spoil()
		for _, args := range [][]string{{"linux", program, t.TempDir(), "amd64"}, {"darwin", program, t.TempDir()}, {"resources", t.TempDir()}} {
			if err := run(dir, args); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", args[0], err, want)
			}
		}
	}
}

// plist returns the dictionary of an Info.plist: texts, and "true".
func plist(t *testing.T, data []byte) map[string]string {
	t.Helper()
	var file struct {
		Dict struct {
			Inner []struct {
				XMLName xml.Name
				Text    string `xml:",chardata"`
			} `xml:",any"`
		} `xml:"dict"`
	}
	if err := xml.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	key := ""
	for _, e := range file.Dict.Inner {
		switch e.XMLName.Local {
		case "key":
			key = e.Text
		case "string":
			values[key] = e.Text
		default:
			values[key] = e.XMLName.Local
		}
	}
	return values
}

func TestTheAppOfMacOS(t *testing.T) {
	program, version := stand(t)
	out := t.TempDir()
	stale := filepath.Join(out, "mac-stats.app", "Contents", "_CodeSignature", "CodeResources")
	if err := writeFile(stale, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run(sources, []string{"darwin", program, out}); err != nil {
		t.Fatal(err)
	}
	contents := filepath.Join(out, "mac-stats.app", "Contents")
	data, err := os.ReadFile(filepath.Join(contents, "Info.plist"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"CFBundleDevelopmentRegion": "en", "CFBundleDisplayName": "mac-stats", "CFBundleExecutable": "mac-stats", "CFBundleIconFile": "icon",
		"CFBundleIdentifier": "net.mac-stats.app", "CFBundleInfoDictionaryVersion": "6.0", "CFBundleName": "mac-stats", "CFBundlePackageType": "APPL",
		"CFBundleShortVersionString": version, "CFBundleVersion": "1", "LSApplicationCategoryType": "public.app-category.utilities",
		"LSMinimumSystemVersion":         leastMacOS,
		"NSLocalNetworkUsageDescription": "mac-stats talks to the Ollama server you name in its settings, which may be another machine in your network.",
		"LSUIElement":                    "true", "NSHighResolutionCapable": "true", "NSSupportsAutomaticGraphicsSwitching": "true",
	}
	if diff := cmp.Diff(want, plist(t, data)); diff != "" {
		t.Errorf("Info.plist (-want +got):\n%s", diff)
	}
	var files []string
	err = filepath.WalkDir(contents, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(contents, path) // it is below
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	})
	if diff := cmp.Diff([]string{"Info.plist", "MacOS/mac-stats", "PkgInfo", "Resources/icon.icns", "Resources/licences/pdfium.txt"}, files); err != nil || diff != "" {
		t.Errorf("%v, files (-want +got):\n%s", err, diff)
	}
	if info, err := os.Stat(filepath.Join(contents, "MacOS", "mac-stats")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o755 {
		t.Errorf("the program: %v, %v", info.Mode(), err)
	}
	icons, err := os.ReadFile(filepath.Join(contents, "Resources", "icon.icns"))
	if err != nil {
		t.Fatal(err)
	}
	checkIcns(t, icons)
}

// checkIcns reads an .icns as macOS does.
func checkIcns(t *testing.T, data []byte) {
	t.Helper()
	if string(data[:4]) != "icns" || int(binary.BigEndian.Uint32(data[4:])) != len(data) {
		t.Fatalf("the head is %q of %d bytes", data[:8], len(data))
	}
	sizes := map[string]int{}
	for rest := data[8:]; len(rest) > 0; {
		n := binary.BigEndian.Uint32(rest[4:])
		picture, err := png.DecodeConfig(bytes.NewReader(rest[8:n]))
		if err != nil || picture.Width != picture.Height {
			t.Fatalf("%q: %v, %+v", rest[:4], err, picture)
		}
		sizes[string(rest[:4])] = picture.Width
		rest = rest[n:]
	}
	want := map[string]int{"icp4": 16, "ic11": 32, "icp5": 32, "ic12": 64, "ic07": 128, "ic13": 256, "ic08": 256, "ic14": 512, "ic09": 512, "ic10": 1024}
	if diff := cmp.Diff(want, sizes); diff != "" {
		t.Errorf("pictures (-want +got):\n%s", diff)
	}
}

func TestIconsAverageVisiblePixels(t *testing.T) {
	from := image.NewNRGBA(image.Rect(0, 0, 4, 4))
	for y := range 4 {
		from.SetNRGBA(0, y, color.NRGBA{R: 200, A: 255})
		from.SetNRGBA(1, y, color.NRGBA{G: 255}) // invisible
		from.SetNRGBA(2, y, color.NRGBA{B: 100, A: 255})
		from.SetNRGBA(3, y, color.NRGBA{B: 200, A: 255})
	}
	data, err := iconPNG(from, 2)
	if err != nil {
		t.Fatal(err)
	}
	small, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for x, want := range []color.NRGBA{{R: 200, A: 128}, {B: 150, A: 255}} {
		if got := color.NRGBAModel.Convert(small.At(x, 0)); got != want {
			t.Errorf("at %d: %v, want %v", x, got, want)
		}
	}
}

func TestInputThatCannotBePacked(t *testing.T) {
	program, _ := stand(t)
	good, err := os.ReadFile(filepath.Join(sources, "FyneApp.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		toml string
		args []string
		want string
	}{
		"no command":      {string(good), nil, "usage"},
		"another system":  {string(good), []string{"plan9", program, "out"}, "usage"},
		"a strange arch":  {string(good), []string{"linux", program, "out", "../x"}, "usage"},
		"no program":      {string(good), []string{"darwin", "gone", "out"}, "pack the program"},
		"no TOML":         {"[Details", []string{"version"}, "FyneApp.toml"},
		"a bad version":   {strings.Replace(string(good), `"0.`, `"v0.`, 1), []string{"version"}, "must be like 1.2.3"},
		"a bad name":      {strings.Replace(string(good), `"mac-stats"`, `"../x"`, 1), []string{"version"}, "Name"},
		"a bad ID":        {strings.Replace(string(good), `"net.`, `"-net.`, 1), []string{"version"}, "must be like net.example.app"},
		"no build":        {strings.Replace(string(good), "Build = 1", "Build = 0", 1), []string{"version"}, "Build must be 1 or more"},
		"a missing icon":  {strings.Replace(string(good), "icon.png", "gone.png", 1), []string{"darwin", program, "out"}, "read the icon"},
		"no FyneApp.toml": {"", []string{"version"}, "root of the sources"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			if test.toml != "" {
				if err := os.WriteFile(filepath.Join(root, "FyneApp.toml"), []byte(test.toml), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := run(root, test.args); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q in it", err, test.want)
			}
		})
	}
}
