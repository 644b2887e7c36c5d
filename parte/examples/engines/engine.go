// A template for adapters in Go (no packages but the standard library): an engine for sequences and absences.
// Build and run it: go build engine.go && parte conform ./engine --declared
//
// It reads the elaborated program (`ast`), so it needs no parser. Replace `matches` by calls of your engine, and keep
// what is honest about it: whatever it cannot express is `unsupported`, and `constructs` says what it has.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"strconv"
	"strings"
)

var constructs = strings.Fields(
	"core negation multi-source out-of-order ast:attribute ast:comparison ast:constant ast:scalar ast:to-float")

type Type struct{ Kind, Name string }

type Node struct {
	Kind, Operator, Variable, Attribute string
	Type                                Type
	Value                               json.RawMessage
	Left, Right, Operand                *Node
}

type Pattern struct {
	Variable, Template string
	Negated            bool
	Conditions         []Node
}

type Window struct {
	Subject, Reference string
	Lower, Upper       int64
	Negated            bool
}

type Rule struct {
	Name        string
	Patterns    []Pattern
	Constraints []Window
	Emissions   []json.RawMessage
}

type Event struct {
	Id         string
	Template   string
	Timestamp  json.RawMessage
	Progress   json.RawMessage
	Attributes map[string]json.RawMessage
	time       int64
}

type Request struct {
	Seq     int64
	Request string
	Program struct{ Ast *struct{ Rules []Rule } }
	Domain  map[string]json.RawMessage
	Trace   []Event
}

type Reply map[string]any
type Bound map[string]*Event

// unsupported is how the engine gives up a case: the reason stands in the report.
type unsupported string

func lacking(format string, values ...any) { panic(unsupported(fmt.Sprintf(format, values...))) }

// value is an int64, a float64, a string or a bool: numbers are read by their type, for 64 bits fit in no float64.
func value(text json.RawMessage, kind Type) any {
	var err error
	switch kind.Name {
	case "Integer":
		var number int64
		if number, err = strconv.ParseInt(string(text), 10, 64); err == nil {
			return number
		}
	case "Float":
		var number float64
		if number, err = strconv.ParseFloat(string(text), 64); err == nil {
			return number
		}
	case "String":
		var read string
		if err = json.Unmarshal(text, &read); err == nil {
			return read
		}
	case "Boolean":
		return string(text) == "true"
	default:
		lacking("values of the type %s %s", kind.Kind, kind.Name)
	}
	panic(err)
}

func (node *Node) eval(bound Bound) any {
	switch node.Kind {
	case "constant":
		return value(node.Value, node.Type)
	case "attribute":
		return value(bound[node.Variable].Attributes[node.Attribute], node.Type)
	default: // to-float: `check` has seen to it
		return float64(node.Operand.eval(bound).(int64))
	}
}

// order compares two values of one type. Go orders strings by their bytes in UTF-8, which is by code point.
func order(a, b any) int {
	less, equal := false, a == b
	switch a := a.(type) {
	case int64:
		less = a < b.(int64)
	case float64:
		less = a < b.(float64)
	case string:
		less = a < b.(string)
	}
	switch {
	case equal:
		return 0
	case less:
		return -1
	}
	return 1
}

func (node *Node) holds(bound Bound) bool {
	found := order(node.Left.eval(bound), node.Right.eval(bound))
	switch node.Operator {
	case "=":
		return found == 0
	case "!=":
		return found != 0
	case "<":
		return found < 0
	case "<=":
		return found <= 0
	case ">":
		return found > 0
	}
	return found >= 0
}

// A window is closed at both ends. Two timestamps of 64 bits may lie further apart than 64 bits can say.
func (window Window) holds(bound Bound) bool {
	subject, reference := big.NewInt(bound[window.Subject].time), big.NewInt(bound[window.Reference].time)
	distance := subject.Sub(subject, reference)
	return big.NewInt(window.Lower).Cmp(distance) <= 0 && distance.Cmp(big.NewInt(window.Upper)) <= 0
}

// check refuses what the engine does not have, before it is run.
func check(rules []Rule) {
	var values func(node *Node)
	values = func(node *Node) {
		switch {
		case node.Type.Kind != "scalar":
			lacking("values of the type %s", node.Type.Kind)
		case node.Kind == "to-float":
			values(node.Operand)
		case node.Kind != "constant" && node.Kind != "attribute":
			lacking("expressions of the kind %s", node.Kind)
		}
	}
	for _, rule := range rules {
		if len(rule.Emissions) > 0 {
			lacking("emissions")
		}
		for _, pattern := range rule.Patterns {
			for _, condition := range pattern.Conditions {
				if condition.Kind != "comparison" {
					lacking("conditions of the kind %s", condition.Kind)
				}
				values(condition.Left)
				values(condition.Right)
			}
		}
	}
}

func (pattern Pattern) fits(event *Event, windows []Window, bound Bound) bool {
	if event.Template != pattern.Template {
		return false
	}
	bound[pattern.Variable] = event
	defer delete(bound, pattern.Variable)
	for _, condition := range pattern.Conditions {
		if !condition.holds(bound) {
			return false
		}
	}
	for _, window := range windows {
		if window.Subject == pattern.Variable && !window.holds(bound) {
			return false
		}
	}
	return true
}

// matches tries every combination of events for the positive patterns, and then asks whether something fills a negated
// one: that rules the combination out.
func (rule Rule) matches(events []*Event) []Reply {
	var positive, negated []Pattern
	var windows, absences []Window
	for _, pattern := range rule.Patterns {
		if pattern.Negated {
			negated = append(negated, pattern)
		} else {
			positive = append(positive, pattern)
		}
	}
	for _, window := range rule.Constraints {
		if window.Negated {
			absences = append(absences, window)
		} else {
			windows = append(windows, window)
		}
	}
	found, bound := []Reply{}, Bound{}
	var bind func(place int)
	bind = func(place int) {
		if place < len(positive) {
			pattern := positive[place]
			for _, event := range events {
				if pattern.fits(event, nil, bound) {
					bound[pattern.Variable] = event
					bind(place + 1)
					delete(bound, pattern.Variable)
				}
			}
			return
		}
		for _, window := range windows {
			if !window.holds(bound) {
				return
			}
		}
		for _, pattern := range negated {
			for _, event := range events {
				if pattern.fits(event, absences, bound) {
					return
				}
			}
		}
		bindings := map[string]string{}
		for variable, event := range bound {
			bindings[variable] = event.Id
		}
		found = append(found, Reply{"rule": rule.Name, "bindings": bindings, "emits": []any{}})
	}
	bind(0)
	return found
}

var loaded []Rule

func answer(request *Request) (reply Reply) {
	defer func() {
		if reason := recover(); reason != nil {
			if lack, is := reason.(unsupported); is {
				reply = Reply{"reply": "unsupported", "reason": string(lack)}
			} else {
				reply = Reply{"reply": "error", "message": fmt.Sprint(reason)}
			}
		}
	}()
	switch request.Request {
	case "hello":
		return Reply{"reply": "hello", "protocol": 2, "name": "template-go", "version": "1",
			"languages": []string{"PARTElang"}, "constructs": constructs}
	case "load":
		if request.Program.Ast == nil || len(request.Domain) > 0 {
			lacking("reading the text of programs, and domain predicates")
		}
		loaded = request.Program.Ast.Rules
		check(loaded)
		return Reply{"reply": "ok"}
	case "run":
		events := []*Event{}
		for line := range request.Trace {
			event := &request.Trace[line]
			if event.Progress != nil {
				continue // a promise: who sees the whole trace needs none
			}
			if event.Id == "" {
				event.Id = fmt.Sprintf("e%d", line+1)
			}
			var err error
			if event.time, err = strconv.ParseInt(string(event.Timestamp), 10, 64); err != nil {
				lacking("timestamps that are no milliseconds")
			}
			events = append(events, event)
		}
		found := []Reply{}
		for _, rule := range loaded {
			found = append(found, rule.matches(events)...)
		}
		return Reply{"reply": "matches", "matches": found}
	case "bye":
		return Reply{"reply": "bye"}
	}
	return Reply{"reply": "unsupported", "reason": "one step at a time"}
}

func main() {
	requests, replies := bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		line, err := requests.ReadBytes('\n')
		if err != nil {
			return
		}
		var request Request
		var reply Reply
		if err := json.Unmarshal(line, &request); err != nil {
			reply = Reply{"reply": "error", "message": err.Error()}
		} else {
			reply = answer(&request)
		}
		reply["seq"] = request.Seq
		replies.Encode(reply) // a line, written at once
	}
}
