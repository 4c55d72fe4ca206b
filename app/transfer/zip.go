package transfer

import (
	"archive/zip"
	"io"

	"mac-stats/sessionmem/transcript"
)

// Files returns the files that are attached to blocks, each once.
func Files(blocks []transcript.Block) (files []transcript.Attachment) {
	known := map[string]bool{}
	for _, b := range blocks {
		for _, a := range b.Attachments() {
			if !known[a.File] {
				known[a.File] = true
				files = append(files, a)
			}
		}
	}
	return files
}

// Zip writes a transcript together with the files attached to it, in the places to which its
// links lead. It returns the names of the files that couldn't be read.
func Zip(w io.Writer, name string, text func(io.Writer) error, files []transcript.Attachment, read func(transcript.Attachment) ([]byte, error)) (missing []string, err error) {
	z := zip.NewWriter(w)
	add := func(name string, write func(io.Writer) error) error {
		f, err := z.Create(name)
		if err == nil {
			err = write(f)
		}
		return err
	}
	if err := add(name+".md", text); err != nil {
		return nil, err
	}
	for _, a := range files {
		data, err := read(a)
		if err != nil {
			missing = append(missing, a.Name)
			continue
		}
		if err := add(transcript.FilesDir+"/"+a.File, func(f io.Writer) error { _, err := f.Write(data); return err }); err != nil {
			return nil, err
		}
	}
	return missing, z.Close()
}
