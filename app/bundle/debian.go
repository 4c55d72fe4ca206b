package main

import (
	"bytes"
	"crypto/md5" //nolint:gosec // the format's own checksum
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// debianNeeds are the packages of the libraries that the program loads: the linked ones, and
// those that GLFW opens when it shows the window.
const debianNeeds = "libc6, libgl1, libegl1, libx11-6, libxcursor1, libxi6, libxinerama1, libxrandr2, libxxf86vm1, " +
	"libwayland-client0, libwayland-cursor0, libwayland-egl1, libxkbcommon0"

// packDebian writes a package for Debian and Ubuntu and its checksum, and returns their
// paths.
func packDebian(root string, a about, program, out, arch string) ([]string, error) {
	if !plainName.MatchString(arch) {
		return nil, errUsage
	}
	files, err := linuxFiles(root, a, program)
	if err != nil {
		return nil, err
	}
	var placed []packed
	for _, f := range files {
		switch {
		case strings.HasPrefix(f.name, "bin/"), strings.HasPrefix(f.name, "share/"):
			placed = append(placed, packed{"usr/" + f.name, f.data, f.run})
		case f.name == "LICENSE":
			placed = append(placed, packed{"usr/share/doc/" + a.Details.Name + "/copyright", f.data, false})
		case f.name != "install.sh": // documents
			placed = append(placed, packed{"usr/share/doc/" + a.Details.Name + "/" + f.name, f.data, false})
		}
	}
	slices.SortFunc(placed, func(a, b packed) int { return strings.Compare(a.name, b.name) })
	size, sums := 0, ""
	for _, f := range placed {
		size += len(f.data)
		sum := md5.Sum(f.data) //nolint:gosec // as above
		sums += hex.EncodeToString(sum[:]) + "  " + f.name + "\n"
	}
	control := "Package: " + a.Details.Name + "\n" +
		"Version: " + a.Details.Version + "\n" +
		"Architecture: " + arch + "\n" +
		"Maintainer: The mac-stats authors <mac-stats@localhost>\n" +
		"Installed-Size: " + strconv.Itoa((size+1023)/1024) + "\n" +
		"Depends: " + debianNeeds + "\n" +
		"Recommends: libgl1-mesa-dri, xdg-utils, libdecor-0-plugin-1-gtk | libdecor-0-plugin-1-cairo\n" + // a title bar on GNOME without XWayland
		"Suggests: xclip, wl-clipboard, libsecret-1-0\n" +
		"Section: utils\n" +
		"Priority: optional\n" +
		"Description: " + a.LinuxAndBSD.GenericName + "\n " + a.LinuxAndBSD.Comment + ".\n"
	about, err := tarball(".", []packed{{"control", []byte(control), false}, {"md5sums", []byte(sums), false}})
	if err != nil {
		return nil, err
	}
	data, err := tarball(".", withFolders(placed))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	for _, member := range []packed{{"debian-binary", []byte("2.0\n"), false}, {"control.tar.gz", about, false}, {"data.tar.gz", data, false}} {
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", member.name, packedAt().Unix(), 0, 0, "100644", len(member.data))
		b.Write(member.data)
		if len(member.data)%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return writeSummed(filepath.Join(out, a.Details.Name+"_"+a.Details.Version+"_"+arch+".deb"), b.Bytes())
}

// withFolders inserts the folders of files before them.
func withFolders(files []packed) []packed {
	var all []packed
	seen := map[string]bool{}
	for _, f := range files {
		parts := strings.Split(f.name, "/")
		for i := 1; i < len(parts); i++ {
			if folder := strings.Join(parts[:i], "/") + "/"; !seen[folder] {
				seen[folder] = true
				all = append(all, packed{folder, nil, true})
			}
		}
		all = append(all, f)
	}
	return all
}
