package wholefile

const noWait = 0 // pipes have no names in folders
