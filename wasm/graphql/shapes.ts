// The fields of each node in OPA's JSON of a GraphQL document, in one place for writing and for reading.

import { Shape, Slot } from './ast';
import { comment, flag, integerField, list, node, selections, text, texts } from './json';

/** Visits the fields of a node of this shape; json.ts writes or reads each. */
export function describe(shape: u32): void {
  switch (shape) {
    case Shape.Query:
      list('Operations', Slot.Operations, Shape.Operation);
      list('Fragments', Slot.Fragments, Shape.Fragment);
      return comment('Comment', Slot.Comment, true);
    case Shape.Operation:
      text('Operation', Slot.Operation);
      text('Name', Slot.Name);
      list('VariableDefinitions', Slot.Variables, Shape.Variable);
      return selectable();
    case Shape.Fragment:
      text('Name', Slot.Name);
      list('VariableDefinition', Slot.Variables, Shape.Variable);
      text('TypeCondition', Slot.TypeCondition);
      return selectable();
    case Shape.Field:
      text('Alias', Slot.Alias);
      text('Name', Slot.Name);
      list('Arguments', Slot.Arguments, Shape.Argument);
      return selectable();
    case Shape.Inline:
      text('TypeCondition', Slot.TypeCondition);
      return selectable();
    case Shape.Spread:
      text('Name', Slot.Name);
      list('Directives', Slot.Directives, Shape.Directive);
      return comment('Comment', Slot.Comment, true);
    case Shape.Variable:
      text('Variable', Slot.Name);
      typed();
      flag('Used', Slot.Used);
      return comment('Comment', Slot.Comment, true);
    case Shape.Argument:
    case Shape.Child:
      text('Name', Slot.Name);
      node('Value', Slot.Value, Shape.Value);
      return comment('Comment', Slot.Comment, true);
    case Shape.Directive:
      text('Name', Slot.Name);
      list('Arguments', Slot.Arguments, Shape.Argument);
      return text('Location', Slot.Location);
    case Shape.Value:
      text('Raw', Slot.Raw);
      list('Children', Slot.Children, Shape.Child);
      integerField('Kind', Slot.ValueKind);
      flag('ExpectedTypeHasDefault', Slot.HasDefault);
      return comment('Comment', Slot.Comment, true);
    case Shape.Type:
      text('NamedType', Slot.Name);
      node('Elem', Slot.Elem, Shape.Type);
      return flag('NonNull', Slot.NonNull);
  }
  describeDefinition(shape);
}

/** What operations, fragments and fields end with; gqlparser does not read their comments back. */
function selectable(): void {
  list('Directives', Slot.Directives, Shape.Directive);
  selections('SelectionSet', Slot.Selections);
  comment('Comment', Slot.Comment, false);
}

/** What variables, fields and arguments have in common. */
function typed(): void {
  node('Type', Slot.Type, Shape.Type);
  node('DefaultValue', Slot.Default, Shape.Value);
  list('Directives', Slot.Directives, Shape.Directive);
}

function describeDefinition(shape: u32): void {
  switch (shape) {
    case Shape.Schema:
      list('Schema', Slot.SchemaDefinitions, Shape.SchemaDefinition);
      list('SchemaExtension', Slot.SchemaExtensions, Shape.SchemaDefinition);
      list('Directives', Slot.DirectiveDefinitions, Shape.DirectiveDefinition);
      list('Definitions', Slot.Definitions, Shape.Definition);
      list('Extensions', Slot.Extensions, Shape.Definition);
      return comment('Comment', Slot.Comment, true);
    case Shape.SchemaDefinition:
      list('Directives', Slot.Directives, Shape.Directive);
      list('OperationTypes', Slot.OperationTypes, Shape.OperationType);
      comment('EndOfDefinitionComment', Slot.End, true);
      return described();
    case Shape.OperationType:
      text('Operation', Slot.Operation);
      text('Type', Slot.Name);
      return comment('Comment', Slot.Comment, true);
    case Shape.Definition:
      text('Kind', Slot.Kind);
      text('Name', Slot.Name);
      list('Directives', Slot.Directives, Shape.Directive);
      texts('Interfaces', Slot.Interfaces);
      list('Fields', Slot.Fields, Shape.FieldDefinition);
      texts('Types', Slot.Members);
      list('EnumValues', Slot.EnumValues, Shape.EnumValue);
      flag('BuiltIn', Slot.BuiltIn);
      comment('EndOfDefinitionComment', Slot.End, true);
      return described();
    case Shape.FieldDefinition:
      list('Arguments', Slot.ArgumentDefinitions, Shape.ArgumentDefinition);
    case Shape.ArgumentDefinition:
      text('Name', Slot.Name);
      typed();
      return described();
    case Shape.EnumValue:
      text('Name', Slot.Name);
      list('Directives', Slot.Directives, Shape.Directive);
      return described();
    case Shape.DirectiveDefinition:
      text('Name', Slot.Name);
      list('Arguments', Slot.ArgumentDefinitions, Shape.ArgumentDefinition);
      texts('Locations', Slot.Locations);
      flag('IsRepeatable', Slot.Repeatable);
      return described();
  }
}

function described(): void {
  text('Description', Slot.Description);
  comment('BeforeDescriptionComment', Slot.Before, true);
  comment('AfterDescriptionComment', Slot.After, true);
}
