package command

import (
	"slices"
	"strings"
)

// reader is a program that only reads and prints, or creates empty files and folders, if all
// its options are known to do no more. Any other option may write a file, start a program,
// set the clock or ask a server, on one of the systems at least: base64 -o, arch, sensors -s,
// date -s, lspci -q, diff -l, tasklist /S.
type reader struct {
	flags    string   // options of one letter
	valued   string   // options of one letter with a value
	long     []string // options of several letters, without their value
	word     bool     // options of several letters have one dash
	slash    []string // options that begin with a slash, as on Windows
	operands operands
}

// operands says which arguments a program takes that aren't options.
type operands int

const (
	anyOperands operands = iota // files to read, words to print, or empty files to create
	noOperands
	formats  // those that begin with +
	anything // options are printed too
)

// readers are the programs that can get a yes for all calls. With any other, nobody can know
// in advance what that would cover: compilers load plugins, git runs what a repository's
// settings name, and a list of programs that start others never ends.
var readers = map[string]reader{
	"ls":    {flags: "1ABCFGHLNQRSUXZabcdfghiklmnopqrstuvx", long: []string{"all", "almost-all", "human-readable", "recursive", "reverse", "size", "sort", "time", "color", "directory", "group-directories-first", "classify", "inode", "full-time", "time-style", "numeric-uid-gid", "si"}},
	"cat":   {flags: "AETbenstuv", long: []string{"number", "show-all", "show-ends", "show-tabs", "number-nonblank", "squeeze-blank", "show-nonprinting"}},
	"head":  {flags: "qvz", valued: "nc", long: []string{"lines", "bytes", "quiet", "silent", "verbose"}},
	"tail":  {flags: "qvzrfF", valued: "ncsb", long: []string{"lines", "bytes", "quiet", "silent", "verbose", "follow", "retry"}},
	"wc":    {flags: "clmwL", long: []string{"lines", "words", "bytes", "chars", "max-line-length"}},
	"nl":    {flags: "p", valued: "bdfhilnsvw"},
	"cut":   {flags: "nsz", valued: "bcdf", long: []string{"delimiter", "fields", "characters", "bytes", "complement", "only-delimited", "output-delimiter"}},
	"tr":    {flags: "cCdstu", long: []string{"delete", "complement", "squeeze-repeats", "truncate-set1"}},
	"paste": {flags: "sz", valued: "d", long: []string{"delimiters", "serial"}}, "join": {flags: "iz", valued: "aeo12jtv"}, "comm": {flags: "123iz", long: []string{"total", "check-order", "nocheck-order"}},
	"cmp":  {flags: "blsz", valued: "in", long: []string{"verbose", "silent", "quiet", "bytes", "print-bytes"}},
	"diff": {flags: "abBcdeEHinNpqrsStTuwyZ", valued: "CUWxI", long: []string{"unified", "context", "brief", "recursive", "new-file", "side-by-side", "ignore-case", "ignore-all-space", "ignore-space-change", "ignore-blank-lines", "color", "width", "exclude", "report-identical-files", "text", "suppress-common-lines", "stat"}},
	"grep": grepOptions, "egrep": grepOptions, "fgrep": grepOptions,
	"jq": {flags: "CMRSacehjnrs", valued: "Lf", long: []string{"arg", "argjson", "args", "jsonargs", "slurpfile", "rawfile", "raw-output", "raw-input", "compact-output", "slurp", "null-input", "exit-status", "sort-keys", "tab", "indent", "color-output", "monochrome-output", "join-output", "from-file"}},
	"od": {flags: "abcdfhilosxv", valued: "AjNStw", long: []string{"address-radix", "skip-bytes", "read-bytes", "format", "output-duplicates", "width"}}, "hexdump": {flags: "bcCdovx", valued: "efns"},
	"pwd": {flags: "LP"}, "realpath": {flags: "eLmPqsz", long: []string{"relative-to", "relative-base", "canonicalize-existing", "canonicalize-missing", "no-symlinks"}}, "readlink": {flags: "efmnqsvz", long: []string{"canonicalize"}},
	"basename": {flags: "az", valued: "s"}, "dirname": {flags: "z"},
	"stat": {flags: "FLlnqrsxt", valued: "cf", long: []string{"format", "printf", "dereference", "file-system", "terse"}},
	"du":   {flags: "0abcDghHklLmnPsSxr", valued: "dtBX", long: []string{"all", "human-readable", "max-depth", "summarize", "total", "apparent-size", "bytes", "exclude", "one-file-system", "si", "threshold", "time"}},
	"df":   {flags: "aghHiklmPTn", valued: "tBx", long: []string{"all", "human-readable", "inodes", "local", "output", "portability", "print-type", "si", "total", "type", "exclude-type"}},
	"echo": {operands: anything}, "printf": {operands: anything}, "seq": {flags: "w", valued: "fst", long: []string{"equal-width", "format", "separator"}},
	"date":   {flags: "uR", valued: "dr", long: []string{"date", "utc", "universal", "rfc-email", "rfc-3339", "iso-8601", "reference"}, operands: formats},
	"cal":    {flags: "13hjmswyJN", valued: "ABdnC"},
	"md5sum": sumOptions, "sha1sum": sumOptions, "sha256sum": sumOptions, "sha512sum": sumOptions, "b2sum": sumOptions, "cksum": sumOptions,
	"base64": {flags: "dDi", valued: "wb", long: []string{"decode", "ignore-garbage", "wrap", "break"}},
	"uname":  {flags: "asnrvmpio", long: []string{"all"}, operands: noOperands}, "hostname": {flags: "aAdfiIsy", long: []string{"fqdn", "short", "long", "ip-address", "all-ip-addresses", "domain"}, operands: noOperands},
	"whoami": {operands: noOperands}, "id": {flags: "aGgnruzpP", long: []string{"user", "group", "groups", "name", "real"}}, "groups": {}, "arch": {operands: noOperands},
	"uptime": {flags: "ps", long: []string{"pretty", "since"}, operands: noOperands}, "free": {flags: "bkmghltwv", valued: "cs", long: []string{"human", "mega", "giga", "kilo", "total", "wide", "si"}, operands: noOperands},
	"ps": {flags: "AacdefFHjlLmMrSTuvwxXyZ", valued: "CGgopOqstUk", long: []string{"forest", "sort", "no-headers", "headers", "pid", "ppid", "user", "format"}}, "pgrep": {flags: "acfilnovwx", valued: "dgGPstuUF", long: []string{"full", "list-name", "list-full", "count", "exact", "newest", "oldest", "parent", "ignore-case", "delimiter"}},
	"lscpu": {flags: "abcJxyB", valued: "ep", long: []string{"all", "json", "extended", "parse", "bytes"}, operands: noOperands}, "lsblk": {flags: "abdDfijJlmnOpPrStTz", valued: "eIMox", long: []string{"all", "bytes", "fs", "json", "list", "output", "output-all", "paths", "perms", "topology", "nodeps", "noheadings", "tree"}},
	"lsusb": {flags: "vt", valued: "sd", long: []string{"verbose", "tree"}, operands: noOperands}, "lspci": {flags: "bDkmntvxP", valued: "sd", operands: noOperands},
	"lsof":   {flags: "abhlnNPRtUVX", valued: "cdgiopsu"},
	"vmstat": {flags: "adfmnstwD", valued: "Sp"}, "sensors": {flags: "Aujf"}, "nproc": {long: []string{"all", "ignore"}, operands: noOperands},
	"touch": {flags: "acmfh", valued: "drt", long: []string{"date", "no-create", "reference", "time", "no-dereference"}}, "mkdir": {flags: "pv", valued: "m", long: []string{"parents", "verbose", "mode"}},
	"sw_vers": {word: true, long: []string{"productName", "productVersion", "buildVersion"}, operands: noOperands}, "vm_stat": {operands: noOperands},
	"tasklist": {slash: []string{"v", "svc", "m", "fo", "nh", "fi", "apps"}}, "systeminfo": {slash: []string{"fo", "nh"}},
	"findstr": {slash: []string{"b", "e", "l", "r", "s", "i", "x", "v", "n", "m", "o", "p", "f", "c", "g", "d", "a", "offline"}}, "where": {slash: []string{"r", "q", "f", "t"}},
}

var (
	grepOptions = reader{
		flags: "abcEFGhHiIlLnoPqrRsTUvwxyzZ", valued: "ABCDdefm",
		long: []string{"after-context", "before-context", "context", "count", "color", "colour", "extended-regexp", "fixed-strings", "perl-regexp", "basic-regexp", "regexp", "file", "files-with-matches", "files-without-match", "ignore-case", "include", "exclude", "exclude-dir", "exclude-from", "invert-match", "line-number", "line-regexp", "max-count", "no-filename", "with-filename", "no-messages", "null", "only-matching", "quiet", "silent", "recursive", "dereference-recursive", "text", "word-regexp", "binary-files", "byte-offset", "label", "line-buffered"},
	}
	sumOptions = reader{flags: "bctwz", valued: "la", long: []string{"check", "binary", "text", "tag", "quiet", "status", "strict", "warn", "ignore-missing", "zero", "algorithm", "length"}}
)

// isReader reports whether a file is one of the readers. Some systems have them all in one
// file.
func isReader(name string) bool {
	_, ok := readers[name]
	return ok || name == "coreutils" || name == "gnucoreutils"
}

// onlyReads reports whether a program is a reader and each of its arguments is known to be
// harmless on this system.
func onlyReads(program string, args []string, goos string) bool {
	r, ok := readers[program]
	if !ok || slices.ContainsFunc(args, func(arg string) bool { return namesServer(arg, goos) }) {
		return false
	}
	if r.operands == anything {
		return true
	}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch name, isLong := strings.CutPrefix(arg, "--"); {
		case arg == "--":
			return r.takes(args[i+1:])
		case isLong:
			name, _, _ = strings.Cut(name, "=")
			if !slices.Contains(r.long, name) {
				return false
			}
		case len(arg) > 1 && arg[0] == '-':
			needsValue, known := r.cluster(arg[1:])
			if !known {
				return false
			}
			if needsValue {
				if i++; i < len(args) && strings.HasPrefix(args[i], "-") && !isNumber(args[i][1:]) {
					return false
				}
			}
		case len(r.slash) > 0 && arg != "" && arg[0] == '/':
			name, _, _ := strings.Cut(strings.ToLower(arg[1:]), ":")
			if !slices.Contains(r.slash, name) {
				return false
			}
		case !r.takes(args[i : i+1]):
			return false
		}
	}
	return true
}

// cluster reads options of one letter that stand together. It reports whether the last one
// takes the next argument as its value, and whether all are known.
func (r reader) cluster(letters string) (needsValue, known bool) {
	if r.word && slices.Contains(r.long, letters) || isNumber(letters) && strings.ContainsAny(r.valued, "ncABC") { // sw_vers -productName, head -5
		return false, true
	}
	for i, c := range letters {
		switch {
		case strings.ContainsRune(r.valued, c):
			return i == len(letters)-1, true
		case !strings.ContainsRune(r.flags, c):
			return false, false
		}
	}
	return false, true
}

// takes reports whether the program may get these operands.
func (r reader) takes(args []string) bool {
	switch r.operands {
	case noOperands:
		return len(args) == 0
	case formats:
		return !slices.ContainsFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "+") })
	}
	return true
}

func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// namesServer reports whether opening an argument as a file may ask a server: Windows logs in
// to the server of \\server\share, and macOS and Linux mount what is below /net.
func namesServer(arg, goos string) bool {
	if goos != "windows" {
		for _, part := range strings.FieldsFunc(arg, func(r rune) bool { return strings.ContainsRune("=:,", r) }) {
			if strings.HasPrefix(part, "/net/") || strings.HasPrefix(part, "/Network/") || strings.HasPrefix(part, "/../") {
				return true
			}
		}
		return strings.Contains(arg, "..") && strings.Contains(arg, "/net/")
	}
	return strings.Contains(strings.ReplaceAll(arg, `\`, "/"), "//")
}
