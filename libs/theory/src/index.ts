export {
  type Comparison,
  type Curve,
  models,
  type Setting,
  type TheoryModel,
  type TheoryResult,
} from './models.js';
