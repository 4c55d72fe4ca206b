package tray

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Display selects what the icon shows. Without a graph, numbers or metrics it is the graph of
// the CPU.
type Display struct {
	Graph, Numbers                    bool
	CPU, Memory, Temperature, Network bool
}

// Reading holds what the icon can show; below 0 means unknown.
type Reading struct {
	CPU, Memory float64 // percent
	Temperature float64 // °C
	Network     float64 // bytes per second, up and down
}

// Unknown returns a reading without any known value.
func Unknown() Reading { return Reading{-1, -1, -1, -1} }

// normal returns the display that is drawn for d.
func (d Display) normal() Display {
	if !d.CPU && !d.Memory && !d.Temperature && !d.Network {
		d.CPU = true
	}
	if !d.Graph && !d.Numbers {
		d.Graph = true
	}
	return d
}

// warmth is the colour level of a bar.
type warmth int

const (
	calm warmth = iota
	warm
	hot
)

// cell is one metric in the icon, rounded to the steps it is drawn in: a reading within the
// same step redraws nothing.
type cell struct {
	text string
	fill int // of the bar, in percent; unknown means none
	tone warmth
}

// maxCells is how many metrics fit into an icon.
const maxCells = 4

// cellsOf returns the cells of a reading that a display shows.
func cellsOf(d Display, r Reading) (cells [maxCells]cell, n int) {
	add := func(shown bool, c cell) {
		if shown {
			cells[n] = c
			n++
		}
	}
	d = d.normal()
	add(d.CPU, percentCell(r.CPU, 60, 85))
	add(d.Memory, percentCell(r.Memory, 85, 95))
	add(d.Temperature, temperatureCell(r.Temperature))
	add(d.Network, networkCell(r.Network))
	return cells, n
}

func percentCell(percent, warmFrom, hotFrom float64) cell {
	b := bucketOf(percent)
	if b == unknown {
		return noCell()
	}
	return cell{text: strconv.Itoa(b), fill: b, tone: toneOf(float64(b), warmFrom, hotFrom)}
}

// noCell is a metric without a reading.
func noCell() cell { return cell{text: "–", fill: unknown} }

func toneOf(v, warmFrom, hotFrom float64) warmth {
	switch {
	case v >= hotFrom:
		return hot
	case v >= warmFrom:
		return warm
	}
	return calm
}

// Temperatures in °C: the steps of the number, and the ends of the bar.
const (
	degreeStep = 2
	coolest    = 20
	hottest    = 100
)

func temperatureCell(celsius float64) cell {
	if math.IsNaN(celsius) || celsius < 0 {
		return noCell()
	}
	shown := math.Round(min(celsius, 999)/degreeStep) * degreeStep
	return cell{
		text: strconv.Itoa(int(shown)), fill: bucketOf(max(0, (shown-coolest)/(hottest-coolest)*100)),
		tone: toneOf(shown, 80, 95),
	}
}

// networkCell shows megabytes per second: ".3", "4", "99". The bar is logarithmic, from 1
// kB to 100 MB per second.
func networkCell(perSecond float64) cell {
	if math.IsNaN(perSecond) || perSecond < 0 {
		return noCell()
	}
	const least, most = 1e3, 1e8
	mega := perSecond / 1e6
	c := cell{text: "0"}
	switch {
	case mega >= 0.95:
		c.text = strconv.Itoa(int(math.Round(min(mega, 999))))
	case mega >= 0.05:
		c.text = "." + strconv.Itoa(int(math.Round(mega*10)))
	}
	if perSecond > least {
		c.fill = bucketOf(math.Log(min(perSecond, most)/least) / math.Log(most/least) * 100)
	}
	return c
}

// figureSpace is as wide as a digit.
const figureSpace = "\u2007"

// beside returns the text beside the icon, on systems that draw one: the numbers, each two
// digits wide, so that the icons next to it don't move when one changes.
func (s state) beside() string {
	if !s.display.Numbers || s.paused {
		return ""
	}
	var parts []string
	d := s.display.normal()
	units := map[bool]string{true: "%", false: "°"}
	i := 0
	for _, m := range []struct{ shown, percent, degrees bool }{{d.CPU, true, false}, {d.Memory, true, false}, {d.Temperature, false, true}, {d.Network, false, false}} {
		if !m.shown {
			continue
		}
		text := s.cells[i].text
		if utf8.RuneCountInString(text) < 2 {
			text = figureSpace + text
		}
		if s.cells[i].fill != unknown && (m.percent || m.degrees) {
			text += units[m.percent]
		}
		parts = append(parts, text)
		i++
	}
	return strings.Join(parts, " ")
}
