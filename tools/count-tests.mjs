// Prints one line `N passed, N failed[, N skipped]` from the test runner's report; exits 1 when nothing ran.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './steps.mjs';

let report;
try {
  report = JSON.parse(readFileSync(join(root, '.cache', 'verify', 'tests.json'), 'utf8'));
} catch {
  console.log('0 passed, 1 failed');
  process.exit(1);
}
const skipped = report.numPendingTests + (report.numTodoTests ?? 0);
// A file that fails to load runs no test; it counts as one failure.
const broken = report.testResults.filter(
  (file) => file.status === 'failed' && file.assertionResults.length === 0,
).length;
console.log(
  `${report.numPassedTests} passed, ${report.numFailedTests + broken} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
);
process.exit(report.numPassedTests === 0 ? 1 : 0);
