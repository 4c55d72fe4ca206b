package background

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"strings"
	"sync"

	"mac-stats/agents/ollama"
)

// embedForm holds the prefixes of texts to embed. Most embedding models were trained with
// prefixes, different ones for questions and for passages, and Ollama adds none.
type embedForm struct{ Question, Passage string }

// autoPrefix is the setting for the prefix with which the model's family was trained.
const autoPrefix = "auto"

// The prefixes of the families, from their model cards.
var (
	nomicForm      = embedForm{"search_query: ", "search_document: "}                           // nomic-ai/nomic-embed-text-v1.5, -v2-moe
	e5Form         = embedForm{"query: ", "passage: "}                                          // intfloat/multilingual-e5-large
	representForm  = embedForm{"Represent this sentence for searching relevant passages: ", ""} // BAAI/bge-large-en-v1.5, mixedbread-ai/mxbai-embed-large-v1, Snowflake/snowflake-arctic-embed-l
	bgeChineseForm = embedForm{"为这个句子生成表示以用于检索相关文章：", ""}                                       // BAAI/bge-large-zh-v1.5
	arcticForm     = embedForm{"query: ", ""}                                                   // Snowflake/snowflake-arctic-embed-l-v2.0
	gemmaForm      = embedForm{"task: search result | query: ", "title: none | text: "}         // google/embeddinggemma-300m
	instructForm   = embedForm{"Instruct: " + searchTask + "\nQuery: ", ""}                     // intfloat/multilingual-e5-large-instruct, e5-mistral-7b-instruct
	instructTight  = embedForm{"Instruct: " + searchTask + "\nQuery:", ""}                      // Qwen/Qwen3-Embedding-0.6B
	nomicCodeForm  = embedForm{"Represent this query for searching relevant code: ", ""}        // nomic-ai/nomic-embed-code
	plainForm      = embedForm{}                                                                // bge-m3, all-minilm, paraphrase-multilingual, granite-embedding, jina v2: none
)

const searchTask = "Given a web search query, retrieve relevant passages that answer the query"

// embedFamilies maps names of models to forms; the first match counts.
var embedFamilies = sync.OnceValue(func() []embedFamily {
	return []embedFamily{
		{regexp.MustCompile(`nomic-embed-code`), nomicCodeForm},
		{regexp.MustCompile(`nomic-embed`), nomicForm},
		{regexp.MustCompile(`embedding-?gemma`), gemmaForm},
		{regexp.MustCompile(`qwen3-embed`), instructTight},
		{regexp.MustCompile(`\be5-.*instruct`), instructForm},
		{regexp.MustCompile(`\be5\b`), e5Form},
		{regexp.MustCompile(`\bbge-m3`), plainForm},
		{regexp.MustCompile(`\bbge-.*-zh\b`), bgeChineseForm},
		{regexp.MustCompile(`\bbge-|mxbai-embed`), representForm},
		{regexp.MustCompile(`arctic-embed2|arctic-embed-.*v2`), arcticForm},
		{regexp.MustCompile(`arctic-embed`), representForm},
	}
})

type embedFamily struct {
	name *regexp.Regexp
	form embedForm
}

// formOf returns the form with which a model was trained, by its name; it is empty if the
// family is unknown or needs none. question and passage are the settings: any text other
// than autoPrefix is used as it is, and "" is none.
func formOf(model, question, passage string) embedForm {
	var form embedForm
	name := strings.ToLower(strings.ReplaceAll(model, "_", "-"))
	for _, f := range embedFamilies() {
		if f.name.MatchString(name) {
			form = f.form
			break
		}
	}
	if question != autoPrefix {
		form.Question = question
	}
	if passage != autoPrefix {
		form.Passage = passage
	}
	return form
}

// identityOf identifies what makes the vectors of passages: the model's file and the prefix
// of passages. Another prefix makes other vectors.
func identityOf(info ollama.ModelInfo, form embedForm) string {
	if form.Passage == "" {
		return info.Digest
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(form.Passage)) // never fails
	return fmt.Sprintf("%s+%016x", info.Digest, h.Sum64())
}
