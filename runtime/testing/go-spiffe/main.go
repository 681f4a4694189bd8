// Command go-spiffe says of each SPIFFE ID on standard input, a JSON array, why go-spiffe refuses it.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/spiffe/go-spiffe/v2/spiffeid"
)

func main() {
	var ids []string
	if err := json.NewDecoder(os.Stdin).Decode(&ids); err != nil {
		log.Fatal(err)
	}
	refusals := make([]string, len(ids))
	for i, id := range ids {
		if _, err := spiffeid.FromString(id); err != nil {
			refusals[i] = err.Error()
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(refusals); err != nil {
		log.Fatal(err)
	}
}
