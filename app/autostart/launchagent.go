package autostart

import (
	"encoding/xml"
	"strings"
)

// label is the launch agent's name in macOS.
const label = "net.mac-stats.app"

// launchAgent is a property list for launchd. It follows launchd's documentation and has
// not been tried on a Mac.
type launchAgent struct{}

const (
	agentHead = xml.Header + `<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>` + label + `</string>
	<key>LimitLoadToSessionType</key>
	<string>Aqua</string>
	<key>ProcessType</key>
	<string>Interactive</string>
	<key>ProgramArguments</key>
	<array>
		<string>`
	agentTail = `</string>
	</array>
	<key>RunAtLoad</key>
	<true/>
</dict>
</plist>
`
)

func (launchAgent) text(program string) string { return agentHead + escapeXML(program) + agentTail }

func escapeXML(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a builder never fails
	return b.String()
}

// agentValues holds the values of a launch agent that matter here. System Settings switches
// agents off in launchd's own database, not in the file.
type agentValues struct {
	disabled, runs bool
	arguments      []string
}

func (launchAgent) values(text string) agentValues {
	var v agentValues
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict = false
	key := ""
	for {
		token, err := d.Token()
		if err != nil {
			return v
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "key", "string":
			var words string
			if d.DecodeElement(&words, &start) != nil {
				return v
			}
			if start.Name.Local == "key" {
				key = words
			} else if key == "ProgramArguments" {
				v.arguments = append(v.arguments, words)
			}
		case "true":
			v.disabled = v.disabled || key == "Disabled"
			v.runs = v.runs || key == "RunAtLoad"
		}
	}
}

func (a launchAgent) on(text string) bool {
	v := a.values(text)
	return v.runs && !v.disabled && len(v.arguments) > 0
}

func (a launchAgent) program(text string) string {
	if v := a.values(text); len(v.arguments) > 0 && strings.HasPrefix(v.arguments[0], "/") {
		return v.arguments[0]
	}
	return ""
}

func (a launchAgent) withProgram(text, program string) string {
	return strings.Replace(text, "<string>"+escapeXML(a.program(text))+"</string>", "<string>"+escapeXML(program)+"</string>", 1)
}
