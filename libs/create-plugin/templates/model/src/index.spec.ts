import { testModel } from '@espalier/plugin-kit/testing';
import model from './index.js';

testModel(model);
