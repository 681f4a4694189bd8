// The first vectors of a sparse symmetric matrix, by subspace iteration; equal input gives equal output.

/** A sparse row: columns and values. */
export interface Row {
  columns: Int32Array;
  values: Float64Array;
}

/** More vectors are iterated than are wanted, which makes the wanted ones converge sooner. */
const SPARE = 10;
const ROUNDS = 6;

/**
 * For each row `dimensions` numbers: its place along the vectors of the largest singular values, largest first,
 * scaled by their roots.
 */
export function decompose(rows: readonly Row[], dimensions: number): Float64Array[] {
  const width = dimensions + SPARE;
  let seed = 12345;
  const random = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32 - 0.5;
  };
  let basis: Float64Array[] = rows.map(() => Float64Array.from({ length: width }, random));
  orthogonalise(basis, width);
  for (let round = 0; round < ROUNDS; round++) {
    basis = times(rows, transposedTimes(rows, basis, width), width);
    orthogonalise(basis, width);
  }
  const image = transposedTimes(rows, basis, width);
  const sizes = Array.from({ length: width }, (_, k) =>
    Math.sqrt(image.reduce((sum, row) => sum + row[k]! ** 2, 0)),
  );
  const order = sizes.map((_, k) => k).sort((a, b) => sizes[b]! - sizes[a]!);
  const wanted = order.slice(0, dimensions);
  return basis.map((row) => Float64Array.from(wanted, (k) => row[k]! * Math.sqrt(sizes[k]!)));
}

function times(rows: readonly Row[], by: readonly Float64Array[], width: number): Float64Array[] {
  return rows.map(({ columns, values }) => {
    const sum = new Float64Array(width);
    for (let n = 0; n < columns.length; n++) addTo(sum, by[columns[n]!]!, values[n]!);
    return sum;
  });
}

function transposedTimes(
  rows: readonly Row[],
  by: readonly Float64Array[],
  width: number,
): Float64Array[] {
  const result = rows.map(() => new Float64Array(width));
  rows.forEach(({ columns, values }, i) => {
    for (let n = 0; n < columns.length; n++) addTo(result[columns[n]!]!, by[i]!, values[n]!);
  });
  return result;
}

function addTo(sum: Float64Array, row: Float64Array, factor: number): void {
  for (let k = 0; k < sum.length; k++) sum[k]! += factor * row[k]!;
}

/** Gram and Schmidt's method on the columns, twice for precision. */
function orthogonalise(basis: readonly Float64Array[], width: number): void {
  for (let k = 0; k < width; k++) {
    for (let before = 0; before < 2 * k; before++) {
      const other = before % k;
      const along = basis.reduce((sum, row) => sum + row[k]! * row[other]!, 0);
      for (const row of basis) row[k]! -= along * row[other]!;
    }
    const size = Math.sqrt(basis.reduce((sum, row) => sum + row[k]! ** 2, 0));
    for (const row of basis) row[k]! /= size;
  }
}
