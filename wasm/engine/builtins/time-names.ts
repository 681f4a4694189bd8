// The English names of months and days of the week.

import { alloc } from '../../common/arena';

/** Where a name is, and how many bytes it has. */
export let nameStart: u32 = 0;
export let nameBytes: u32 = 0;

/** Finds the name of a month from 1. */
export function monthName(month: i32): void {
  switch (month) {
    case 1:
      return use('January');
    case 2:
      return use('February');
    case 3:
      return use('March');
    case 4:
      return use('April');
    case 5:
      return use('May');
    case 6:
      return use('June');
    case 7:
      return use('July');
    case 8:
      return use('August');
    case 9:
      return use('September');
    case 10:
      return use('October');
    case 11:
      return use('November');
  }
  use('December');
}

/** Finds the name of a day of the week, 0 for Sunday. */
export function weekdayName(weekday: i32): void {
  switch (weekday) {
    case 0:
      return use('Sunday');
    case 1:
      return use('Monday');
    case 2:
      return use('Tuesday');
    case 3:
      return use('Wednesday');
    case 4:
      return use('Thursday');
    case 5:
      return use('Friday');
  }
  use('Saturday');
}

function use(name: string): void {
  nameBytes = <u32>name.length;
  nameStart = alloc(nameBytes);
  const source = changetype<usize>(name);
  for (let i: u32 = 0; i < nameBytes; i++) store<u8>(nameStart + i, load<u8>(source + (i << 1)));
}
