package attach_test

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"mac-stats/sessionmem/attach"
)

// A sentence is enough to tell a character set, so that no letter of it is wrong.
func TestTextsInOtherCharacterSets(t *testing.T) {
	for text, set := range map[string]encoding.Encoding{
		"Name;Ort\nMüller;Köln\nGroß;Zürich\n":                            charmap.Windows1252,
		"El niño comió ayer en la cafetería de Málaga":                    charmap.Windows1252,
		"Bugün hava çok güzel, akşam üzeri ağabeyimle çarşıya gideceğiz.": charmap.Windows1254,
		"Ad;Soyad;Şehir\nAyşe;Yılmaz;İzmir\nÖmer;Çelik;Iğdır\n":           charmap.Windows1254,
		"kırmızı ışık":                                           charmap.Windows1254,
		"Sınıf;Öğretmen\n3b;Işıl Kâmil\n":                        charmap.ISO8859_9,
		"Það er gott":                                            charmap.Windows1252,
		"Nafn;Staður\nÞór;Akureyri\nGuðrún;Reykjavík\n":          charmap.Windows1252,
		"Eg eiti Jákup og býri í Havn, tað er ein góður staður.": charmap.Windows1252,
		"Zażółć gęślą jaźń. Proszę o fakturę za usługę, dziękuję bardzo za współpracę.": charmap.Windows1250,
		"Proszę o fakturę za usługę, dziękuję bardzo. Czy może pan przyjść później?":    charmap.ISO8859_2,
		"Příliš žluťoučký kůň úpěl ďábelské ódy. Děkuji za zprávu.":                     charmap.Windows1250,
		"Привет, как дела у тебя сегодня? Пойдём гулять в парк вечером.":                charmap.KOI8R,
		"Καλημέρα, τι κάνεις σήμερα; Πάμε στην αγορά το απόγευμα.":                      charmap.Windows1253,
		"שלום, מה שלומך היום? אנחנו הולכים לשוק בערב":                                   charmap.Windows1255,
		"これは日本語の文章です。":                                                                  japanese.EUCJP,
		"안녕하세요, 오늘 날씨가 좋습니다.":                                                           korean.EUCKR,
		"你好,今天的天气很好。我们去市场吧。":                                                            simplifiedchinese.GBK,
		"你好,今天的天氣很好。我們去市場吧。":                                                            traditionalchinese.Big5,
		"ПРЕВЫСОКОМНОГОРАССМОТРИТЕЛЬСТВУЮЩИЙ":                                           charmap.Windows1251,
		"превысокомногорассмотрительствующий":                                           charmap.KOI8R,
		"鼗鼙鼢鼬鼯鼹鼷鼽鼾齄醭醮醯醪醵醴醺":                                                             simplifiedchinese.GBK,
		"Größe\n—————————————————————————————————————————————————————\nfür später\n": charmap.Windows1252,
	} {
		data, err := set.NewEncoder().Bytes([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := attach.New(t.Context(), "a.txt", data); err != nil || string(got.Data) != text || got.Charset == "" {
			t.Errorf("%q is read in %s as %q, %v", text, got.Charset, got.Data, err)
		}
	}
}

// A text with a broken byte among many good letters is still UTF-8.
func TestABrokenByteLeavesTheOtherLetters(t *testing.T) {
	text := "Größe und Länge, über dem Fluß \xff und Ähnliches für später, möglichst schön. Ölkännchen\n"
	got, err := attach.New(t.Context(), "a.txt", []byte(text))
	if want := strings.ReplaceAll(text, "\xff", "\uFFFD"); err != nil || string(got.Data) != want || got.Charset != "utf-8" {
		t.Errorf("read in %s as %q, %v", got.Charset, got.Data, err)
	}
}
