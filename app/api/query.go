package api

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// onlyParams parses the query. It refuses unknown and repeated parameters, so that a
// misspelled limit doesn't silently widen a request.
func onlyParams(r *http.Request, known ...string) (url.Values, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, badRequest("The query string can't be read.", "Percent-encode its values.")
	}
	for name, values := range q {
		switch {
		case !slices.Contains(known, name):
			next := "This path takes none."
			if len(known) > 0 {
				next = "Known here: " + strings.Join(known, ", ") + "."
			}
			return nil, badRequest("There is no parameter "+strconv.QuoteToASCII(oneWord(name))+".", next)
		case len(values) > 1:
			return nil, badRequest("The parameter "+name+" is there twice.", "Send it once.")
		case values[0] == "" && !slices.Contains([]string{"q", "session", "after", "also"}, name): // these may be any text
			return nil, badRequest("The parameter "+name+" is empty.", "Give it a value, or leave it out.")
		}
	}
	return q, nil
}

// number parses an integer from 1 to most; an empty text gives otherwise.
func number(text, name string, otherwise, most int) (int, error) {
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most || strconv.Itoa(n) != text {
		return 0, badRequest(fmt.Sprintf("%s must be a whole number from 1 to %d.", name, most), "Send such a number, or leave it out.")
	}
	return n, nil
}

// flag parses true or false; false if it is missing.
func flag(q url.Values, name string) (bool, error) {
	switch q.Get(name) {
	case "true":
		return true, nil
	case "", "false":
		return false, nil
	}
	return false, badRequest(name+" is neither true nor false.", "Send "+name+"=true, or leave it out.")
}
