package trash

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// ownAttachments returns the paths of the attachments that only these transcripts of a
// session link. A transcript that can't be read may link anything: then the session has none
// of its own.
func (b *Trash) ownAttachments(ctx context.Context, name string, files []string) ([]string, error) {
	own, err := b.linkedBy(files)
	if err != nil || len(own) == 0 {
		return nil, err
	}
	all, err := b.catalog.Entries()
	if err != nil {
		b.logger.Warn("attached files stay: not all sessions can be read", "session", name, "err", err)
		return nil, nil
	}
	for _, e := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if e.Session == name {
			continue
		}
		data, err := b.dir.ReadRegular(e.File)
		if err != nil {
			b.logger.Warn("attached files stay: a session can't be read", "file", e.File, "err", err)
			return nil, nil
		}
		own = slices.DeleteFunc(own, func(file string) bool { return bytes.Contains(data, []byte(file)) })
	}
	return own, nil
}

// linkedBy returns the paths of existing attachments that the transcripts link.
func (b *Trash) linkedBy(files []string) ([]string, error) {
	var linked []string
	for _, file := range files {
		data, err := b.dir.ReadRegular(file)
		if errors.Is(err, transcript.ErrNotFile) {
			continue
		}
		if err != nil {
			return nil, wholefile.Explain("reading "+file, err)
		}
		for _, a := range transcript.Attachments(string(data)) {
			p := path.Join(transcript.FilesDir, a.File)
			if fi, err := b.dir.Lstat(p); err == nil && fi.Mode().IsRegular() && !slices.Contains(linked, p) {
				linked = append(linked, p)
			}
		}
	}
	return linked, nil
}

// bringBackAttachments copies linked attachments back that a later delete of another
// session took to the trash.
func (b *Trash) bringBackAttachments(files []string) error {
	all, err := b.catalog.Trash()
	if err != nil {
		return err
	}
	for _, file := range files {
		if catalog.IsAttachment(file) || !strings.HasSuffix(file, transcript.FileSuffix) {
			continue
		}
		if fi, err := b.dir.Stat(file); err != nil || !fi.Mode().IsRegular() {
			continue // a folder, or a broken link: it links nothing
		}
		data, err := b.dir.ReadRegular(file)
		if err != nil {
			return err
		}
		for _, a := range transcript.Attachments(string(data)) {
			if err := b.bringBackAttachment(a, all); err != nil {
				return fmt.Errorf("%s: %w", a.Name, err)
			}
		}
	}
	return nil
}

func (b *Trash) bringBackAttachment(a transcript.Attachment, all []catalog.Trashed) error {
	file := path.Join(transcript.FilesDir, a.File)
	if _, err := b.dir.Lstat(file); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, t := range all {
		data, err := b.dir.ReadRegular(path.Join(t.Dir, file))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			if err = b.dir.MkdirAll(transcript.FilesDir, 0o700); err == nil {
				err = b.dir.WriteNew(file, data)
			}
		}
		return err
	}
	return nil // it went in another way: reading it returns an error
}
