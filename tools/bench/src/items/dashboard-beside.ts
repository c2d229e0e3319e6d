/** @file Our page beside those that are used for the same: MLflow, Trackio, TensorBoard, each run by the Python of `--python`. */
import { dashboardBeside } from '../beside/measure.js';
import { openMlflow } from '../beside/mlflow.js';
import { openTensorBoard } from '../beside/tensorboard.js';
import { openTrackio } from '../beside/trackio.js';

export const besideMlflow = dashboardBeside('mlflow', ['mlflow'], openMlflow);
export const besideTrackio = dashboardBeside('trackio', ['trackio'], openTrackio);
export const besideTensorBoard = dashboardBeside('tensorboard', ['tensorboard'], openTensorBoard);
