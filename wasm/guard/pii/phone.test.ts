// Tests of the PII scanner on telephone numbers: written anywhere in the world, and what only looks like one.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { eachFound, found, noneFound } from './testing.ts';

test('international telephone numbers', () => {
  eachFound('phone', [
    '+44 20 7946 0958',
    '+442079460958',
    '+44 (0)20 7946 0958',
    '+49-30-901820',
    '+49.30.901820',
    '+1 212 555 0123',
    '+1 (212) 555-0123',
    '+12125550123',
    '+33 1 23 45 67 89',
    '+91 98765 43210',
    '+290 22222',
    '0044 20 7946 0958',
  ]);
});

test('North American telephone numbers', () => {
  eachFound('phone', [
    '(212) 555-0123',
    '(212)555-0123',
    '212-555-0123',
    '212.555.0123',
    '1-212-555-0123',
    '212‑555‑0123',
  ]);
});

test('an extension belongs to the number', () => {
  eachFound('phone', [
    '(212) 555-0123x123',
    '(212) 555-0123 x123',
    '212-555-0123x12345',
    '+12125550123x1',
  ]);
  assert.equal(found('phone 212 555 0123x77'), ['phone:212 555 0123x77']);
  noneFound(['212-555-0123xx', '212-555-0123x1234567', '212-555-0123x12a']);
});

test('national numbers beside a word that says what they are', () => {
  assert.equal(found('Phone: 2125550123'), ['phone:2125550123']);
  assert.equal(found('call me at 212 555 0123'), ['phone:212 555 0123']);
  assert.equal(found('Tel. 020 7946 0958'), ['phone:020 7946 0958']);
  assert.equal(found('phone: (0113) 496 0385'), ['phone:(0113) 496 0385']);
  assert.equal(found('telefoon: (0363)-387500'), ['phone:(0363)-387500']);
  assert.equal(found('telefon: 0853-93 36 33'), ['phone:0853-93 36 33']);
  assert.equal(found('phone: +44 99 99 99 99 99'), ['phone:+44 99 99 99 99 99']);
  assert.equal(found('mobile 06 12 34 56 78,'), ['phone:06 12 34 56 78']);
});

test('what is no telephone number', () => {
  noneFound([
    '2125550123',
    '212 555 0123',
    '112-555-0123',
    '212-155-0123',
    '211-555-0123',
    '212-555-01234',
    '212-555-0123-4',
    '+0 212 555 0123',
    '+1 112 555 0123',
    '+1234567',
    '+1234567890123456',
    '+89 123 456 789',
    'a+442079460958',
    '2026-11-21',
    'tel aviv 2026-11-21',
    'hotel 1234567',
    '192.168.100.200',
    '10.0.0.1:8080',
    '12:34:56.789',
    '00 65 00 75 00 72 00 74',
    'version 1.22.333',
    'ISBN 978-3-16-148410-0',
    'max cell rate: 353207.547',
    'call 2015-2018',
    '0069 0307 0301',
  ]);
});

test.run();
