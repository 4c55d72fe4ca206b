package recall

import (
	"slices"
	"strings"
	"testing"
)

// spoken holds texts in a language, and questions about them.
type spoken struct {
	language string
	texts    []string
	asked    map[string]string // question to the beginning of the text that answers it
}

func languagesSpoken() []spoken {
	return []spoken{
		{"Arabic", []string{
			"اشتريت كتابا جديدا من المكتبة القديمة",
			"المروحة تصدر صوتا عاليا عندما يعمل المعالج",
			"سافرنا إلى البحر في الصيف الماضي",
			"الطقس بارد هذا الصباح",
		}, map[string]string{
			"المروحة": "المروحة", "كتاب": "اشتريت", "الكتاب الجديد": "اشتريت", "مروحة": "المروحة", "صيف": "سافرنا", "متى سافرنا إلى البحر؟": "سافرنا", "طقس": "الطقس",
		}},
		{"Chinese", []string{
			"我昨天在图书馆借了三本历史书",
			"电脑的风扇声音太大了",
			"周末我们一起去爬山吧",
			"冰箱里还有牛奶吗？",
		}, map[string]string{
			"风扇": "电脑", "图书馆": "我昨天", "历史书": "我昨天", "爬山": "周末", "风扇为什么声音大": "电脑", "奶": "冰箱", "书": "我昨天",
		}},
		{"German", []string{
			"Die Lüfter sind laut, weil die Bücher auf dem Gehäuse liegen",
			"Wir gingen am Samstag durch den Wald und fanden Pilze",
			"Das Fahrrad braucht eine neue Kette",
			"Straßenbahnen fahren hier nachts nicht",
		}, map[string]string{
			"Lüfter": "Die Lüfter", "Buch": "Die Lüfter", "luefter": "Die Lüfter", "lufter": "Die Lüfter", "gehen Wald": "Wir gingen", "Pilz": "Wir gingen",
			"Fahrräder": "Das Fahrrad", "Ketten": "Das Fahrrad", "Strassenbahn": "Straßenbahnen", "Wann sind wir durch die Wälder gegangen?": "Wir gingen",
		}},
		{"Japanese", []string{
			"昨日は新しいレストランで寿司を食べました",
			"パソコンのファンがうるさいです",
			"来週、京都へ旅行に行く予定です",
			"猫が庭で寝ている",
		}, map[string]string{
			"寿司": "昨日は", "食べる": "昨日は", "食べた": "昨日は", "ファン": "パソコン", "旅行": "来週", "京都": "来週", "猫": "猫が", "うるさい": "パソコン", "ﾌｧﾝ": "パソコン",
		}},
		{"Russian", []string{
			"Вчера я купила новую книгу о космосе",
			"Вентилятор шумит, когда процессор нагружен",
			"Мы ездили на дачу с друзьями",
			"Ещё нужно починить велосипед",
		}, map[string]string{
			"книгу": "Вчера", "книги": "Вчера", "новые книги": "Вчера", "вентиляторы": "Вентилятор", "друг дача": "Мы ездили", "велосипеды": "Ещё", "еще": "Ещё", "О чём была книга?": "Вчера", "космос": "Вчера",
		}},
		{"French", []string{
			"Les ventilateurs tournent à cause de l'écran allumé",
			"Nous avons acheté des cafés à l'hôtel",
			"La réunion est annulée",
		}, map[string]string{
			"ventilateur": "Les ventilateurs", "écrans": "Les ventilateurs", "ecran": "Les ventilateurs", "café": "Nous avons", "hotel": "Nous avons", "acheter": "Nous avons", "annuler": "La réunion",
		}},
		{"Spanish", []string{
			"Los ventiladores hacen mucho ruido por la noche",
			"Mañana comeremos paella con los niños",
			"El coche está en el taller",
		}, map[string]string{
			"ventilador": "Los ventiladores", "noches": "Los ventiladores", "niño": "Mañana", "nino": "Mañana", "coches": "El coche",
		}},
		{"Korean", []string{"어제 새로운 책을 샀어요", "컴퓨터 팬이 너무 시끄러워요"}, map[string]string{"책을": "어제", "컴퓨터": "컴퓨터", "새로운": "어제"}},
		{"Thai", []string{"เมื่อวานฉันซื้อหนังสือใหม่", "พัดลมเสียงดังมาก"}, map[string]string{"หนังสือ": "เมื่อวาน", "พัดลม": "พัดลม"}},
		{"Turkish", []string{"Dün yeni kitaplar aldım", "Bilgisayarın fanı çok gürültülü"}, map[string]string{"kitap": "Dün", "BİLGİSAYAR": "Bilgisayar"}},
	}
}

func TestWordsAndTheirFormsAreFoundInManyLanguages(t *testing.T) {
	mixed := newBench(t) // all languages in one index
	for _, s := range languagesSpoken() {
		own := newBench(t)
		for _, b := range []*bench{own, mixed} {
			b.talk("cpu-"+strings.ToLower(s.language), s.texts...)
		}
		own.sync()
		own.askAll(s, 1)
	}
	mixed.sync()
	for _, s := range languagesSpoken() {
		mixed.askAll(s, 2) // related words of other languages may be as good
	}
}

// askAll asks all questions; the answer must be among the first hits.
func (b *bench) askAll(s spoken, among int) {
	b.Helper()
	for question, want := range s.asked {
		got := said(b.search(question))
		if !slices.ContainsFunc(got[:min(among, len(got))], func(text string) bool { return strings.HasPrefix(text, want) }) {
			b.Errorf("%s, %q: %q, want that of %q", s.language, question, got, want)
		}
	}
}

func TestWordsOfOneLanguageAreFoundByAQuestionInAnother(t *testing.T) {
	b := newBench(t)
	b.talk("cpu-a", "Der Hauptbahnhof ist gesperrt und die Lieferungen kommen später", "The deliveries are late", "Les livraisons sont en retard")
	b.sync()
	for question, want := range map[string]string{
		"When was the Hauptbahnhof closed?":    "Der Hauptbahnhof",
		"Lieferungen":                          "Der Hauptbahnhof",
		"what did he say about Lieferungen":    "Der Hauptbahnhof",
		"was bedeutet livraisons auf Deutsch?": "Les livraisons",
	} {
		if got := b.first(question); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q, want that of %q", question, got, want)
		}
	}
}
