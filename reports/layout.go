package reports

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Width is how many columns what is written for a terminal keeps to.
const Width = 100

// Hanging prints a head and text behind it; where the text is broken, it goes on under its own beginning. A single word
// that is too long for that, a path mostly, is left whole: it is there to be copied.
func Hanging(w io.Writer, head, text string) { hang(w, head, runes(head), strings.Fields(text)) }

// Indented prints text after a margin; where it is broken, it goes on a little further in.
func Indented(w io.Writer, margin, text string) {
	hang(w, margin, runes(margin)+2, strings.Fields(text))
}

func hang(w io.Writer, head string, margin int, words []string) {
	line := head
	for i, word := range words {
		if i > 0 && runes(line)+runes(word) > Width {
			fmt.Fprintln(w, strings.TrimRight(line, " "))
			line, word = strings.Repeat(" ", margin), strings.TrimLeft(word, " ")
		}
		line += word + " "
	}
	fmt.Fprintln(w, strings.TrimRight(line, " "))
}

// Command prints a command to copy. One that is too long is broken before a flag, or before the last word, as a shell
// takes it.
func Command(w io.Writer, head, text string) {
	words := strings.Split(text, " ")
	line := head
	for i, word := range words {
		piece := word
		if strings.HasPrefix(word, "--") && i+1 < len(words) {
			piece += " " + words[i+1] // its value stays with it
		}
		value := i > 0 && strings.HasPrefix(words[i-1], "--")
		if i > 0 && !value && runes(line)+runes(piece)+2 > Width {
			fmt.Fprintln(w, line+"\\")
			line = strings.Repeat(" ", runes(head)+2)
		}
		line += word + " "
	}
	fmt.Fprintln(w, strings.TrimRight(line, " "))
}

func runes(s string) int { return len([]rune(s)) }

// seconds is a duration for people: what is short is told in its hundredths.
func seconds(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "NO"
}

// Word is a text as one word of a shell's command.
func Word(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n'\"\\$`!*?[](){}<>|&;#~") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
