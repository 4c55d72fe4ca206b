// Package demo is the built-in scripted server of --demo. There is no model, but the rest
// of the app is real: the script reads the request as a model would, calls the tools it is
// offered, and words its answers around their real results.
package demo

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/testkit"
)

// Model is the script's name; the window shows it as the model of every answer.
const Model = "demo:script"

// pace is the time between two words: slow enough to read, quick enough to watch.
const pace = 18 * time.Millisecond

// Server is the running demo server.
type Server struct{ server *testkit.Server }

// Start listens on a free port of the loopback interface.
func Start(ctx context.Context) (*Server, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("start the demo: %w", err)
	}
	s := testkit.New(script())
	if err := s.Start(); err != nil {
		return nil, fmt.Errorf("start the demo: %w", err)
	}
	return &Server{server: s}, nil
}

// Host returns the server's address in the form of OLLAMA_HOST.
func (s *Server) Host() string { return s.server.Addr() }

// Close ends the server.
func (s *Server) Close() error { return s.server.Close() }

// script answers as the orchestrator, or as the specialist that a request addresses.
func script() testkit.Script {
	return testkit.Script{
		Version: "demo",
		Models: []testkit.Model{{
			Name:          Model,
			ParameterSize: "0B",
			Family:        "script",
			Capabilities:  []string{"completion", "tools"},
			ContextLength: 16384,
			LoadDelay:     400 * time.Millisecond,
		}},
		Rules: []testkit.Rule{{Name: "demo", Func: answer}},
	}
}

// answer plays one call of the model.
func answer(req api.ChatRequest) testkit.Reply {
	if r, ok := smallWork(req); ok {
		return r // without streaming nobody watches the pace
	}
	var r testkit.Reply
	switch {
	case !offers(req, toolAgent):
		r = asSpecialist(req)
	default:
		r = asOrchestrator(req)
	}
	r.Delay = pace
	return r
}

// asOrchestrator decides by keywords, as a model would by reading.
func asOrchestrator(req api.ChatRequest) testkit.Reply {
	if result, ok := lastResult(req); ok {
		return afterTool(req, result)
	}
	question := strings.ToLower(testkit.LastUser(req))
	question, _, _ = strings.Cut(question, "\n") // the attached vitals are not part of the question
	switch {
	case strings.Contains(question, "remember"):
		return call(req, toolMemoryAppend, lesson(testkit.LastUser(req)))
	case complains(question):
		return call(req, toolAgent, "doctor", "Read the vitals and the busiest processes. Say in three sentences what this machine is doing and what is slow, if anything.")
	case wantsReading(question):
		return call(req, toolSystemStats, "")
	case mentions(question, "know about me", "memory.md", "what do you know"):
		return testkit.Reply{Text: knows(req)}
	}
	return testkit.Reply{Text: welcome}
}

// afterTool words the answer around a tool's result.
func afterTool(req api.ChatRequest, result string) testkit.Reply {
	switch lastCalled(req) {
	case toolMemoryAppend:
		if strings.HasPrefix(result, "Not saved") {
			return testkit.Reply{Text: "It waits for you: another agent has spoken in this conversation, so nothing is remembered without your word. " +
				"Press **Save** above, or find it in `memory-inbox.md`."}
		}
		return testkit.Reply{Text: "Noted: it is a line in `memory.md` now, and part of every prompt from the next message on. " +
			"Open **Memory** on the left to see it, change it, or take it out."}
	case toolAgent:
		return testkit.Reply{Text: "I asked the machine doctor, who read the sensors just now:\n\n" + result +
			"\n\nThat reading is real; only the words around it are scripted."}
	default:
		return testkit.Reply{Text: "This is what the sensors say right now:\n\n" + fenced(result) +
			"\n\nThe numbers are of the whole machine. Ask *why is it slow?* to see me hand the question to a specialist."}
	}
}

// asSpecialist plays a specialist's turn. The machine doctor, or another agent asked about
// the machine, reads the sensors and reports them. Anything else needs a model.
func asSpecialist(req api.ChatRequest) testkit.Reply {
	if result, ok := lastResult(req); ok {
		return testkit.Reply{Text: diagnosis(result)}
	}
	task := withoutVitals(testkit.LastUser(req))
	if offers(req, toolSystemStats) && (isDoctor(req) || complains(task) || wantsReading(task)) {
		return call(req, toolSystemStats, "")
	}
	return testkit.Reply{Text: "This is the demo: no model answers here, and its script can't do this. Only questions about the machine have something real to look at. " +
		"With a model installed this agent would work on:\n\n> " + strings.ReplaceAll(task, "\n", "\n> ")}
}

// diagnosis picks what a doctor would check first: the load, the memory, the temperature
// and the three busiest processes.
func diagnosis(report string) string {
	var lines []string
	processes := 0
	for line := range strings.Lines(report) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "- "):
			if processes++; processes > 3 {
				continue
			}
			lines = append(lines, line)
		case strings.HasPrefix(line, "CPU:"), strings.HasPrefix(line, "Memory:"), strings.HasPrefix(line, "Temperature:"):
			lines = append(lines, "- "+line)
		case strings.HasPrefix(line, "Processes"):
			lines = append(lines, "", line, "")
		}
	}
	return strings.Join(lines, "\n")
}

const welcome = `This is the **demo**: no model answers here, a small script does. Everything around it is real: the turn, the tools, the transcript, the memory.

Try one of these:

- *Why is my machine slow?* hands the question to the machine doctor
- *How is the CPU?* reads the sensors
- *Remember that I like short answers* writes a line into ` + "`memory.md`" + `

With [Ollama](https://ollama.com) installed, a model takes this place:

` + "```sh\nollama pull qwen3:8b\nmac-stats\n```"
