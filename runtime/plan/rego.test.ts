// Policies whose rules meet what is hard to keep: replaced documents, one value for each rule, errors.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { capabilities } from '../bundle/testing.ts';
import { type JsonValue } from '../json.ts';
