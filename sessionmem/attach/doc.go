// Package attach reads what people attach to a message: a text, an image, a PDF or a folder
// as text. It explains in whole sentences what can't be attached and why. It stores nothing:
// the store does, see sessionmem.Store.Attach.
package attach
