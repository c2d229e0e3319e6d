/** @file Describes the classes of the core that the API shows. */
import '../connection.js';
import './access.type.js';
import './attempt.type.js';
import './comparison.type.js';
import './history.type.js';
import './in-flight.type.js';
import './job.type.js';
import './launcher.type.js';
import './plugin.type.js';
import './rating.type.js';
import './run.type.js';
import './run-plan.type.js';
import './tokens.type.js';
import './played.type.js';
import './trajectory.type.js';
import './verdict.type.js';
import './worker.type.js';
