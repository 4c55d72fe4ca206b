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

// Pictures in answers: those whose bytes are here, in the text or among the attachments.
// One that is elsewhere stays a link: to show it would tell its server who reads this.

// inlinePrefixes begin a picture whose bytes stand in the text.
var inlinePrefixes = []string{"data:image/png;base64,", "data:image/jpeg;base64,"}

// mostPictures is how many pictures of one answer are shown.
const mostPictures = 12

// picturesIn are the pictures of an answer that can be shown.
func picturesIn(leaves []markdown.Leaf) []transcript.Attachment {
	var list []transcript.Attachment
	markdown.EachLink(leaves, func(words, url string) {
		if a, ok := PictureAt(url); ok && len(list) < mostPictures {
			a.Name = cmp.Or(strings.TrimSpace(words), a.Name)
			list = append(list, a)
		}
	})
	return list
}

// PictureAt is the picture that a link leads to, where its bytes are here.
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

// Inline gives the bytes of a picture that stands in a text; ok is false of an attachment.
func Inline(a transcript.Attachment) (data []byte, ok bool, err error) {
	text, ok := inlineImage(a.File)
	if !ok {
		return nil, false, nil
	}
	if data, err = base64.StdEncoding.DecodeString(text); err != nil {
		err = errors.New(i18n.T("the picture is damaged"))
	}
	return data, true, err
}

// pictureRow is the pictures of a finished answer; nil where it has none.
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
