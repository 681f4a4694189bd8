package main

import "encoding/binary"

// policy is decisions.wasm with one data bundle. Every decision has a fresh instance: what a used one has
// left of steps and memory depends on its past, and limits decide by what a fresh one has.
type policy struct {
	module      *module
	data        []byte
	entrypoints map[string]uint32
}

// Offsets in the module's values.
const (
	lengthAt   = 8
	textAt     = 12
	elementsAt = 16
)

func (k *kit) newPolicy(code, data []byte) (*policy, error) {
	module, err := k.compile(code)
	if err != nil {
		return nil, err
	}
	p := &policy{module: module, data: data, entrypoints: map[string]uint32{}}
	i, err := p.start()
	if err != nil {
		return nil, err
	}
	defer i.Close(k.ctx)
	names, err := i.call("entrypoints")
	if err != nil {
		return nil, err
	}
	elements := i.word(names + elementsAt)
	for number := uint32(0); number < i.word(names+lengthAt); number++ {
		p.entrypoints[string(i.textOf(i.word(elements+4*number)))] = number
	}
	return p, nil
}

// start makes an instance and gives it the data.
func (p *policy) start() (*instance, error) {
	i, err := p.module.instantiate()
	if err != nil {
		return nil, err
	}
	if _, err := i.call("start"); err != nil {
		return nil, err
	}
	pointer, err := i.put("begin", p.data)
	if err != nil {
		return nil, err
	}
	if number, err := i.call("loadData", pointer, uint64(len(p.data))); err != nil || number != 0 {
		return nil, failure("module_trapped")
	}
	return i, nil
}

// evaluate gives the JSON of a boundary's decision for canonical input.
func (p *policy) evaluate(boundary string, input []byte) ([]byte, error) {
	number, found := p.entrypoints["platform/"+boundary+"/decision"]
	if !found {
		return nil, failure("bundle_entrypoint_missing")
	}
	i, err := p.start()
	if err != nil {
		return nil, err
	}
	defer i.Close(p.module.kit.ctx)
	pointer, err := i.put("begin", input)
	if err != nil {
		return nil, err
	}
	root, err := i.call("parse", pointer, uint64(len(input)))
	if err == nil && root == 0 {
		number, _ := i.call("jsonError")
		return nil, numbers[number]
	}
	var answer, text uint32
	if err == nil {
		answer, err = i.call("evaluate", uint64(number), uint64(root))
	}
	if err != nil {
		return nil, i.ended(err)
	}
	if int32(answer) < 0 {
		return nil, failure("module_output_invalid")
	}
	if text, err = i.call("answerText", uint64(answer)); err != nil {
		return nil, i.ended(err)
	}
	return i.textOf(text), nil
}

// ended says why an evaluation ended without an answer.
func (i *instance) ended(err error) error {
	reason, _ := i.call("failureOf")
	switch reason {
	case 3:
		return failure("policy_conflict")
	case 4:
		return failure("memory_exhausted")
	case 5:
		return failure("depth_exhausted")
	}
	return err
}

func (i *instance) word(pointer uint32) uint32 {
	word, _ := i.Memory().ReadUint32Le(pointer)
	return word
}

func (i *instance) textOf(value uint32) []byte {
	text, _ := i.Memory().Read(value+textAt, i.word(value+lengthAt))
	return append([]byte(nil), text...)
}

// framed puts a 32-bit big-endian length before each field.
func framed(fields ...[]byte) []byte {
	var all []byte
	for _, field := range fields {
		all = binary.BigEndian.AppendUint32(all, uint32(len(field)))
		all = append(all, field...)
	}
	return all
}
