// The GraphQL built-ins, as OPA's v1/topdown/graphql.go has them over gqlparser.

import { Shape } from '../../graphql/ast';
import { toNode, toObject } from '../../graphql/json';
import { parseQuery } from '../../graphql/query';
import { parseSchema } from '../../graphql/schema';
import { useSchema } from '../../graphql/schema-check';
import { validQuery } from '../../graphql/walk';
import { Failure, failed } from '../failure';
import { newObject } from '../object';
import { boolean, FALSE, Kind, kindOf, newArray, push, TRUE } from '../value';

function queryOf(value: u32): u32 {
  return kindOf(value) == Kind.String ? parseQuery(value) : toNode(value, Shape.Query);
}

function schemaOf(value: u32): u32 {
  return kindOf(value) == Kind.String ? parseSchema(value, false) : toNode(value, Shape.Schema);
}

function isDocument(value: u32): bool {
  return kindOf(value) == Kind.String || kindOf(value) == Kind.Object;
}

/** graphql.parse_query: the object of a query's text. */
export function b_graphql_parse_query(query: u32): u32 {
  if (kindOf(query) != Kind.String) return failed(Failure.Type);
  const document = parseQuery(query);
  return document == 0 ? failed() : toObject(document);
}

/** graphql.parse_schema: the object of a schema's text, which need not be valid. */
export function b_graphql_parse_schema(schema: u32): u32 {
  if (kindOf(schema) != Kind.String) return failed(Failure.Type);
  const document = parseSchema(schema, false);
  return document == 0 ? failed() : toObject(document);
}

/** graphql.schema_is_valid: whether a schema, a text or an object, is valid. */
export function b_graphql_schema_is_valid(schema: u32): u32 {
  if (!isDocument(schema)) return FALSE;
  const document = schemaOf(schema);
  return boolean(document != 0 && useSchema(document));
}

/** graphql.is_valid: whether a query is valid against a schema, each a text or an object. */
export function b_graphql_is_valid(query: u32, schema: u32): u32 {
  if (!isDocument(query) || !isDocument(schema)) return FALSE;
  const document = queryOf(query);
  if (document == 0) return FALSE;
  const types = schemaOf(schema);
  return boolean(types != 0 && useSchema(types) && validQuery(document));
}

/** graphql.parse: the objects of a query and of a schema, when the query is valid against it. */
export function b_graphql_parse(query: u32, schema: u32): u32 {
  if (!isDocument(query) || !isDocument(schema)) return failed(Failure.Type);
  const both = verified(query, schema, newArray(2));
  return both == 0 ? failed() : both;
}

/** graphql.parse_and_verify: whether a query is valid against a schema, and the objects of both. */
export function b_graphql_parse_and_verify(query: u32, schema: u32): u32 {
  const answer = newArray(3);
  push(answer, TRUE);
  if (isDocument(query) && isDocument(schema) && verified(query, schema, answer) != 0)
    return answer;
  const refused = newArray(3);
  push(refused, FALSE);
  push(refused, newObject(0));
  push(refused, newObject(0));
  return refused;
}

/** Adds both objects, as they are before validation; 0 when the query or the schema is not valid. */
function verified(query: u32, schema: u32, answer: u32): u32 {
  const document = queryOf(query);
  if (document == 0) return 0;
  const types = schemaOf(schema);
  if (types == 0) return 0;
  push(answer, toObject(document));
  push(answer, toObject(types));
  return useSchema(types) && validQuery(document) ? answer : 0;
}
