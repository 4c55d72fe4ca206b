package reply

// heldOut are forms written after the rules, on which nothing was tuned.
var heldOut []form
