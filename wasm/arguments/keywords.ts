// The names that a schema may use: what each is, and the list of annotations that change no answer.

/** Keywords that are implemented. */
export const enum Keyword {
  Unsupported,
  Annotation,
  SchemaDialect,
  Id,
  Definitions,
  Ref,
  Type,
  Nullable,
  Enum,
  Const,
  AllOf,
  AnyOf,
  OneOf,
  Not,
  If,
  Then,
  Else,
  Minimum,
  Maximum,
  ExclusiveMinimum,
  ExclusiveMaximum,
  MultipleOf,
  MinLength,
  MaxLength,
  Pattern,
  MinItems,
  MaxItems,
  UniqueItems,
  PrefixItems,
  Items,
  Contains,
  MinContains,
  MaxContains,
  MinProperties,
  MaxProperties,
  Required,
  Properties,
  PatternProperties,
  AdditionalProperties,
  PropertyNames,
  DependentRequired,
  DependentSchemas,
}

/** Whether `length` bytes at `pointer` are this ASCII text. */
export function isText(pointer: u32, length: u32, text: string): bool {
  if (length != <u32>text.length) return false;
  const source = changetype<usize>(text);
  for (let index: u32 = 0; index < length; index++) {
    if (load<u8>(pointer + index) != load<u8>(source + (index << 1))) return false;
  }
  return true;
}

/** What a name in a schema is. Names are compared exactly, as JSON Schema demands. */
export function keywordOf(at: u32, length: u32): Keyword {
  if (isAnnotation(at, length)) return Keyword.Annotation;
  const structural = structuralKeyword(at, length);
  return structural != Keyword.Unsupported ? structural : assertionKeyword(at, length);
}

function isAnnotation(at: u32, length: u32): bool {
  // Extensions of OpenAPI begin with x-; they have no meaning for a validator.
  if (length >= 2 && load<u8>(at) == 0x78 && load<u8>(at, 1) == 0x2d) return true;
  if (isText(at, length, 'title') || isText(at, length, 'description')) return true;
  if (isText(at, length, 'default') || isText(at, length, 'deprecated')) return true;
  if (isText(at, length, 'example') || isText(at, length, 'examples')) return true;
  if (isText(at, length, 'readOnly') || isText(at, length, 'writeOnly')) return true;
  if (isText(at, length, 'format') || isText(at, length, '$comment')) return true;
  if (isText(at, length, 'xml') || isText(at, length, 'externalDocs')) return true;
  return (
    isText(at, length, 'contentEncoding') ||
    isText(at, length, 'contentMediaType') ||
    isText(at, length, 'contentSchema')
  );
}

function structuralKeyword(at: u32, length: u32): Keyword {
  if (isText(at, length, '$schema')) return Keyword.SchemaDialect;
  if (isText(at, length, '$id')) return Keyword.Id;
  if (isText(at, length, '$defs')) return Keyword.Definitions;
  if (isText(at, length, 'definitions')) return Keyword.Definitions;
  if (isText(at, length, '$ref')) return Keyword.Ref;
  if (isText(at, length, 'allOf')) return Keyword.AllOf;
  if (isText(at, length, 'anyOf')) return Keyword.AnyOf;
  if (isText(at, length, 'oneOf')) return Keyword.OneOf;
  if (isText(at, length, 'not')) return Keyword.Not;
  if (isText(at, length, 'if')) return Keyword.If;
  if (isText(at, length, 'then')) return Keyword.Then;
  if (isText(at, length, 'else')) return Keyword.Else;
  if (isText(at, length, 'properties')) return Keyword.Properties;
  if (isText(at, length, 'patternProperties')) return Keyword.PatternProperties;
  if (isText(at, length, 'additionalProperties')) return Keyword.AdditionalProperties;
  if (isText(at, length, 'propertyNames')) return Keyword.PropertyNames;
  if (isText(at, length, 'dependentSchemas')) return Keyword.DependentSchemas;
  if (isText(at, length, 'prefixItems')) return Keyword.PrefixItems;
  if (isText(at, length, 'items')) return Keyword.Items;
  if (isText(at, length, 'contains')) return Keyword.Contains;
  return Keyword.Unsupported;
}

function assertionKeyword(at: u32, length: u32): Keyword {
  if (isText(at, length, 'type')) return Keyword.Type;
  if (isText(at, length, 'nullable')) return Keyword.Nullable;
  if (isText(at, length, 'enum')) return Keyword.Enum;
  if (isText(at, length, 'const')) return Keyword.Const;
  if (isText(at, length, 'minimum')) return Keyword.Minimum;
  if (isText(at, length, 'maximum')) return Keyword.Maximum;
  if (isText(at, length, 'exclusiveMinimum')) return Keyword.ExclusiveMinimum;
  if (isText(at, length, 'exclusiveMaximum')) return Keyword.ExclusiveMaximum;
  if (isText(at, length, 'multipleOf')) return Keyword.MultipleOf;
  if (isText(at, length, 'minLength')) return Keyword.MinLength;
  if (isText(at, length, 'maxLength')) return Keyword.MaxLength;
  if (isText(at, length, 'pattern')) return Keyword.Pattern;
  if (isText(at, length, 'minItems')) return Keyword.MinItems;
  if (isText(at, length, 'maxItems')) return Keyword.MaxItems;
  if (isText(at, length, 'uniqueItems')) return Keyword.UniqueItems;
  if (isText(at, length, 'minContains')) return Keyword.MinContains;
  if (isText(at, length, 'maxContains')) return Keyword.MaxContains;
  if (isText(at, length, 'minProperties')) return Keyword.MinProperties;
  if (isText(at, length, 'maxProperties')) return Keyword.MaxProperties;
  if (isText(at, length, 'required')) return Keyword.Required;
  if (isText(at, length, 'dependentRequired')) return Keyword.DependentRequired;
  return Keyword.Unsupported;
}

/**
 * Whether `$schema` names a dialect in which the implemented keywords mean what they mean here. Older
 * drafts differ only in keywords that are refused, and in ignoring the siblings of `$ref`, which are
 * applied here.
 */
export function isKnownDialect(at: u32, length: u32): bool {
  const bare = length > 0 && load<u8>(at + length - 1) == 0x23 ? length - 1 : length;
  return (
    isText(at, bare, 'https://json-schema.org/draft/2020-12/schema') ||
    isText(at, bare, 'https://json-schema.org/draft/2019-09/schema') ||
    isText(at, bare, 'http://json-schema.org/draft-07/schema') ||
    isText(at, bare, 'https://json-schema.org/draft-07/schema') ||
    isText(at, bare, 'http://json-schema.org/draft-06/schema') ||
    isText(at, bare, 'http://json-schema.org/draft-04/schema') ||
    isText(at, bare, 'http://json-schema.org/schema') ||
    isText(at, bare, 'https://spec.openapis.org/oas/3.1/dialect/base')
  );
}
