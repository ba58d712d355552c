package main

import (
	"encoding/json"
	"fmt"
)

// print prints the one JSON document of a call.
func (c *cli) print(document any) {
	b, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		fmt.Fprintln(c.errs, err)
		return
	}
	fmt.Fprintln(c.out, string(b))
}
