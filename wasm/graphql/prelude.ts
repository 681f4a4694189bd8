// The types and directives that every GraphQL schema has: gqlparser's prelude without its descriptions.

import { newString, textOf } from '../engine/value';
import { parseSchema } from './schema';

const BYTES: u32 = 1843;

let end: u32 = 0;

/** The document of the prelude. */
export function prelude(): u32 {
  const text = newString(BYTES);
  end = textOf(text);
  write();
  return parseSchema(text, true);
}

/** Adds ASCII text; Wasm without a runtime joins no strings. */
function add(piece: string): void {
  const source = changetype<usize>(piece);
  const length = <u32>piece.length;
  for (let i: u32 = 0; i < length; i++) store<u8>(end + i, load<u8>(source + (i << 1)));
  end += length;
}

function write(): void {
  add('scalar Int scalar Float scalar String scalar Boolean scalar ID directive ');
  add('@defer(if:Boolean=true label:String)on FRAGMENT_SPREAD|INLINE_FRAGMENT directive ');
  add('@include(if:Boolean!)on FIELD|FRAGMENT_SPREAD|INLINE_FRAGMENT directive ');
  add('@skip(if:Boolean!)on FIELD|FRAGMENT_SPREAD|INLINE_FRAGMENT directive ');
  add('@deprecated(reason:String="No longer supported")on ');
  add('FIELD_DEFINITION|ARGUMENT_DEFINITION|INPUT_FIELD_DEFINITION|ENUM_VALUE directive ');
  add('@specifiedBy(url:String!)on SCALAR directive @oneOf on INPUT_OBJECT type ');
  add('__Schema{description:String types:[__Type!]! queryType:__Type! mutationType:__Type ');
  add('subscriptionType:__Type directives:[__Directive!]!}type __Type{kind:__TypeKind! ');
  add('name:String description:String specifiedByURL:String ');
  add('fields(includeDeprecated:Boolean=false):[__Field!] interfaces:[__Type!] ');
  add('possibleTypes:[__Type!] enumValues(includeDeprecated:Boolean=false):[__EnumValue!] ');
  add('inputFields(includeDeprecated:Boolean=false):[__InputValue!] ofType:__Type ');
  add('isOneOf:Boolean}enum __TypeKind{SCALAR OBJECT INTERFACE UNION ENUM INPUT_OBJECT ');
  add('LIST NON_NULL}type __Field{name:String! description:String ');
  add('args(includeDeprecated:Boolean=false):[__InputValue!]! type:__Type! ');
  add('isDeprecated:Boolean! deprecationReason:String}type __InputValue{name:String! ');
  add('description:String type:__Type! defaultValue:String isDeprecated:Boolean! ');
  add('deprecationReason:String}type __EnumValue{name:String! description:String ');
  add('isDeprecated:Boolean! deprecationReason:String}type __Directive{name:String! ');
  add('description:String isRepeatable:Boolean! locations:[__DirectiveLocation!]! ');
  add('args(includeDeprecated:Boolean=false):[__InputValue!]!}enum ');
  add('__DirectiveLocation{QUERY MUTATION SUBSCRIPTION FIELD FRAGMENT_DEFINITION ');
  add('FRAGMENT_SPREAD INLINE_FRAGMENT VARIABLE_DEFINITION SCHEMA SCALAR OBJECT ');
  add('FIELD_DEFINITION ARGUMENT_DEFINITION INTERFACE UNION ENUM ENUM_VALUE INPUT_OBJECT ');
  add('INPUT_FIELD_DEFINITION}');
}
