package chat

import (
	"fyne.io/fyne/v2"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
)

// Actions is what can be done in the chat.
type Actions struct {
	MessageActions
	TurnActions
	MemoryActions

	CopyText       func(text string)
	ShowMenu       func(items []*fyne.MenuItem, below fyne.CanvasObject)
	ShowOlder      func()
	TypeInto       func(r rune)
	FocusComposer  func()
	OpenLink       func(url string)
	OpenTranscript func()
	OpenFolder     func()
	Files          func(session string) FileActions // of the session's attachments; may be nil
}

// MessageActions is what can be done with a message that is there.
type MessageActions struct {
	CopyAnswer    func(key string)
	AnswerAgain   func(block string)
	AnswerWith    func(block string, below fyne.CanvasObject) // by a model to choose; may be nil
	UseVersion    func(id string, back bool)                  // the one before or after the one that is shown
	StartEdit     func(r *EditRow)
	EditMessage   func(block, text string)
	ForgetMessage func(block string) // may be nil, as the next
	Remember      func(line string)
	ShowLinks     func(key string, below fyne.CanvasObject)
	OpenRecalled  func(notes []agents.RecalledNote, below fyne.CanvasObject)
	DecideRemoved func(restore bool)
}

// TurnActions is what can be done about a turn that is under way, or went wrong.
type TurnActions struct {
	Retry    func(f conversation.Fault)
	GoOn     func()
	StopCall func(id string)
	Answer   func(id string, answer agents.Answer) // a question of the turn
	Pull     func(model string)
	Recheck  func()
	UseModel func(model string, f conversation.Fault) // choose it, then run the turn again
	SendBare func(f conversation.Fault)               // again without its images
	Rewrite  func(f conversation.Fault)               // back into the composer
}

// MemoryActions is what can be done about what is remembered.
type MemoryActions struct {
	Undo       func(key, id string)
	Decide     func(key, id string, save bool)
	SaveEdited func(key, id, text string)
	SaveUnkept func(key, text string)
	OpenInbox  func()
	OpenMemory func(name string)
}
