/** @file Describes every class of the core that the API shows. */
import './alert.type.js';
import './api-key.type.js';
import './artifact.type.js';
import './attempt.type.js';
import './audit-entry.type.js';
import './comparison.type.js';
import './job.type.js';
import './log.type.js';
import './metric.type.js';
import '../page-type.js';
import './plugin.type.js';
import './run.type.js';
import './run-plan.type.js';
import './trajectory.type.js';
import './trajectory-detail.type.js';
import './worker.type.js';
