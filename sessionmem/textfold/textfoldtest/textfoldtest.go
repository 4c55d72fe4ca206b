// Package textfoldtest holds texts in which a phrase is found although it is written
// differently. Only tests import it.
package textfoldtest

// Case is a phrase, a text, and the bytes of the text where the phrase is found; "" if it
// isn't.
type Case struct{ Name, Phrase, Text, Found string }

// Forms are texts in which a phrase is found, also inside words.
var Forms = []Case{
	{"as it stands", "blue whale", "I saw a blue whale today", "blue whale"},
	{"in another case, without diacritics", "café MÜNCHEN", "in Cafe Munchen", "Cafe Munchen"},
	{"across lines and marks", "blue whale", "a **blue**\nwhale", "blue**\nwhale"},
	{"within words", "hale sing", "whales singing", ""},
	{"beginning and ending within a word", "ale sing", "whale singing", "whale singing"},
	{"three digits as a word", "991", "the PIN is 991, not 9912 or A991", "991"},
	{"three letters as a word", "Fan", "a fan of infants, Fantasia", "fan"},
	{"two short words", "a b", "ca b, a b", "a b"},
	{"in Chinese", "机密", "这是机密文件", "机密"},
	{"in Japanese", "ひみつ", "これはひみつです", "ひみつ"},
	{"in Russian", "тайна", "моя ТАЙНА здесь", "ТАЙНА"},
	{"in Arabic with vowel points", "سر", "هذا سِرّ كبير", "سِرّ"},
	{"decomposed", "café", "cafe\u0301 au lait", "cafe\u0301"},
	{"not at all", "blue whale", "blue, a whale", ""},
}

// Writings are texts that display a phrase's words, however they are written.
var Writings = []Case{
	{"bold within a word", "zanzibar", "in zan**zibar** today", "zan**zibar"},
	{"several marks", "zanzibar", "in z_an_~~zi~~`bar` today", "z_an_~~zi~~`bar"},
	{"an escaped mark", "zanzibar", `in zan\*zibar`, `zan\*zibar`},
	{"a link", "my zanzibar trip", "on my [zanzibar](https://example.com/x) trip", "my [zanzibar](https://example.com/x) trip"},
	{"a link within a word", "zanzibar", "in [zan](u)zibar", "zan](u)zibar"},
	{"a link's title", "zanzibar trip", `see [this](u "Zanzibar trip")`, "Zanzibar trip"},
	{"a link by reference", "zanzibar trip", "my [zanzibar][1] trip", "zanzibar][1] trip"},
	{"a comment between words", "zanzibar trip", "zanzibar <!-- or so --> trip", "zanzibar <!-- or so --> trip"},
	{"a comment within a word", "zanzibar", "zan<!-- -->zibar", "zan<!-- -->zibar"},
	{"in a comment", "zanzibar", "x <!-- zanzibar -->", "zanzibar"},
	{"tags", "zanzibar", "zan<b>zi</b>bar", "zan<b>zi</b>bar"},
	{"in a tag", "zanzibar trip", `<img alt="Zanzibar trip">`, "Zanzibar trip"},
	{"between signs that are no tag", "y and z", "x <y and z> w", "y and z"},
	{"a blank as an entity", "zanzibar trip", "zanzibar&nbsp;trip", "zanzibar&nbsp;trip"},
	{"letters as entities", "zanzibar", "&#122;anzi&#x62;ar", "&#122;anzi&#x62;ar"},
	{"an entity twice", "zanzibar", "&amp;#122;anzibar", "&amp;#122;anzibar"},
	{"a soft hyphen as an entity", "zanzibar", "zan&shy;zibar", "zan&shy;zibar"},
	{"percent-encoded", "my zanzibar", "q=my%20zanzibar", "my%20zanzibar"},
	{"percent-encoded letters", "zürich", "q=Z%C3%BCrich", "Z%C3%BCrich"},
	{"percent-encoded twice", "zanzibar", "q=%257Aanzibar", "%257Aanzibar"},
	{"a plus for a blank", "my zanzibar", "q=my+zanzibar", "my+zanzibar"},
	{"a soft hyphen", "zanzibar", "zan\u00adzibar", "zan\u00adzibar"},
	{"a hyphenated line break", "zanzibar", "zan-\nzibar", "zan-\nzibar"},
	{"a hyphenated line break in a quote", "zanzibar", "> zan-\r\n> zibar", "zan-\r\n> zibar"},
	{"a soft hyphen and a line break", "zanzibar", "zan\u00ad\n  zibar", "zan\u00ad\n  zibar"},
	{"a hyphen", "well known", "well-\nknown", "well-\nknown"},
	{"without its hyphen", "well-known", "it is wellknown", "wellknown"},
	{"zero width", "zanzibar", "z\u200ba\u2060n\ufeffzi\u200ebar", "z\u200ba\u2060n\ufeffzi\u200ebar"},
	{"variation selectors", "zanzibar", "z\ufe0fa\ufe00nzi\U000e0101bar", "z\ufe0fa\ufe00nzi\U000e0101bar"},
	{"a mark of direction", "zanzibar", "zan\u202ezibar\u2066", "zan\u202ezibar"},
	{"a combining joiner", "zanzibar", "zan\u034fzibar", "zan\u034fzibar"},
	{"tag letters", "zanzibar", "zan\U000e0041zibar", "zan\U000e0041zibar"},
	{"full width", "zanzibar", "ｚａｎｚｉｂａｒ", "ｚａｎｚｉｂａｒ"},
	{"math letters", "zanzibar", "𝐳𝐚𝐧𝐳𝐢𝐛𝐚𝐫", "𝐳𝐚𝐧𝐳𝐢𝐛𝐚𝐫"},
	{"in circles", "zanzibar", "ⓩⓐⓝⓩⓘⓑⓐⓡ", "ⓩⓐⓝⓩⓘⓑⓐⓡ"},
	{"small capitals", "zanzibar", "ᴢᴀɴᴢɪʙᴀʀ", "ᴢᴀɴᴢɪʙᴀʀ"},
	{"Cyrillic letters among Latin ones", "zanzibar", "zаnzibаr", "zаnzibаr"},
	{"Greek capitals", "zanzibar", "ΖΑΝΖΙΒΑR", "ΖΑΝΖΙΒΑR"},
	{"Latin letters in Russian", "тайна", "моя тaйнa", "тaйнa"},
	{"Greek in another case", "ΝΗΣΟΣ", "η νήσος", "νήσος"},
	{"escapes of JSON", "zanzibar", `"\u007aanzibar"`, `\u007aanzibar`},
	{"a pair of escapes", "zanzibar", `"\ud835\udc33anzibar"`, `\ud835\udc33anzibar`},
	{"a hyphenated line break in JSON", "zanzibar", `"zan-\nzibar"`, `zan-\nzibar`},
	{"percent signs that are none", "50 off 5", "50% off 5%", "50% off 5"},
	{"an apostrophe", "dont tell", "don't tell", "don't tell"},
	{"digits in full width", "4711", "PIN ４７１１", "４７１１"},
	{"other words", "zanzibar", "zan zibar, zan.zibar, zan / zibar", ""},
}
