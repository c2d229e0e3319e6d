/** Gives the probability of each number of successes in `count` independent tries, 0..count. */
export function binomial(count: number, chance: number): Float64Array {
  let row = Float64Array.of(1);
  for (let n = 0; n < count; n++) {
    const next = new Float64Array(n + 2);
    row.forEach((weight, k) => {
      next[k] = (next[k] as number) + weight * (1 - chance);
      next[k + 1] = (next[k + 1] as number) + weight * chance;
    });
    row = next;
  }
  return row;
}

/** Gives the distribution of the sum of two independent integers, each given from its least value on. */
export function convolve(a: Float64Array, b: Float64Array): Float64Array {
  const sum = new Float64Array(a.length + b.length - 1);
  a.forEach((left, i) => {
    if (left !== 0) b.forEach((right, j) => (sum[i + j] = (sum[i + j] as number) + left * right));
  });
  return sum;
}
