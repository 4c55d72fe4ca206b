package conversation

import (
	"mac-stats/agents"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/app/i18n"
)

// ToolWords describes what a tool call does, or did if it is done: "Fetched page". Tools of
// other programs and agents keep their names.
func ToolWords(name string, done bool) string {
	does, did := toolWords(name)
	if done {
		return did
	}
	return does
}

func toolWords(name string) (does, did string) {
	switch name {
	case tools.SystemStats:
		return i18n.T("Read vitals"), i18n.T("Read vitals")
	case tools.FetchURL:
		return i18n.T("Fetch page"), i18n.T("Fetched page")
	case tools.MemoryAppend:
		return i18n.T("Remember"), i18n.T("Remembered")
	case tools.MemoryReplace:
		return i18n.T("Change memory"), i18n.T("Changed memory")
	case tools.MemoryRemove:
		return i18n.T("Remove from memory"), i18n.T("Removed from memory")
	case tools.MemorySearch:
		return i18n.T("Search conversations"), i18n.T("Searched conversations")
	case tools.RunCmd:
		return i18n.T("Run program"), i18n.T("Ran program")
	case registry.ToolAgent:
		return i18n.T("Ask another agent"), i18n.T("Asked another agent")
	case registry.ToolSkill:
		return i18n.T("Use a skill"), i18n.T("Used a skill")
	case tools.MCP:
		return i18n.T("Use other programs"), i18n.T("Used another program")
	case registry.ToolFindAgent:
		return i18n.T("Find agent"), i18n.T("Looked for agents")
	case registry.ToolFindSkill:
		return i18n.T("Find skill"), i18n.T("Looked for skills")
	}
	return name, name
}

// unsavedWords describes what happened to a line that a memory tool didn't write.
func unsavedWords(u agents.Unsaved) string {
	switch u {
	case agents.UnsavedProposed:
		return i18n.T("proposed, not saved")
	case agents.UnsavedWaiting:
		return i18n.T("saved later")
	case agents.UnsavedKnown:
		return i18n.T("already known")
	}
	return ""
}
