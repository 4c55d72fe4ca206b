package analysis

// lightWords are words that fit most questions and say little about what is searched for:
// what kind, how many different ones, how often, did it happen, what was recommended. They
// find texts, but the other words of a question weigh more. One language per line, without
// accents.
//
//nolint:misspell // other languages than English
const lightWords = `
en different kind kinds type types sort sorts name names named many much often long time times thing things way ways happen happens happened describe describes described mention mentions mentioned do make makes made making get gets got getting give gives gave given take takes took taken go goes going went gone say says said tell tells told think thinks thought feel feels felt know knows knew known want wants wanted use uses used suggest suggests suggested recommend recommends recommended advise advises advised
de verschieden verschiedene verschiedenen verschiedener verschiedenes unterschiedliche unterschiedlichen art arten name namen viel viele oft lange mal male ding dinge sache sachen weise passiert passieren passierte geschah beschreibt beschreiben beschrieb erwahnt erwahnte machen macht machte gemacht bekommen bekommt bekam geben gibt gab gegeben nehmen nimmt nahm genommen gehen geht ging gegangen sagen sagt sagte gesagt erzahlt erzahlte denken denkt dachte fuhlen fuhlt fuhlte wissen weiss wusste wollen wollte empfehlen empfiehlt empfahl empfohlen vorschlagen vorgeschlagen raten riet geraten
fr different differente differentes differents type types sorte sortes genre nom noms fois souvent longtemps chose choses facon passe arrive faire fait faisait dire dit disait donner donne prendre pris aller alle penser pense savoir vouloir
es diferente diferentes tipo tipos clase nombre nombres veces vez cosa cosas manera paso ocurrio hacer hace hizo hecho decir dice dijo dar dio tomar ir fue pensar piensa saber quiere
it diverso diversa diverse diversi tipo tipi nome nomi volta volte spesso cosa cose modo successo accaduto fare fatto fece dire dice detto dare dato prendere andare andato pensare pensa sapere vuole
pt diferente diferentes tipo tipos nome nomes vez vezes coisa coisas maneira aconteceu fazer faz fez feito dizer disse dar deu ir foi pensar pensa saber quer
nl verschillend verschillende soort soorten naam namen keer vaak lang ding dingen manier gebeurd gebeurde maken maakt maakte gemaakt krijgen geven gaf gaan ging zeggen zegt zei denken denkt dacht weten wist wil
`

// genericWords make up a question for everything said at a time, besides the time and
// function words: "what did we talk about yesterday". Without accents.
//
//nolint:misspell // other languages than English
const genericWords = `
talk talks talked talking speak speaks spoke spoken speaking discuss discussed discussing discussion discussions chat chats chatted conversation conversations session sessions topic topics say said tell told happen happens happened happening thing things stuff show list
reden rede redeten geredet sprechen sprachen gesprochen besprechen besprachen besprochen unterhalten unterhielten gesprach gesprache thema themen woruber worum ging gesagt erzahlt passiert passierte geschah geschehen los gemacht zeig zeige
parler parle parlions discute conversation conversations hablar hablamos hablado hablabamos conversacion conversaciones parlare parlato conversazione falar falamos falado conversa conversas praten gepraat spraken gesproken besproken gesprek gesprekken
`
