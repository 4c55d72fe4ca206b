package analysis

import (
	"regexp"
	"strconv"
	"strings"
)

// Chinese, Japanese and Korean write dates without spaces. They are found in the text itself
// and passed to the date reader as equivalent words.

// cjkDate matches such dates. Each group is one kind, see cjkDates.
var cjkDate = regexp.MustCompile(`(\d{4})[年년]|(\d{1,2})[月월](?:(\d{1,2})[日号號일])?|(十[一二]?|[一二三四五六七八九])月` +
	`|(\d{1,2}|[一二两兩三四五六七八九十])(?:个|個|か|ヶ|カ)?(天|日|周|週|月|年|일|주|개월|달|년)(?:间|間)?(?:之|以)?(?:前|전)` +
	`|(前天|一昨日|おととい|그저께|그제|昨天|昨日|昨晚|昨夜|きのう|어제|今天|今日|今晚|今夜|きょう|오늘|明天|明日|내일)` +
	`|(上|先|지난|下|来|來|다음|这|這|本|今|이번)(?:个|個)?(周|週|星期|礼拜|禮拜|주|月|달)|(去年|昨年|작년|今年|올해|明年|来年|내년)`)

// cjkDateChars holds the characters of such dates, for a quick check before cjkDate.
const cjkDateChars = "年月日号號天周週前昨今明去上先下来來这這本おきの년월일주달어오내그작올지다이"

// cjkDates returns the dates in a text as words.
func cjkDates(text string) []dateToken {
	if !strings.ContainsAny(text, cjkDateChars) {
		return nil
	}
	var out []dateToken
	number := func(text string) {
		if n := cjkNumber(text); n > 0 {
			out = append(out, dateToken{number: n})
		}
	}
	word := func(kind dateKind, n int8) { out = append(out, dateToken{dateWord: dateWord{kind, n}, number: -1}) }
	for _, m := range cjkDate.FindAllStringSubmatch(text, -1) {
		switch {
		case m[1] != "":
			number(m[1])
		case m[2] != "", m[4] != "":
			if n := cjkNumber(m[2] + m[4]); n >= 1 && n <= 12 {
				word(dateMonth, int8(n)) //nolint:gosec // small
				number(m[3])
			}
		case m[5] != "":
			number(m[5])
			word(dateUnit, int8(cjkUnit(m[6])))
			word(dateAgo, 0)
		case m[7] != "":
			word(dateDay, cjkDay(m[7]))
		case m[8] != "":
			word(dateMod, cjkMod(m[8]))
			word(dateUnit, int8(cjkUnit(m[9])))
		case m[10] != "":
			word(dateMod, cjkMod(m[10]))
			word(dateUnit, int8(grainYear))
		}
	}
	return out
}

// cjkNumber reads digits and the ideographs of small numbers; 0 if there are none.
func cjkNumber(text string) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	n := 0
	for _, c := range text {
		if c == '十' {
			n = max(n, 1) * 10
			continue
		}
		if i := strings.IndexRune("一二三四五六七八九", c); i >= 0 {
			n += i/len("一") + 1
		}
		if c == '两' || c == '兩' {
			n += 2
		}
	}
	return n
}

func cjkUnit(text string) grain {
	switch text {
	case "天", "日", "일":
		return grainDay
	case "年", "년":
		return grainYear
	case "月", "달", "개월":
		return grainMonth
	}
	return grainWeek
}

func cjkDay(text string) int8 {
	switch text {
	case "前天", "一昨日", "おととい", "그저께", "그제":
		return -2
	case "昨天", "昨日", "昨晚", "昨夜", "きのう", "어제":
		return -1
	case "明天", "明日", "내일":
		return 1
	}
	return 0
}

func cjkMod(text string) int8 {
	switch text {
	case "上", "先", "지난", "去年", "昨年", "작년":
		return -1
	case "下", "来", "來", "다음", "明年", "来年", "내년":
		return 1
	}
	return 0
}
