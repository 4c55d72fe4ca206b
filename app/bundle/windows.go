package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// packWindows writes the zip and its checksum and returns their paths.
func packWindows(root string, a about, program, out, arch string) ([]string, error) {
	if !plainName.MatchString(arch) {
		return nil, errUsage
	}
	top := a.Details.Name + "-" + a.Details.Version + "-windows-" + arch
	var files []packed
	for _, f := range [][2]string{
		{program, a.Details.Name + ".exe"},
		{filepath.Join(root, "scripts", "install.ps1"), "install.ps1"},
		{filepath.Join(root, "LICENSE"), "LICENSE.txt"},
	} {
		data, err := os.ReadFile(f[0])
		if err != nil {
			return nil, fmt.Errorf("pack %s: %w", f[1], err)
		}
		files = append(files, packed{f[1], data, false})
	}
	documents, err := documentFiles(root)
	if err != nil {
		return nil, err
	}
	files = append(files, documents...)
	data, err := zipArchive(top, files)
	if err != nil {
		return nil, err
	}
	return writeSummed(filepath.Join(out, top+".zip"), data)
}

// zipArchive packs files below a folder, like tarball.
func zipArchive(top string, files []packed) ([]byte, error) {
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	for _, f := range files {
		w, err := archive.CreateHeader(&zip.FileHeader{Name: path.Join(top, f.name), Method: zip.Deflate, Modified: packedAt()})
		if err == nil {
			_, err = w.Write(f.data)
		}
		if err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.name, err)
		}
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("pack %s: %w", top, err)
	}
	return b.Bytes(), nil
}

// icoSizes are the sizes of the program's icon on Windows, in pixels.
var icoSizes = []int{16, 24, 32, 48, 64, 256}

// writeResources writes the resources of the Windows program for windres: an icon, a manifest
// and the version information.
func writeResources(root string, a about, out string) ([]string, error) {
	icon, err := readIcon(filepath.Join(root, a.Details.Icon))
	if err != nil {
		return nil, err
	}
	ico := []byte{0, 0, 1, 0, byte(len(icoSizes)), 0}
	var pictures []byte
	for _, size := range icoSizes {
		picture, err := iconPNG(icon, size)
		if err != nil {
			return nil, err
		}
		edge := byte(size) // 256 is written as 0
		ico = append(ico, edge, edge, 0, 0, 1, 0, 32, 0)
		ico = binary.LittleEndian.AppendUint32(ico, uint32(len(picture)))
		ico = binary.LittleEndian.AppendUint32(ico, uint32(6+16*len(icoSizes)+len(pictures)))
		pictures = append(pictures, picture...)
	}
	var made []string
	for _, f := range []packed{
		{a.Details.Name + ".ico", append(ico, pictures...), false},
		{a.Details.Name + ".manifest", windowsManifest(a), false},
		{a.Details.Name + ".rc", windowsResources(a), false},
	} {
		name := filepath.Join(out, f.name)
		if err := writeFile(name, f.data, 0o644); err != nil {
			return nil, err
		}
		made = append(made, name)
	}
	return made, nil
}

// windowsManifest declares that the program needs no administrator rights, adapts to screens
// of any density, supports long paths, and runs on Windows 10 and newer.
func windowsManifest(a about) []byte {
	return []byte(xml.Header + `<assembly xmlns="urn:schemas-microsoft-com:asm.v1" manifestVersion="1.0">
	<assemblyIdentity type="win32" name="` + a.Details.ID + `" version="` + a.Details.Version + `.0"/>
	<trustInfo xmlns="urn:schemas-microsoft-com:asm.v3">
		<security>
			<requestedPrivileges>
				<requestedExecutionLevel level="asInvoker" uiAccess="false"/>
			</requestedPrivileges>
		</security>
	</trustInfo>
	<compatibility xmlns="urn:schemas-microsoft-com:compatibility.v1">
		<application>
			<supportedOS Id="{8e0f7a12-bfb3-4fe8-b9a5-48fd50a15a9a}"/>
		</application>
	</compatibility>
	<application xmlns="urn:schemas-microsoft-com:asm.v3">
		<windowsSettings>
			<dpiAware xmlns="http://schemas.microsoft.com/SMI/2005/WindowsSettings">true/pm</dpiAware>
			<dpiAwareness xmlns="http://schemas.microsoft.com/SMI/2016/WindowsSettings">PerMonitorV2, PerMonitor</dpiAwareness>
			<longPathAware xmlns="http://schemas.microsoft.com/SMI/2016/WindowsSettings">true</longPathAware>
		</windowsSettings>
	</application>
	<dependency>
		<dependentAssembly>
			<assemblyIdentity type="win32" name="Microsoft.Windows.Common-Controls" version="6.0.0.0"
				processorArchitecture="*" publicKeyToken="6595b64144ccf1df" language="*"/>
		</dependentAssembly>
	</dependency>
</assembly>
`)
}

// windowsResources returns the script for windres.
func windowsResources(a about) []byte {
	d := a.Details
	numbers := strings.ReplaceAll(d.Version, ".", ",") + "," + strconv.Itoa(d.Build)
	return []byte(`1 ICON "` + d.Name + `.ico"
1 24 "` + d.Name + `.manifest"
1 VERSIONINFO
FILEVERSION ` + numbers + `
PRODUCTVERSION ` + numbers + `
FILETYPE 1
BEGIN
	BLOCK "StringFileInfo"
	BEGIN
		BLOCK "040904b0"
		BEGIN
			VALUE "FileDescription", "` + d.Name + `"
			VALUE "FileVersion", "` + d.Version + `"
			VALUE "OriginalFilename", "` + d.Name + `.exe"
			VALUE "ProductName", "` + d.Name + `"
			VALUE "ProductVersion", "` + d.Version + `"
		END
	END
	BLOCK "VarFileInfo"
	BEGIN
		VALUE "Translation", 0x409, 1200
	END
END
`)
}
