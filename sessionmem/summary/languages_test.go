package summary

import "testing"

// A good Summary is accepted in languages that change the endings or beginnings of words.
func TestGoodSummariesPassInOtherLanguages(t *testing.T) {
	for language, c := range map[string]struct {
		talk      []string
		good, bad string
	}{
		"Russian": {[]string{
			"Мы переезжаем в мае из Казани в Тверь, как сравнить предложения транспортных компаний?", "Сравните цену и страховку.",
			"Пианино весит двести килограммов, а лестница в новом доме узкая.", "Сообщите об этом компании.",
			"Напиши письмо в компанию с просьбой о дате между двенадцатым и шестнадцатым мая.", "Уважаемые господа …",
		}, "Пользователь в мае переезжает из Казани в Тверь и сравнивает предложения компаний. Пианино двести килограммов, узкая лестница. Написано письмо о дате между двенадцатым и шестнадцатым мая.", "Обсуждались прогноз погоды, рецепт борща и покупка нового телефона для бабушки."},
		"Korean": {[]string{
			"다음 달에 부산에서 서울로 이사합니다. 이사 업체 견적을 어떻게 비교하나요?", "가격과 보험을 비교하세요.",
			"피아노가 무겁고 새 집의 계단이 좁습니다. 업체에 무엇을 말해야 하나요?", "무게와 계단 폭을 말하세요.",
			"업체에 날짜를 묻는 이메일을 써 주세요.", "안녕하세요 …",
		}, "사용자는 다음 달 부산에서 서울로 이사하며 이사 업체의 견적을 비교한다. 무거운 피아노와 새 집의 좁은 계단이 있다. 업체에 날짜를 묻는 이메일을 썼다.", "날씨와 요리법, 새 휴대폰 구입에 대해 이야기했다."},
		"Finnish": {[]string{
			"Muutamme toukokuussa Tampereelta Turkuun, miten vertaan muuttoyritysten tarjouksia?", "Vertaa hintaa ja vakuutusta.",
			"Pianoni painaa kaksisataa kiloa ja uuden talon portaat ovat kapeat.", "Kerro siitä yritykselle.",
			"Kirjoita yritykselle sähköposti, jossa kysytään päivää toukokuun puolivälistä.", "Hei …",
		}, "Käyttäjä muuttaa toukokuussa Tampereelta Turkuun ja vertaa muuttoyritysten tarjouksia. Piano painaa kaksisataa kiloa, uuden talon portaat ovat kapeat. Yritykselle kirjoitettiin sähköposti päivästä toukokuun puolivälissä.", "Keskusteltiin säästä, resepteistä ja uuden puhelimen ostamisesta."},
		"Turkish": {[]string{
			"Mayısta Bursa'dan İzmir'e taşınıyoruz, nakliye firmalarının tekliflerini nasıl karşılaştırırım?", "Fiyatı ve sigortayı karşılaştırın.",
			"Piyanom iki yüz kilo ve yeni evin merdiveni dar.", "Bunu firmaya söyleyin.",
			"Firmaya mayıs ortası için tarih soran bir e-posta yaz.", "Sayın yetkili …",
		}, "Kullanıcı mayısta Bursa'dan İzmir'e taşınıyor ve nakliye firmalarının tekliflerini karşılaştırıyor. Piyano iki yüz kilo, yeni evin merdiveni dar. Firmaya mayıs ortası için tarih soran e-posta yazıldı.", "Hava durumu, yemek tarifleri ve yeni telefon konuşuldu."},
		"Arabic": {[]string{
			"سننتقل في مايو من فاس إلى الرباط، كيف أقارن عروض شركات النقل؟", "قارن السعر والتأمين.",
			"البيانو يزن مئتي كيلوغرام ودرج البيت الجديد ضيق.", "أخبر الشركة بذلك.",
			"اكتب رسالة إلى الشركة تسأل عن موعد في منتصف مايو.", "تحية طيبة …",
		}, "ينتقل المستخدم في مايو من فاس إلى الرباط ويقارن عروض شركات النقل. البيانو يزن مئتي كيلوغرام ودرج البيت ضيق. كتبت رسالة إلى الشركة عن موعد في منتصف مايو.", "دار الحديث عن الطقس والطبخ وشراء هاتف جديد للجدة."},
		"Thai": {[]string{
			"เราจะย้ายบ้านจากเชียงใหม่ไปกรุงเทพในเดือนพฤษภาคม จะเปรียบเทียบราคาบริษัทขนย้ายอย่างไร", "เปรียบเทียบราคาและประกัน",
			"เปียโนหนักสองร้อยกิโลและบันไดบ้านใหม่แคบ", "แจ้งบริษัท",
			"เขียนอีเมลถามวันที่ว่างกลางเดือนพฤษภาคม", "เรียน …",
		}, "ผู้ใช้จะย้ายบ้านจากเชียงใหม่ไปกรุงเทพในเดือนพฤษภาคมและเปรียบเทียบราคาบริษัทขนย้าย เปียโนหนักสองร้อยกิโล บันไดบ้านใหม่แคบ และเขียนอีเมลถามวันที่ว่างกลางเดือน", "คุยเรื่องฟุตบอลโลก สูตรแกงเขียวหวาน และโทรศัพท์รุ่นล่าสุดของน้องสาว"},
	} {
		t.Run(language, func(t *testing.T) {
			if missing, madeUp := MissingFrom(c.good, nil, talkOf(c.talk...)); len(missing) > 0 || madeUp {
				t.Errorf("a good one: missing %q, made up %v", missing, madeUp)
			}
			if missing, madeUp := MissingFrom(c.bad, nil, talkOf(c.talk...)); len(missing) == 0 || !madeUp {
				t.Errorf("a bad one: missing %q, made up %v", missing, madeUp)
			}
		})
	}
}
