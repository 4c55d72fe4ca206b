package wholefile

const noWait = 0 // no pipe has a name in a folder
