export { learningRateAt } from './schedule.js';
