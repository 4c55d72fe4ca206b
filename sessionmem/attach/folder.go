package attach

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"mac-stats/sessionmem/pdftext"
)

// maxFolderFiles is how many files of a folder are read.
const maxFolderFiles = 2000

// readFolder makes one text of the text files and PDFs in a folder and its sub-folders, each
// under its path. It leaves out hidden files and folders, links, anything else, and what
// doesn't fit.
func readFolder(ctx context.Context, dir string, progress func(read, pages int)) (File, error) {
	name := filepath.Base(dir)
	var out bytes.Buffer
	u := File{Name: name, Ext: "txt"}
	seen := 0
	pdfs := pdftext.Reader{Progress: progress}
	defer pdfs.Close()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		hidden := path != dir && strings.HasPrefix(entry.Name(), ".")
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && path == dir:
			return err
		case err != nil:
			u.LeftOut++
			return nil
		case entry.IsDir() && (hidden || entry.Name() == "node_modules"):
			return fs.SkipDir
		case entry.IsDir() || hidden:
			return nil
		case seen == maxFolderFiles:
			return fs.SkipAll
		}
		seen++
		text, charset, ok := folderText(ctx, &pdfs, path, entry, maxTextBytes-out.Len())
		if charset != "" {
			charset = " (read as " + charset + ")"
		}
		part := fmt.Sprintf("===== %s%s =====\n%s\n", folderPath(dir, path), charset, strings.TrimRight(text, "\n"))
		if !ok || out.Len()+len(part) > maxTextBytes {
			u.LeftOut++
			return nil
		}
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(part)
		u.Files++
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return File{}, fmt.Errorf("reading the folder: %w", context.Cause(ctx))
	case errors.Is(err, fs.ErrPermission):
		return File{}, refuse(name, "you may not read it")
	case err != nil:
		return File{}, refuse(name, err.Error())
	case u.Files == 0:
		return File{}, refuse(name, "the folder holds no text files of less than 1 MB")
	}
	u.Data = out.Bytes()
	return u, nil
}

// folderPath returns a file's path below the folder, with slashes, in valid UTF-8.
func folderPath(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		rel = filepath.Base(path)
	}
	return strings.ToValidUTF8(filepath.ToSlash(rel), string(utf8.RuneError))
}

// folderText returns the text of a file of a folder, and its character set if that was guessed; false if it has none, or if there is no
// room for it. Of a PDF, it may be the text of the first pages.
func folderText(ctx context.Context, pdfs *pdftext.Reader, path string, entry fs.DirEntry, room int) (text, charset string, ok bool) {
	info, err := entry.Info()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxPDFBytes || info.Size() == 0 {
		return "", "", false
	}
	pdf := strings.EqualFold(filepath.Ext(path), ".pdf")
	if !pdf && info.Size() > maxTextBytes || room <= 0 {
		return "", "", false
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", "", false
	}
	if pdf && pdftext.Is(path, data) {
		d, err := pdfs.Read(ctx, data, max(0, room-1000)) // some room for marks
		return d.Text, "", err == nil
	}
	return decodeText(data)
}
