// yaml.marshal, yaml.unmarshal and yaml.is_valid (OPA's internal/yaml on go-yaml v3).

import { mark, release } from '../../common/arena';
import { Failure, failed } from '../failure';
import { boolean, Kind, kindOf, lengthOf, textOf } from '../value';
import { parseYaml } from './yaml-parse';
import { yamlText } from './yaml-write';

export function b_yaml_marshal(value: u32): u32 {
  return yamlText(value);
}

/** The first document; the others only have to be YAML. */
export function b_yaml_unmarshal(text: u32): u32 {
  if (kindOf(text) != Kind.String) return failed(Failure.Type);
  const value = parseYaml(textOf(text), lengthOf(text));
  return value == 0 ? failed() : value;
}

export function b_yaml_is_valid(text: u32): u32 {
  if (kindOf(text) != Kind.String) return boolean(false);
  const point = mark();
  const valid = parseYaml(textOf(text), lengthOf(text)) != 0;
  release(point);
  return boolean(valid);
}
