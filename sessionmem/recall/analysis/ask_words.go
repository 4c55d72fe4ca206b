package analysis

// whenWords ask for a time if they are among the first words of a question.
const whenWords = `when wann quand cuando quando wanneer когда متى 언제`

// Words that ask for a quantity, among the first words of a question: alone, or as a pair of
// a first and a second.
const (
	quantityWords  = `wieviel wieviele combien cuanto cuantos cuanta cuantas quanto quanti quanta quante quantos quantas hoeveel сколько كم`
	quantityFirst  = `how wie hoe hur hvor`
	quantitySecond = `many much long old often far viel viele vielen lange alt oft weit lang oud vaak ver manga ofta mange ofte`
)

// answerFirst followed by answerSecond, or youFirst followed by youSecond, asks what the
// assistant said or did ("did you", "you suggested"); so does each of answerVerbs alone.
const (
	answerFirst  = `did have had hast habt haben sagten as avez`
	answerSecond = `you du ihr sie tu vous`
	youFirst     = `you du`
	youSecond    = `said told suggested recommended gave mentioned explained advised proposed gesagt empfohlen vorgeschlagen erwahnt`
	answerVerbs  = `sagtest empfahlst dijiste recomendaste sugeriste mencionaste explicaste`
)
