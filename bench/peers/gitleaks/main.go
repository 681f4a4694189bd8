// gitleaks with its default rules, as a program that is asked for texts.
package main

import (
	"bufio"
	"fmt"
	"os"
	"time"

	"github.com/rs/zerolog"
	"github.com/zricethezav/gitleaks/v8/detect"
)

// Reads the path of a text a line, answers {"ns":…,"findings":…}.
func main() {
	zerolog.SetGlobalLevel(zerolog.Disabled)
	detector, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		text, err := os.ReadFile(lines.Text())
		if err != nil {
			panic(err)
		}
		started := time.Now()
		findings := detector.DetectString(string(text))
		fmt.Printf("{\"ns\":%d,\"findings\":%d}\n", time.Since(started).Nanoseconds(), len(findings))
	}
}
