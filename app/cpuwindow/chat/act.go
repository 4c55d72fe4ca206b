package chat

import (
	"fyne.io/fyne/v2"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
)

// Actions are the actions of the chat.
type Actions struct {
	MessageActions
	TurnActions
	MemoryActions

	CopyText      func(text string)
	ShowMenu      func(items []*fyne.MenuItem, below fyne.CanvasObject)
	ShowOlder     func()
	TypeInto      func(r rune)
	FocusComposer func()
	OpenLink      func(url string)
	OpenFolder    func()
	Files         func(session string) FileActions // for the session's attachments; may be nil
}

// MessageActions are the actions on a message.
type MessageActions struct {
	CopyAnswer    func(key string)
	AnswerAgain   func(block string)
	AnswerWith    func(block string, below fyne.CanvasObject) // by a model the user chooses; may be nil
	UseVersion    func(id string, back bool)                  // back: the version before the one that is shown
	StartEdit     func(r *EditRow)
	EditMessage   func(block, text string)
	ForgetMessage func(block string) // may be nil, like the next
	Remember      func(line string)
	ShowLinks     func(key string, below fyne.CanvasObject)
	OpenRecalled  func(notes []agents.RecalledNote, below fyne.CanvasObject)
	DecideRemoved func(restore bool)
}

// TurnActions are the actions on a turn that is under way or has failed.
type TurnActions struct {
	Retry             func(f conversation.Fault)
	GoOn              func()
	StopCall          func(id string)
	Answer            func(id string, answer agents.Answer) // answers a question of the turn
	Pull              func(model string)
	Recheck           func()
	UseModel          func(model string, f conversation.Fault) // chooses the model, then runs the turn again
	SendWithoutImages func(f conversation.Fault)               // sends again without the images
	EditInComposer    func(f conversation.Fault)               // puts the text back into the composer
	TurnOn            func(f conversation.Fault)               // turns the agent on, then runs the turn again; may be nil
}

// MemoryActions are the actions on what is remembered.
type MemoryActions struct {
	Undo       func(key, id string)
	Decide     func(key, id string, save bool)
	SaveEdited func(key, id, text string)
	OpenInbox  func()
	OpenMemory func(name string)
}
