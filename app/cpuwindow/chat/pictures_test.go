package chat

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/app/ui/markdown"
)

func TestPicturesInAnAnswer(t *testing.T) {
	file := strings.Repeat("0a", 32)
	for text, want := range map[string][]string{
		"see ![a chart](data:image/png;base64,UE5H) there":              {"a chart data:image/png;base64,UE5H"},
		"![](data:image/jpeg;base64,UE5H)":                              {"image data:image/jpeg;base64,UE5H"},
		"![shot](../../files/" + file + ".png)":                         {"shot " + file + ".png"},
		"![elsewhere](https://example.org/x.png)":                       nil,
		"![elsewhere](//example.org/files/" + file + ".png)":            nil,
		"![page](data:text/html;base64,UE5H)":                           nil,
		"[paper](../../files/" + file + ".pdf)":                         nil,
		"![up](../../../etc/passwd.png)":                                nil,
		"```\n![a chart](data:image/png;base64,UE5H)\n```":              nil,
		strings.Repeat("![a](data:image/png;base64,UE5H) b ", 30)[:300]: nil, // see below
	} {
		var got []string
		for _, a := range picturesIn(markdown.Parse(text).View().Leaves) {
			got = append(got, a.Name+" "+a.File)
		}
		if strings.HasPrefix(text, "![a]") {
			if len(got) == 0 || len(got) > maxPictures {
				t.Errorf("%d pictures", len(got))
			}
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// hugePNG returns a PNG of few bytes whose header claims the given size.
func hugePNG(t *testing.T, width, height uint32) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	head := data[12:29] // IHDR and its content
	binary.BigEndian.PutUint32(head[4:], width)
	binary.BigEndian.PutUint32(head[8:], height)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(head))
	return data
}

func TestAPictureThatClaimsAHugeSizeIsNotDecoded(t *testing.T) {
	for _, side := range []uint32{60_000, 1 << 30} {
		if _, err := makeThumb(hugePNG(t, side, side)); err == nil || !strings.Contains(err.Error(), "pixels") && !strings.Contains(err.Error(), "dimension") {
			t.Errorf("%d pixels wide: %v", side, err)
		}
	}
	url := "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte("no picture"))
	a := picturesIn(markdown.Parse("![x](" + url + ")").View().Leaves)[0]
	if data, ok, err := InlineData(a); !ok || err != nil || string(data) != "no picture" {
		t.Errorf("%q, %v, %v", data, ok, err)
	}
}
