package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// hicolorSizes are the icon's sizes in hicolor, the theme that every desktop falls back to.
var hicolorSizes = []int{16, 22, 24, 32, 48, 64, 128, 256, 512}

// packed is a file of a package.
type packed struct {
	name string // slash-separated
	data []byte
	run  bool // executable
}

// packLinux writes the tarball and its checksum and returns their paths.
func packLinux(root string, a about, program, out, arch string) ([]string, error) {
	if !plainName.MatchString(arch) {
		return nil, errUsage
	}
	files, err := linuxFiles(root, a, program)
	if err != nil {
		return nil, err
	}
	top := a.Details.Name + "-" + a.Details.Version + "-linux-" + arch
	data, err := tarball(top, files)
	if err != nil {
		return nil, err
	}
	return writeSummed(filepath.Join(out, top+".tar.gz"), data)
}

// writeSummed writes a package with its checksum beside it, and returns their paths.
func writeSummed(name string, data []byte) ([]string, error) {
	sum := sha256.Sum256(data)
	line := hex.EncodeToString(sum[:]) + "  " + filepath.Base(name) + "\n"
	if err := writeFile(name, data, 0o644); err != nil {
		return nil, err
	}
	return []string{name, name + ".sha256"}, writeFile(name+".sha256", []byte(line), 0o644)
}

// packedAt returns the time of all files in a package: SOURCE_DATE_EPOCH, the time of the
// sources in seconds since 1970, or 1970.
func packedAt() time.Time {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		seconds = 0
	}
	return time.Unix(seconds, 0).UTC()
}

// linuxFiles returns the files of the package: the program, a menu entry, icons, the installer
// and documentation.
func linuxFiles(root string, a about, program string) ([]packed, error) {
	name := a.Details.Name
	var files []packed
	for _, f := range []struct {
		from, to string
		run      bool
	}{
		{program, "bin/" + name, true},
		{filepath.Join(root, "scripts", "install.sh"), "install.sh", true},
		{filepath.Join(root, "assets", "icons", "icon.svg"), "share/icons/hicolor/scalable/apps/" + name + ".svg", false},
		{filepath.Join(root, "LICENSE"), "LICENSE", false},
	} {
		data, err := os.ReadFile(f.from)
		if err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.to, err)
		}
		files = append(files, packed{f.to, data, f.run})
	}
	documents, err := documentFiles(root)
	if err != nil {
		return nil, err
	}
	files = append(files, documents...)
	files = append(files,
		packed{"share/applications/" + name + ".desktop", []byte(desktopEntry(a)), false},
		packed{"share/metainfo/" + a.Details.ID + ".metainfo.xml", metainfo(a), false})
	icon, err := readIcon(filepath.Join(root, a.Details.Icon))
	if err != nil {
		return nil, err
	}
	for _, size := range hicolorSizes {
		data, err := iconPNG(icon, size)
		if err != nil {
			return nil, err
		}
		n := strconv.Itoa(size)
		files = append(files, packed{"share/icons/hicolor/" + n + "x" + n + "/apps/" + name + ".png", data, false})
	}
	return files, nil
}

// documentFiles returns what people read, with the paths that its links name, and the licences
// of what the program contains as a whole.
func documentFiles(root string) ([]packed, error) {
	names := []string{"README.md", "CHANGELOG.md", "SECURITY.md"}
	for _, pattern := range []string{"docs/*.md", "docs/pictures/*.png", "docs/licences/*.txt"} {
		found, err := fs.Glob(os.DirFS(root), pattern)
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("pack %s: %w", pattern, cmp.Or(err, fs.ErrNotExist))
		}
		names = append(names, found...)
	}
	var files []packed
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, fmt.Errorf("pack %s: %w", name, err)
		}
		files = append(files, packed{name, data, false})
	}
	return files, nil
}

// desktopEntry returns the entry of the applications menu. The installer puts the program's
// path into Exec. On Wayland a window's class is the app's ID; on X11 it is the program's
// name, which is also the entry's file name.
func desktopEntry(a about) string {
	l := a.LinuxAndBSD
	return "[Desktop Entry]\n" +
		"Type=Application\n" +
		"Name=" + a.Details.Name + "\n" +
		"GenericName=" + l.GenericName + "\n" +
		"Comment=" + l.Comment + "\n" +
		"Exec=" + strings.TrimSpace(a.Details.Name+" "+l.ExecParams) + "\n" +
		"Icon=" + a.Details.Name + "\n" +
		"Terminal=false\n" +
		"Categories=" + strings.Join(l.Categories, ";") + ";\n" +
		"Keywords=" + strings.Join(l.Keywords, ";") + ";\n" +
		"StartupNotify=false\n" +
		"StartupWMClass=" + a.Details.Name + "\n"
}

// metainfo describes the app to software centers (freedesktop.org, AppStream).
func metainfo(a about) []byte {
	var b bytes.Buffer
	text := func(s string) string {
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(s)) // a builder takes everything
		return b.String()
	}
	d, l := a.Details, a.LinuxAndBSD
	b.WriteString(xml.Header + "<component type=\"desktop-application\">\n" +
		"  <id>" + d.ID + "</id>\n" +
		"  <metadata_license>CC0-1.0</metadata_license>\n" +
		"  <project_license>MIT</project_license>\n" +
		"  <name>" + d.Name + "</name>\n" +
		"  <summary>" + text(l.GenericName) + "</summary>\n" +
		"  <description>\n    <p>" + text(l.Comment) + ". " +
		"Conversations and memory are plain text files you can read and edit.</p>\n  </description>\n" +
		"  <launchable type=\"desktop-id\">" + d.Name + ".desktop</launchable>\n" +
		"  <categories>\n")
	for _, category := range l.Categories {
		b.WriteString("    <category>" + text(category) + "</category>\n")
	}
	b.WriteString("  </categories>\n" +
		"  <provides>\n    <binary>" + d.Name + "</binary>\n  </provides>\n" +
		"  <content_rating type=\"oars-1.1\"/>\n" +
		"  <releases>\n    <release version=\"" + d.Version + "\" date=\"" + packedAt().Format(time.DateOnly) + "\"/>\n  </releases>\n" +
		"</component>\n")
	return b.Bytes()
}

// tarball packs files below a folder. The result doesn't depend on the time or the user:
// times and owners are all the same.
func tarball(top string, files []packed) ([]byte, error) {
	var b bytes.Buffer
	zip, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, fmt.Errorf("pack %s: %w", top, err)
	}
	archive := tar.NewWriter(zip)
	for _, f := range files {
		head := &tar.Header{
			Typeflag: tar.TypeReg, Name: path.Join(top, f.name), Size: int64(len(f.data)), Mode: 0o644,
			ModTime: packedAt(), Format: tar.FormatUSTAR,
		}
		if f.run {
			head.Mode = 0o755
		}
		if strings.HasSuffix(f.name, "/") {
			head.Typeflag, head.Name = tar.TypeDir, head.Name+"/"
		}
		if err := archive.WriteHeader(head); err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.name, err)
		}
		if _, err := archive.Write(f.data); err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.name, err)
		}
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("pack %s: %w", top, err)
	}
	if err := zip.Close(); err != nil {
		return nil, fmt.Errorf("pack %s: %w", top, err)
	}
	return b.Bytes(), nil
}

// writeFile writes a file and creates the folders above it.
func writeFile(name string, data []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("write the package: %w", err)
	}
	if err := os.WriteFile(name, data, mode); err != nil {
		return fmt.Errorf("write the package: %w", err)
	}
	return os.Chmod(name, mode) // it may have existed with another mode
}
