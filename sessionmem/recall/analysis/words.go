package analysis

// stopWords are the function words of the known languages, one language per line: articles,
// pronouns, prepositions, conjunctions, auxiliaries and question words. They indicate the
// language of a text and carry no meaning in a question. They have no accents, because they
// are looked up without.
//
//nolint:misspell // other languages than English
const stopWords = `
en a about after along among around before between beyond during per since towards upon within without again all also am an and any are as at be because been before being but by can could did do does doing done for from had has have having he her here hers him his how i if in into is it its just me might more most must my no nor not now of on once only or other our out over own same shall she should so some such than that the their them then there these they this those through to too under until up us very was we were what when where which while who whom whose why will with would you your yours ever anything something everything someone anyone get got
de aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist da damit dann das dass dein deine dem den denn der des dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer fur gegen hab habe haben hast hat hatte hatten hier hinter ich ihm ihn ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jetzt kann kein keine keinem keinen keiner konnen konnte machen man mein meine meinem meinen meiner mich mir mit muss nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit sich sie sind so soll sondern uber um und uns unser unsere unter vom von vor wann war waren warum was weil welche welchem welchen welcher welches wenn wer werde werden wie wieder will wir wird wo wohin woher wurde wurden zu zum zur zwischen
fr a ai ainsi alors apres as au aucun aussi autre aux avait avant avec avez avons ce cela ces cet cette ceux chez comme comment contre d dans de depuis des donc du elle elles en encore entre es est et etaient etait ete etes etre eu eux fait il ils j je l la le les leur leurs lors lui ma mais me meme mes moi mon n ne nos notre nous on ont ou par pas pendant peu peut plus pour pourquoi qu quand que quel quelle quelles quels qui quoi sa sans se sera ses si son sont sous suis sur ta te tes toi ton tous tout toute toutes tres tu un une vers vos votre vous y
es a al algo ante antes aquel aquella como con contra cual cuales cuando de del desde donde dos el ella ellas ellos en entre era eran eres es esa esas ese eso esos esta estaba estan estar estas este esto estos estoy fue fueron fui ha habia han has hasta hay he la las le les lo los mas me mi mientras mis mucho muy nada ni no nos nosotros nuestra nuestro o otra otro para pero poco por porque que quien quienes se sea segun ser si sido sin sobre son soy su sus tambien tan tanto te tengo ti tiene tienen todo todos tu tus un una unas uno unos usted ya yo
it a abbiamo ad agli ai al alla alle anche avete aveva c che chi ci come con contro cosa cui da dagli dai dal dalla dalle de dei degli del della delle dello di dove e ed era erano essere gli ha hai hanno ho i il in io la le lei li lo loro lui ma mi mia mio miei nei negli nel nella nelle no noi non nostro o ogni per perche piu poi qual quale quali quando quanto quella quelle quelli quello questa queste questi questo se sei si sia siamo sono sta stato su sua sue sugli sui sul sulla suo suoi tra tu tua tuo tutti tutto un una uno vi voi
pt a ao aos aquela aquele as ate com como da das de dela dele deles depois do dos e ela elas ele eles em entre era eram essa esse esta estao estas estava este estes estou eu foi foram ha isso isto ja la lhe lhes mais mas me mesmo meu meus minha minhas muito na nao nas nem no nos nossa nosso num numa o onde os ou para pela pelas pelo pelos por porque qual quando que quem sao se seja sem ser seu seus so sobre sua suas tambem te tem tenho ter teu tinha tu tua um uma umas uns voce voces
nl aan achter al als altijd alles andere ben bij daar dan dat de der deze die dit doch doen door dus een en er ge geen geweest haar had heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je jij jouw kan kon kunnen maar me meer men met mij mijn moet na naar niet niets nog nu of om omdat onder ons onze ook op over reeds te tegen toch toen tot u uit uw van veel voor waar waarom want waren was wat welke werd wezen wie wij wil worden wordt zal ze zelf zich zij zijn zo zonder zou
sv alla allt att av blev bli blir da dar de dem den denna deras dess det detta dig din dina dit du dar efter ej eller en er ett fran for ha hade han hans har henne hennes hon honom hur har i icke ingen inom inte jag ju kan kunde man med mellan men mig min mina mitt mot mycket nagon nagot nar ni nu och om oss pa sa samma sedan sig sin sina sitt skulle som till under upp ut utan vad var vara varfor varit vem vi vid vilken
da af alle at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter eller en end er et for fra ham han hans har havde have hende hendes her hos hun hvad hvis hvor hvordan hvorfor hvem i ikke ind jeg jer jo kunne man mange med meget men mig min mine mit mod nar ned nogen noget nogle nu og ogsa om op os over pa sadan selv sig sin sine sit skal skulle som til ud under var vi vil ville vor
no alle at av bare ble bli blir da de deg dem den denne der dere deres det dette di din du eller en enn er et etter for fordi fra for ha hadde han hans har hennes her hun hva hvem hvilken hvis hvor hvordan hvorfor i ikke ingen jeg kan kom kunne man mange med meg meget men mer min mitt mot mye nar nei noe noen nå og ogsa om opp oss over pa selv seg sin sine sitt skal skulle som så til ut uten vare var ved vi vil ville vært vår
fi ei eivat ehka emme en eikä ja jos joka jota jossa joten kanssa kuin kun kuka koska mika mita miten missa milloin miksi minka mina minua minun minulla me meidan meille mutta myos ne niin niiden nyt oli olen olet olemme olivat ollut on ole ovat se sen sina sinun sinulla sita siina silla tai tama tassa tata te teidan vaan vai vain voi voin han hanen he heidan ennen jalkeen
hu a ahogy aki akik amely ami az azt be csak de egy el en ennek es ez ezt fel hogy hogyan ha hanem hol igen is itt ki kell le lehet lesz ma majd meg mert mi miert mikor mit mely milyen mint minden mindig nagyon nekem neki nem o ok ott pedig sem szerint te ti uj utan vagy vagyok van vannak volt voltak
ro a ai ale alt am ar are as asa asta au aveam avea ca care ce cel cea cei cele cine cu cum cand da dar de decat deci din dintre doar dupa ea ei el ele era eram este eu fara fi fie fost ii il imi in inca intre isi iar la le lor lui ma mai mea mei meu mult ne ni nici nimic noi nostru nu o ori pe pentru poate prin sa sau se si sunt suntem sub ta te tu un una unde unei unui va voi vor vreau
tr acaba ama ancak artik asla ben beni benim bir biraz biri biz bizim bu buna bunu bunun burada cok cunku da daha de defa degil diye en gibi hem hep her hic icin ile ise kadar ki kim kimin mi mu nasil ne neden nerede nereye niye o olan olarak oldu olur ona onlar onu onun ve veya ya yani sen senin siz sizin su sonra once var yok zaman
ru а без более бы был была были было быть в вам вас весь во вот все всего всех всю вы где да даже для до его ее ей ему если есть еще же за здесь и из или им их к как какая какие какой когда которая которое которые который кто куда ли либо мне много может мой моя мы на над надо нам нас не него нее нет ни них но ну о об однако он она они оно от очень по под при про с сам свой себя со так также там те тебя тем то того тоже той только том ты у уже хотя чего чей чем что чтобы чье эта эти это этот я почему зачем сколько
ar في من على الى إلى عن مع هذا هذه ذلك تلك التي الذي الذين هو هي هم انا أنا انت أنت نحن كان كانت كانوا يكون ان أن إن ما ماذا متى اين أين كيف لماذا هل لا لم لن قد كل بعض بعد قبل عند او أو ثم حتى اذا إذا لكن ولكن بين كم أي اي منذ
`

// irregularEnglish lists forms that no suffix rule reduces to their word, which comes first in
// each line: irregular verbs, plurals with a vowel change, comparatives.
const irregularEnglish = `
arise arose arisen
awake awoke awoken
bear bore borne
beat beaten
become became
begin began begun
bend bent
bite bit bitten
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen
cling clung
come came
creep crept
deal dealt
dig dug
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
fly flew flown
forbid forbade forbidden
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
give gave given
go goes went gone
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
keep kept
kneel knelt
know knew known
lay laid
lead led
lean leant
learn learnt
leave left
lend lent
light lit
lose lost
make made
mean meant
meet met
mistake mistook mistaken
overcome overcame
pay paid
prove proven
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
sew sewn
shake shook shaken
shine shone
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
speak spoke spoken
speed sped
spend spent
spill spilt
spin spun
spring sprang sprung
stand stood
steal stole stolen
stick stuck
sting stung
strike struck
strive strove striven
swear swore sworn
sweep swept
swell swollen
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
understand understood
undertake undertook undertaken
wake woke woken
wear wore worn
weave wove woven
weep wept
win won
withdraw withdrew withdrawn
write wrote written
rewrite rewrote rewritten
rebuild rebuilt
child children
man men
woman women
person people
foot feet
tooth teeth
goose geese
mouse mice
ox oxen
wife wives
knife knives
half halves
shelf shelves
wolf wolves
thief thieves
loaf loaves
index indices
matrix matrices
vertex vertices
analysis analyses
crisis crises
criterion criteria
phenomenon phenomena
good better best
bad worse worst
far farther further
die dying died
lie lying
tie tying
`

// irregularGerman lists strong verbs with their past forms and participles; the suffix rules
// handle further endings. Without accents.
const irregularGerman = `
beginnen begann begonnen
bekommen bekam
bieten bot geboten
binden band gebunden
bitten bat gebeten
bleiben blieb geblieben
brechen brach gebrochen
brennen brannte gebrannt
bringen brachte gebracht
denken dachte gedacht
empfehlen empfahl empfohlen
entscheiden entschied entschieden
essen ass gegessen
fahren fuhr gefahren
fallen fiel gefallen
fangen fing gefangen
finden fand gefunden
fliegen flog geflogen
fressen frass gefressen
geben gab gegeben
gehen ging gegangen
gelingen gelang gelungen
gewinnen gewann gewonnen
greifen griff gegriffen
halten hielt gehalten
hangen hing gehangen
heben hob gehoben
heissen hiess geheissen
helfen half geholfen
kennen kannte gekannt
kommen kam gekommen
laden lud geladen
lassen liess gelassen
laufen lief gelaufen
leiden litt gelitten
leihen lieh geliehen
lesen las gelesen
liegen lag gelegen
lugen log gelogen
messen mass gemessen
nehmen nahm genommen
nennen nannte genannt
raten riet geraten
rufen rief gerufen
scheinen schien geschienen
schlafen schlief geschlafen
schlagen schlug geschlagen
schliessen schloss geschlossen
schneiden schnitt geschnitten
schreiben schrieb geschrieben
schreien schrie geschrien
schwimmen schwamm geschwommen
sehen sah gesehen
senden sandte gesandt
singen sang gesungen
sitzen sass gesessen
sprechen sprach gesprochen
springen sprang gesprungen
stehen stand gestanden
steigen stieg gestiegen
sterben starb gestorben
streiten stritt gestritten
tragen trug getragen
treffen traf getroffen
treten trat getreten
trinken trank getrunken
tun tat getan
vergessen vergass
verlieren verlor verloren
verschwinden verschwand verschwunden
verstehen verstand verstanden
wachsen wuchs gewachsen
waschen wusch gewaschen
werfen warf geworfen
wissen wusste gewusst
ziehen zog gezogen
`

// synonymsEnglish lists nouns that no suffix rule reduces to their verb or adjective, clipped and
// colloquial words, and alternative spellings: each word counts as the first one of its line.
const synonymsEnglish = `
decide decision
explain explanation
describe description
subscribe subscription
receive reception receipt
perceive perception
choose choice
lose loss
sell sale
grow growth
die death
live life
fly flight
speak speech
believe belief
prove proof
relieve relief
advise advice
marry marriage
compete competition
repeat repetition
solve solution
resolve resolution
permit permission
admit admission
expand expansion
extend extension
conclude conclusion
divide division
persuade persuasion
collide collision
invade invasion
revise revision
succeed success
maintain maintenance
renew renewal
destroy destruction
reduce reduction
introduce introduction
long length
strong strength
wide width
deep depth
high height
warm warmth
true truth
young youth
hot heat
angry anger
hungry hunger
mother mom mum mommy mummy mama
father dad daddy papa
grandmother grandma granny
grandfather grandpa granddad
child kid
photo photograph picture pic
bicycle bike
refrigerator fridge
television tv
telephone phone
favorite favourite fave
color colour
neighbor neighbour
behavior behaviour
flavor flavour
harbor harbour
honor honour
humor humour
labor labour
rumor rumour
center centre
theater theatre
meter metre
liter litre
gray grey
program programme
catalog catalogue
dialog dialogue
license licence
practice practise
defense defence
`
