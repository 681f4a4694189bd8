//go:build ignore

// Writes unicode-data.ts from the tables of Go's package unicode, which `\p{...}` and `(?i)` of Go's regexp use:
//
//	go run wasm/regex/unicode-data.go > wasm/regex/unicode-data.ts
package main

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

const points = unicode.MaxRune + 1

func varint(out []byte, value int) []byte {
	for value >= 0x80 {
		out = append(out, byte(value)|0x80)
		value >>= 7
	}
	return append(out, byte(value))
}

// runs encodes what each code point belongs to: the length of a run, then the number of its set.
func runs(of []byte) []byte {
	var out []byte
	for start := 0; start < points; {
		end := start
		for end < points && of[end] == of[start] {
			end++
		}
		out = append(varint(out, end-start), of[start])
		start = end
	}
	return out
}

// folds encodes unicode.SimpleFold: for runs of code points one or two apart whose next fold is equally far away,
// the distance from the start of the run before, twice the length plus (apart - 1), and the zigzag distance.
func folds() []byte {
	var out []byte
	done := make([]bool, points)
	last := 0
	for start := rune(0); start < points; start++ {
		distance := unicode.SimpleFold(start) - start
		if done[start] || distance == 0 {
			continue
		}
		length := func(apart rune) (count int) {
			for c := start; c < points && !done[c] && unicode.SimpleFold(c)-c == distance; c += apart {
				count++
			}
			return count
		}
		apart, count := rune(1), length(1)
		if other := length(2); other > count {
			apart, count = 2, other
		}
		for i := range count {
			done[start+rune(i)*apart] = true
		}
		out = varint(out, int(start)-last)
		out = varint(out, count*2+int(apart)-1)
		out = varint(out, int(uint32(distance<<1)^uint32(distance>>31)))
		last = int(start)
	}
	return out
}

// canonical is the form in which regexp/syntax looks names up.
func canonical(name string) string {
	name = strings.ReplaceAll(name, "_", "")
	return strings.ToUpper(name[:1]) + strings.ToLower(name[1:])
}

func taken(name string) bool {
	_, err := syntax.Parse(`\p{`+name+`}`, syntax.Perl)
	return err == nil
}

func print(name string, values []byte) {
	fmt.Printf("// biome-ignore format: data\nexport const %s: usize = memory.data<u8>([", name)
	for i, value := range values {
		if i%40 == 0 {
			fmt.Print("\n ")
		}
		fmt.Printf("%d,", value)
	}
	fmt.Print("\n]);\n\n")
}

func main() {
	var leaves []string
	for name := range unicode.Categories {
		if len(name) == 2 && name != "LC" {
			leaves = append(leaves, name)
		}
	}
	slices.Sort(leaves)
	category := make([]byte, points)
	for i, leaf := range leaves {
		for c := range rune(points) {
			if unicode.Is(unicode.Categories[leaf], c) {
				category[c] = byte(i)
			}
		}
	}
	masks := map[string]uint32{}
	add := func(name string, table *unicode.RangeTable) {
		var mask uint32
		for c := range rune(points) {
			if unicode.Is(table, c) {
				mask |= 1 << category[c]
			}
		}
		for c := range rune(points) {
			if unicode.Is(table, c) != (mask>>category[c]&1 == 1) {
				panic(name + " is no union of categories")
			}
		}
		if !taken(name) {
			panic(name + " is not taken")
		}
		masks[canonical(name)] = mask
	}
	for name, table := range unicode.Categories {
		add(name, table)
	}
	for name, short := range unicode.CategoryAliases {
		add(name, unicode.Categories[short])
	}
	all := uint32(1)<<len(leaves) - 1
	masks["Any"] = all
	masks["Assigned"] = all &^ masks["Cn"]
	var names, values, scripts []string
	for name := range masks {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		values = append(values, fmt.Sprintf("%#x", masks[name]))
	}
	for name := range unicode.Scripts {
		// This version of Go finds no script whose name has two words.
		if taken(name) {
			scripts = append(scripts, name)
		}
	}
	slices.Sort(scripts)
	script := make([]byte, points)
	for i, name := range scripts {
		for c := range rune(points) {
			if unicode.Is(unicode.Scripts[name], c) {
				script[c] = byte(i + 1)
			}
		}
	}
	fmt.Printf("// Tables of Unicode %s as Go has them; made by unicode-data.go, not by hand.\n\n", unicode.Version)
	fmt.Printf("/** Names of general categories, each with a comma behind it, as `\\p{...}` looks them up. */\n")
	fmt.Printf("export const CATEGORY_NAMES: string =\n  '%s,';\n\n", strings.Join(names, ","))
	fmt.Printf("/** For each of these names the categories of two letters that it stands for, a bit each. */\n")
	fmt.Printf("// biome-ignore format: data\nexport const CATEGORY_MASKS: usize = memory.data<u32>([\n  %s,\n]);\n\n", strings.Join(values, ", "))
	fmt.Printf("/** Names of scripts, each with a comma behind it; the first is script 1. */\n")
	fmt.Printf("export const SCRIPT_NAMES: string =\n  '%s,';\n\n", strings.Join(scripts, ","))
	fmt.Printf("/** The category of every code point: a run's length (LEB128), then the bit of its category. */\n")
	print("CATEGORIES", runs(category))
	fmt.Printf("/** The script of every code point: a run's length (LEB128), then the script, 0 for none of them. */\n")
	print("SCRIPTS", runs(script))
	table := folds()
	fmt.Printf("/** Simple case folding; see `forEachFold` in folding.ts. */\n")
	print("FOLDS", table)
	fmt.Printf("export const FOLDS_BYTES: usize = %d;\n", len(table))
}
