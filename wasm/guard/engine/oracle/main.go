// Matches patterns with Go's package regexp, which the engine is held to: a JSON request a line, a JSON answer a line.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
)

type request struct {
	Pattern string   `json:"pattern"`
	Texts   []string `json:"texts"`
}

// answer has for each text the offsets of the first group, or of the match, of all matches that are not empty.
func answer(asked request) [][][]int {
	pattern, err := regexp.Compile(asked.Pattern)
	if err != nil {
		return nil
	}
	answers := [][][]int{}
	for _, text := range asked.Texts {
		found := [][]int{}
		for _, match := range pattern.FindAllStringSubmatchIndex(text, -1) {
			finding := match[:2]
			if len(match) > 2 && match[2] >= 0 {
				finding = match[2:4]
			}
			if finding[0] < finding[1] {
				found = append(found, finding)
			}
		}
		answers = append(answers, found)
	}
	return answers
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	decoder := json.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<20))
	encoder := json.NewEncoder(out)
	for {
		var asked request
		if decoder.Decode(&asked) != nil {
			return
		}
		if encoder.Encode(answer(asked)) != nil {
			os.Exit(1)
		}
	}
}
