// Package fetch reads pages of the public internet as text.
//
// It only dials public addresses (checked after DNS and on every redirect), sends no
// cookies or credentials, uses no proxy, and caps size and time. Pages are a stranger's
// text; errors are in the app's own words, so that a server can't speak through them.
// agents/tools decides whether an address may be read at all.
package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/pdftext"
	"mac-stats/sessionmem/wholefile"

	"golang.org/x/net/html/charset"
)

// Limits that the settings don't change.
const (
	DefaultBytes   = 2 << 20
	DefaultTimeout = 20 * time.Second
	maxRedirects   = 5
	maxPDF         = 20 << 20 // bytes; a part of one can't be read
	maxPDFText     = 1 << 20
	maxURL         = 2000 // bytes
)

// Fetcher reads pages of the public internet as text. It stores no cookies, sends no
// credentials and uses no proxy, because the guard couldn't see what a proxy dials.
type Fetcher struct {
	client *http.Client
}

// Page is a page as text.
type Page struct {
	URL   string // after redirects
	Title string
	Text  string // markdown, plain text or JSON
	Share string // how much of the page's text that is, if less than all may have arrived
	Cut   bool   // only the beginning of the page was read
}

// New returns a fetcher that dials only addresses that allow accepts.
func New(allow func(netip.Addr) bool) *Fetcher {
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: guard(allow)}
	return &Fetcher{client: &http.Client{
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    10 * time.Second,
			ResponseHeaderTimeout:  DefaultTimeout,
			MaxResponseHeaderBytes: 64 << 10,
			DisableKeepAlives:      true,
			ForceAttemptHTTP2:      true,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return refusal(fmt.Sprintf("more than %d redirects", maxRedirects))
			}
			return checkURL(req.URL)
		},
	}}
}

// Fetch reads the page at an address, at most maxBytes after decompression.
func (f *Fetcher) Fetch(ctx context.Context, address string, maxBytes int64, timeout time.Duration) (Page, error) {
	u, err := ParseURL(address)
	if err != nil {
		return Page{}, err
	}
	turn := ctx
	ctx, cancel := context.WithTimeout(turn, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return Page{}, fmt.Errorf("%q is not an address: %w", address, err)
	}
	req.Header.Set("User-Agent", "mac-stats")
	req.Header.Set("Accept", "text/html, text/markdown, text/plain, application/json;q=0.9, */*;q=0.5")
	res, err := f.client.Do(req)
	if err != nil {
		return Page{}, fetchProblem(u, err, timeout)
	}
	defer res.Body.Close()
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return Page{}, fmt.Errorf("%s answered %s", u.Host, statusText(res.StatusCode))
	}
	if packed := res.Header.Get("Content-Encoding"); packed != "" && !strings.EqualFold(packed, "identity") { // gzip was undone
		return Page{}, fmt.Errorf("%s answered in a compressed form that wasn't asked for, and that can't be read", u.Host)
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, maxBytes+1))
	if err != nil {
		return Page{}, fetchProblem(u, err, timeout)
	}
	if pdftext.Is("", data) {
		rest, err := io.ReadAll(io.LimitReader(res.Body, maxPDF-int64(len(data))+1))
		if err != nil {
			return Page{}, fetchProblem(u, err, timeout)
		}
		return readPDF(turn, append(data, rest...), res.Request.URL)
	}
	cut := int64(len(data)) > maxBytes
	if cut {
		data = data[:maxBytes]
	}
	p, err := readWithin(ctx, data, res)
	if ctx.Err() != nil {
		return Page{}, fetchProblem(u, ctx.Err(), timeout)
	}
	if err != nil && cut {
		return Page{}, fmt.Errorf("only the first %d kB of the page were read: %w", maxBytes>>10, err)
	}
	p.Cut = cut
	return p, err
}

// readPDF returns the text of a PDF. The page's time limit doesn't hold, as the PDF is here and
// pdftext has limits of its own.
func readPDF(ctx context.Context, data []byte, from *url.URL) (Page, error) {
	p := Page{URL: from.String()}
	if len(data) > maxPDF {
		return p, fmt.Errorf("the PDF has more than %d MB, which is too much to read from an address; it can be downloaded and attached", maxPDF>>20)
	}
	var r pdftext.Reader
	defer r.Close()
	d, err := r.Read(ctx, data, maxPDFText)
	switch {
	case errors.Is(err, pdftext.ErrDamaged):
		return p, pdftext.ErrDamaged
	case err != nil:
		return p, err
	}
	p.Text = d.Text
	p.Share = fmt.Sprintf("A PDF of %d pages, of which %d are here.", d.Pages, d.Read)
	return p, nil
}

// readWithin converts a body to text. The conversion can't be cancelled, so if ctx is done
// first, as with a page made to take long, readWithin returns without waiting.
func readWithin(ctx context.Context, data []byte, res *http.Response) (p Page, err error) {
	done := make(chan func() (Page, error), 1)
	go func() {
		p, err := readable(data, res.Header.Get("Content-Type"), res.Request.URL)
		done <- func() (Page, error) { return p, err }
	}()
	select {
	case got := <-done:
		return got()
	case <-ctx.Done():
		return Page{}, ctx.Err()
	}
}

// ParseURL parses an address that a model wrote.
func ParseURL(address string) (*url.URL, error) {
	address = strings.Trim(strings.TrimSpace(address), "<>`\"'")
	if address == "" {
		return nil, errors.New("an address is missing: FETCH_URL: https://…")
	}
	if len(address) > maxURL {
		return nil, fmt.Errorf("the address is longer than %d characters", maxURL)
	}
	u, err := url.Parse(address)
	if err != nil || strings.ContainsAny(address, " \t\r\n") {
		return nil, fmt.Errorf("%q is not an address: write it like https://example.org/page", excerpt.Shorten(excerpt.OneLine(address), 100))
	}
	return u, checkURL(u)
}

// checkURL accepts http and https addresses without credentials. The port must be one of
// the web's or above those of system services (mail, files, name servers), whose responses
// aren't pages.
func checkURL(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return refusal(fmt.Sprintf("only http and https addresses are read, not %q", excerpt.Shorten(u.Scheme+":", 30)))
	case u.Host == "":
		return refusal("the address names no host: write it like https://example.org/page")
	case u.User != nil:
		return refusal("an address with a user name or password is not read")
	}
	if port := u.Port(); port != "" && port != "80" && port != "443" {
		if n, err := strconv.Atoi(port); err != nil || n < 1024 || n > 65535 {
			return refusal("port " + excerpt.Shorten(port, 10) + " is not one that web pages are read from")
		}
	}
	return nil
}

// fetchProblem turns a transport error into the app's own words.
func fetchProblem(u *url.URL, err error, timeout time.Duration) error {
	var dns *net.DNSError
	switch {
	case errors.Is(err, errPrivateAddress):
		return fmt.Errorf("%s: %w", u.Host, errPrivateAddress)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s did not answer within %s", u.Host, timeout)
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("reading %s: %w", u.Host, err)
	case errors.As(err, &dns):
		return fmt.Errorf("there is no host %s", u.Hostname())
	}
	var refused refusal
	var op *net.OpError
	var certificate *tls.CertificateVerificationError
	words := "it does not answer as a web server does"
	switch {
	case errors.As(err, &refused):
		words = string(refused)
	case errors.As(err, &certificate):
		words = "its certificate is not valid"
	case errors.As(err, &op):
		words = op.Error()
	}
	return &Error{Host: u.Host, Words: words, Err: err}
}

// Error explains in the app's own words why an address couldn't be read. Err may quote the
// server.
type Error struct {
	Host  string
	Words string
	Err   error
}

func (e *Error) Error() string { return "reading " + e.Host + ": " + e.Words }
func (e *Error) Unwrap() error { return e.Err }

// refusal is the reason why the app doesn't read an address. Other errors may quote what
// the server sent (a Location, a header, a certificate). As the model sees failures without
// a frame, those are replaced with our own words.
type refusal string

func (r refusal) Error() string { return string(r) }

// statusText returns a status in our own words, without the server's reason phrase.
func statusText(code int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code)))
}

// readable converts a body to text: HTML to markdown, other text unchanged. What it is decides
// its content, not only its type: servers send feeds as HTML, and lists of JSON as anything.
func readable(data []byte, contentType string, from *url.URL) (Page, error) {
	p := Page{URL: from.String()}
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil || kind == "application/octet-stream" {
		contentType = http.DetectContentType(data)
		kind, _, _ = mime.ParseMediaType(contentType)
	}
	page := kind == "text/html" || kind == "application/xhtml+xml"
	utf8Data, guess, err := toUTF8(data, contentType)
	if err != nil {
		if isTextType(kind) || page {
			return p, err
		}
		return p, fmt.Errorf("%s is %s, not text", excerpt.Shorten(p.URL, 100), excerpt.Shorten(kind, 40))
	}
	if guess != "" {
		guess = "Its character set, " + guess + ", is a guess."
	}
	if !page || isXML(utf8Data) {
		p.Text, p.Share = strings.TrimSpace(string(utf8Data)), guess
		return p, nil
	}
	if kind == "application/xhtml+xml" {
		utf8Data = asWritten.ReplaceAllFunc(utf8Data, func(found []byte) []byte {
			return []byte(html.EscapeString(string(asWritten.FindSubmatch(found)[1])))
		})
		utf8Data = selfClosed.ReplaceAllFunc(utf8Data, func(found []byte) []byte {
			name := selfClosed.FindSubmatch(found)[1]
			if slices.Contains(void, strings.ToLower(string(name))) {
				return found
			}
			return slices.Concat(found[:len(found)-2], []byte("></"), name, []byte(">"))
		})
	}
	p.Title, p.Text, p.Share, err = htmlToMarkdown(utf8Data, from)
	p.Share = strings.TrimSpace(p.Share + " " + guess)
	return p, err
}

// asWritten is text of XML in which nothing is markup. In HTML it is a comment.
var asWritten = regexp.MustCompile(`(?s)<!\[CDATA\[(.*?)\]\]>`)

// selfClosed is an element that ends at once, as XML has it. In HTML only void elements do; a
// script would go on to the end of the page.
var selfClosed = regexp.MustCompile(`<([A-Za-z][\w:.-]*)(?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*\s*/>`)

var void = []string{"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}

func isTextType(kind string) bool {
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "json") || strings.HasSuffix(kind, "xml")
}

// isXML reports whether a text is XML of another kind than a page: a feed, a map of a site.
func isXML(data []byte) bool {
	d := xml.NewDecoder(bytes.NewReader(data[:min(len(data), 4096)]))
	d.Strict = false
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it is UTF-8 by now
	for {
		token, err := d.RawToken()
		if err != nil {
			return false
		}
		switch token := token.(type) {
		case xml.StartElement:
			return slices.Contains([]string{"rss", "feed", "RDF", "urlset", "sitemapindex", "opml"}, token.Name.Local) || declared(data) && !strings.EqualFold(token.Name.Local, "html")
		case xml.Directive:
			if strings.HasPrefix(strings.ToLower(string(token)), "doctype html") {
				return false
			}
		}
	}
}

// declared reports whether a text says that it is XML.
func declared(data []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(data), []byte("<?xml")) }

// toUTF8 converts a body from its declared character set, or from the one that its bytes speak for,
// which it returns. Text has no control characters but for those that divide it; what has others is
// binary, whatever its type says.
func toUTF8(data []byte, contentType string) (text []byte, guess string, err error) {
	encoding, name, declared := charset.DetermineEncoding(data, contentType)
	switch {
	case declared && name != "utf-8":
		if data, err = encoding.NewDecoder().Bytes(data); err != nil {
			return nil, "", fmt.Errorf("reading the page's character set %s: %w", name, err)
		}
	case !declared && !utf8.Valid(data):
		guessed, name, ok := wholefile.Guess(data)
		if !ok {
			return nil, "", errors.New("the address gives binary data, not text")
		}
		data, guess = guessed, name
	}
	odd := 0
	for _, b := range data[:min(len(data), 4096)] {
		switch {
		case b == 0:
			return nil, "", errors.New("the address gives binary data, not text")
		case b < ' ' && b != '\t' && b != '\n' && b != '\r' && b != '\f' && b != 0x1b:
			odd++
		}
	}
	if odd > 1+min(len(data), 4096)/100 {
		return nil, "", errors.New("the address gives binary data, not text")
	}
	return bytes.ToValidUTF8(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\uFFFD")), guess, nil
}
