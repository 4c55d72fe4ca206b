// Command vetother checks packages for another system: that they compile, and what of go vet needs
// no facts about other packages. It reads the dependencies from their source; go vet compiles them,
// which takes minutes for each system if nothing is cached.
//
//	GOOS=windows vetother -tags TAGS PACKAGE…
//
// It exits with 1 if it found something, and names it as file:line: message.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/passes/assign"
	"golang.org/x/tools/go/analysis/passes/atomic"
	"golang.org/x/tools/go/analysis/passes/bools"
	"golang.org/x/tools/go/analysis/passes/buildtag"
	"golang.org/x/tools/go/analysis/passes/copylock"
	"golang.org/x/tools/go/analysis/passes/directive"
	"golang.org/x/tools/go/analysis/passes/errorsas"
	"golang.org/x/tools/go/analysis/passes/httpresponse"
	"golang.org/x/tools/go/analysis/passes/ifaceassert"
	"golang.org/x/tools/go/analysis/passes/lostcancel"
	"golang.org/x/tools/go/analysis/passes/nilfunc"
	"golang.org/x/tools/go/analysis/passes/shift"
	"golang.org/x/tools/go/analysis/passes/stdmethods"
	"golang.org/x/tools/go/analysis/passes/stringintconv"
	"golang.org/x/tools/go/analysis/passes/structtag"
	"golang.org/x/tools/go/analysis/passes/tests"
	"golang.org/x/tools/go/analysis/passes/unmarshal"
	"golang.org/x/tools/go/analysis/passes/unreachable"
	"golang.org/x/tools/go/analysis/passes/unsafeptr"
	"golang.org/x/tools/go/analysis/passes/unusedresult"
	"golang.org/x/tools/go/packages"
)

func main() {
	tags := flag.String("tags", "", "build tags, separated by commas")
	flag.Parse()
	if found, err := check(*tags, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "vetother:", err)
		os.Exit(2)
	} else if found {
		os.Exit(1)
	}
}

// check reports whether it found something, which it has printed.
func check(tags string, patterns []string) (found bool, err error) {
	roots, err := packages.Load(&packages.Config{
		Mode:       packages.LoadAllSyntax,
		Tests:      true,
		BuildFlags: []string{"-tags", tags},
		ParseFile: func(files *token.FileSet, name string, src []byte) (*ast.File, error) {
			return parser.ParseFile(files, name, src, parser.AllErrors|parser.ParseComments|parser.SkipObjectResolution)
		},
	}, patterns...)
	if err != nil {
		return false, err
	}
	if packages.PrintErrors(roots) > 0 {
		return true, nil
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{
		assign.Analyzer, atomic.Analyzer, bools.Analyzer, buildtag.Analyzer, copylock.Analyzer, directive.Analyzer,
		errorsas.Analyzer, httpresponse.Analyzer, ifaceassert.Analyzer, lostcancel.Analyzer, nilfunc.Analyzer,
		shift.Analyzer, stdmethods.Analyzer, stringintconv.Analyzer, structtag.Analyzer, tests.Analyzer,
		unmarshal.Analyzer, unreachable.Analyzer, unsafeptr.Analyzer, unusedresult.Analyzer,
	}, roots, nil)
	if err != nil {
		return false, err
	}
	for _, action := range graph.Roots {
		if action.Err != nil {
			return false, action.Err
		}
		for _, d := range action.Diagnostics {
			found = true
			fmt.Fprintf(os.Stderr, "%s: %s\n", action.Package.Fset.Position(d.Pos), d.Message)
		}
	}
	return found, nil
}
