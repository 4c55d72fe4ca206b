package chat

import (
	"cmp"
	"encoding/base64"
	"errors"
	"strings"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/markdown"
	"mac-stats/sessionmem/transcript"
)

// An answer shows the pictures whose bytes are here, in its text or in an attachment. A
// picture elsewhere stays a link: loading it would tell its server who reads the answer.

// inlinePrefixes are the prefixes of a picture whose bytes are in the text.
var inlinePrefixes = []string{"data:image/png;base64,", "data:image/jpeg;base64,"}

// maxPictures is the number of pictures shown per answer, at most.
const maxPictures = 12

// picturesIn returns the pictures of an answer that can be shown.
func picturesIn(leaves []markdown.Leaf) []transcript.Attachment {
	var list []transcript.Attachment
	markdown.EachLink(leaves, func(words, url string) {
		if a, ok := PictureAt(url); ok && len(list) < maxPictures {
			a.Name = cmp.Or(strings.TrimSpace(words), a.Name)
			list = append(list, a)
		}
	})
	return list
}

// PictureAt returns the picture that a link refers to, if its bytes are here.
func PictureAt(url string) (transcript.Attachment, bool) {
	if _, inline := inlineImage(url); inline {
		return transcript.Attachment{Name: i18n.T("image"), File: url, Image: true}, true
	}
	for _, a := range transcript.Attachments("![](" + url + ")") {
		return a, a.Image
	}
	return transcript.Attachment{}, false
}

func inlineImage(url string) (data string, ok bool) {
	for _, p := range inlinePrefixes {
		if data, ok = strings.CutPrefix(url, p); ok {
			return data, true
		}
	}
	return "", false
}

// InlineData returns the bytes of a picture contained in a text. ok is false for an attachment.
func InlineData(a transcript.Attachment) (data []byte, ok bool, err error) {
	text, ok := inlineImage(a.File)
	if !ok {
		return nil, false, nil
	}
	if data, err = base64.StdEncoding.DecodeString(text); err != nil {
		err = errors.New(i18n.T("the image is damaged"))
	}
	return data, true, err
}

// pictureRow returns the pictures of a finished answer, or nil if it has none.
func (r *Rows) pictureRow(e *conversation.EntryView) *column.Placed {
	if e.Live || r.Act.Files == nil {
		return nil
	}
	list := picturesIn(e.Leaves)
	if len(list) == 0 {
		return nil
	}
	return &column.Placed{Row: newFileRow(list, r.Act.Files(r.last.Name), false), Gap: kit.Gap8, Max: kit.ProseMax}
}
