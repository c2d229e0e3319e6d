/**
 * @file ONNX codes of dtypes (TensorProto.DataType).
 */
import type { DType } from '../tensor.js';

/** TensorProto.DataType of each dtype. */
export const ONNX_TYPE: Readonly<Record<DType, number>> = {
  float32: 1,
  uint8: 2,
  int8: 3,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
  float64: 11,
  bfloat16: 16,
};
