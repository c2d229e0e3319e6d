/**
 * @file Every error code with one sentence on when it is raised.
 * The exit code of the command line follows from it, by code or else by area: `apps/cli/src/exit-codes.ts`.
 */
export const errorCodes = {
  // contracts
  'contracts.invalid_value': 'a value breaks a documented range',
  'contracts.unsafe_path':
    'a file path from elsewhere that is not plain and relative, or leads out of its folder',
  // config
  'config.unreadable': 'a configuration file is missing, unreadable or not YAML',
  'config.unknown_key': 'a key that no schema knows; the message names the nearest one',
  'config.wrong_type': 'a value of the wrong type or outside its range',
  'config.derived_key': 'an attempt to set a derived value',
  'config.impossible_budget': 'settings that cannot hold together (batch, vocabulary, context)',
  // graph
  'graph.shape_mismatch': 'operand shapes do not fit',
  'graph.dtype_mismatch': 'operands of the wrong or of different dtypes',
  'graph.invalid_axis': 'an axis that the tensor does not have',
  'graph.invalid_size': 'a name that cannot stand for a size',
  'graph.unbound_size': 'a named size that cannot be read off any input',
  'graph.duplicate_name': 'two inputs or two outputs of one name',
  'graph.foreign_tensor': 'a tensor used in a graph it does not belong to',
  'graph.no_operand': 'an operator without a tensor among its operands',
  'graph.missing_gradient': 'an operator declared without a gradient or a reason for having none',
  'graph.no_gradient': 'differentiating through an operator that has no gradient',
  'graph.loss_not_scalar': 'differentiating a tensor with several entries without a seed',
  'graph.index_out_of_range': 'an index outside its axis, in plain evaluation',
  'graph.missing_feed': 'plain evaluation without numbers for an input',
  'graph.illegal': 'a graph that breaks a rule of check',
  // runtime
  'runtime.provider_unavailable': 'the requested execution provider does not exist on this machine',
  'runtime.unknown_input': 'a feed or output name the session does not have',
  'runtime.missing_feed': 'a run without a feed for an input',
  'runtime.shape_mismatch': 'a feed or preallocated output whose shape does not fit the session',
  'runtime.dtype_mismatch': 'a feed or preallocated output of another dtype than the session declares',
  'runtime.session_failed': 'the runtime refused a graph',
  'runtime.run_failed': 'the runtime failed while running a graph',
  'runtime.disposed': 'use of a session after it was disposed',
  // model
  'model.not_allowed': 'a model folder outside the model roots of a server or worker',
  'model.not_found': 'a model named by its folder where there is no such folder',
  'model.unsupported_config': 'a model configuration that is malformed or asks for something not supported',
  'model.malformed_safetensors': 'a safetensors file that breaks its format or holds NaN or infinity',
  'model.malformed_tokenizer': 'a tokenizer or chat template that cannot be used',
  'model.malformed_config': 'a model folder whose files are missing, unreadable or do not fit each other',
  // objective
  'objective.length_mismatch': 'arrays that belong together differ in length',
  'objective.missing_column': 'a loss is built without a per-token input that it lists',
  // engine
  'engine.cancelled': 'sampling was cancelled by its signal',
  'engine.invalid_request':
    'a request an engine cannot serve: ids outside the vocabulary, positions, lengths',
  'engine.context_exceeded': 'a sequence longer than the model context',
  'engine.disposed': 'use of an engine or model after it was disposed',
  'engine.not_finite': 'NaN or infinity in a step; the step was not applied',
  // plugin
  'plugin.not_found': 'no plugin of this kind and id is installed',
  'plugin.duplicate_id': 'two plugins of one kind share an id',
  'plugin.version_mismatch': 'a plugin was made for another version of the kit',
  'plugin.invalid_definition': 'a default export that is not a definition',
  'plugin.unknown_action': 'an action that the environment does not know',
  'plugin.unreadable': 'the list of plugins or a plugin package cannot be read or loaded',
  'plugin.changed': 'resuming a run whose plugins are not those it was made with',
  'plugin.failed': 'a plugin threw or returned something illegal',
  'plugin.timeout': 'a call of a plugin did not end within its time limit',
  'plugin.catalogue_unavailable': 'the process that loads plugins for the server gave no answer',
  // rollout
  'rollout.unsupported_template': 'a chat template that rewrites earlier text when a conversation grows',
  'rollout.prompt_too_long': 'the first turn does not fit into the context length',
  'rollout.cancelled': 'a collection was stopped by its signal',
  'rollout.too_many_errors': 'the share of failed episodes passed the stated limit',
  // trainer
  'trainer.broken_checkpoint': 'a checkpoint that fails its manifest, or whose files no run can go on from',
  'trainer.broken_run': 'a file of a run folder, outside its checkpoints, that is damaged',
  'trainer.write_failed': 'a file of a run could not be written; the message says what is safe',
  'trainer.run_locked': 'another process holds the run folder',
  'trainer.run_exists': 'a new run in a folder that already holds one',
  'trainer.nothing_to_resume': 'resuming in a folder without a valid checkpoint',
  'trainer.resume_mismatch': 'resuming with another spec or starting model than the run began with',
  'trainer.missing_column': 'a loss that reads a column this algorithm does not get',
  // artifact
  'artifact.not_found': 'no artifact is stored under the key',
  'artifact.invalid_key': 'a key that is not a safe relative path',
  'artifact.mismatch': 'uploaded content does not have the hash or the size announced for it',
  'artifact.conflict': 'the key already holds other content; artifacts are never overwritten',
  'artifact.interrupted': 'an upload that broke off; nothing of it was kept',
  'artifact.corrupt': 'a stored artifact no longer has the hash it was stored with',
  'artifact.unavailable': 'the artifact store cannot be reached, read or written',
  // telemetry
  'telemetry.write_failed': 'a log of a run could not be written',
  'telemetry.broken_log': 'a log of a run that cannot be read, or is shorter than its checkpoint knows',
  // cli
  'cli.usage': 'a command line that cannot be understood',
  'cli.run_exists': 'a run folder that is already in use, without --resume',
  'cli.unusable_folder': 'a folder for results or data that cannot be made or written',
  'cli.run_not_found': 'a run, or a step of it, that does not exist',
  'cli.no_key': 'a command for a server without a key to it',
  'cli.ambiguous_run': 'a word by which more than one run of a server is meant',
  'cli.broken_download': 'a downloaded file without the hash announced for it',
  'cli.interrupted': 'a command that was stopped before its end and can go on',
  // worker
  'worker.unauthorized': 'the server refuses the key of a worker',
  'worker.protocol_mismatch': 'server and worker speak different versions of their protocol',
  'worker.data_in_use': 'another worker holds the data folder',
  'worker.busy':
    'an assignment whose devices or run are in use on that worker, or events sent faster than they are stored',
  'worker.no_device': 'an assignment with a device that the worker does not have',
  'worker.plugins_differ':
    'a job that began with other plugins than its worker has now; it waits for a worker that has them',
  'worker.disk_full': 'an assignment to a worker without room for results',
  'worker.failed': 'a worker that could not do what the server asked for, such as for a full disk',
  'worker.broken_checkpoint':
    'a stored checkpoint that is damaged; an older one is gone on from, with a warning',
  'worker.slow_pause': 'a training that has not stopped long after it was asked to pause; a warning',
  'worker.log_cut': 'a training that printed more than its worker keeps; a warning',
  'worker.closing': 'an assignment to a worker that is about to end',
  'worker.fenced': 'a message about an attempt that belongs to somebody else by now',
  'worker.unconfirmed':
    'an artifact of an attempt whose worker was silent too long, before it is clear whether it goes on',
  'worker.broken_line': 'a line of a spool that is no event; passed over with a warning',
  'worker.transfer_failed': 'an artifact that could not be fetched or stored this time',
  'worker.transfer_refused': 'an artifact that the server does not have or does not take',
  // bench
  'bench.item_failed': 'an item of the bench ended with an error',
  'bench.peers_missing': 'the Python environment, a peer program or a package of it is absent',
  'bench.peer_failed': 'a peer program ended with an error or printed no figure',
  // access
  'access.unauthenticated': 'no API key, an unknown one or a revoked one',
  'access.denied': 'a key whose role does not include what was asked for',
  'access.throttled':
    'too many requests or bytes with one key, or too many requests or unknown keys from one address',
  'access.too_many_sockets':
    'a key with more sockets open than it may have, or too many sockets that have not shown a key',
  'access.too_many_queued': 'a key with more jobs that wait than it may have',
  'access.too_much_stored': 'a key whose runs have stored more than they may',
  'access.too_many_operations': 'a GraphQL socket with more operations running than it may have',
  'access.too_many_subscriptions': 'a key with more GraphQL subscriptions running than it may have',
  'access.foreign_host': 'a request for a name this server is not known by',
  'access.foreign_origin': 'a request from a page of another origin',
  'access.weak_key': 'a key of the settings that is too short, revoked, or of another role',
  'access.bad_key': 'a request for a key that cannot be made or replaced',
  'access.last_admin': 'revoking the last admin key',
  // graphql
  'graphql.batch': 'several operations in one request',
  'graphql.invalid': 'a GraphQL document that does not fit the schema, or variables that do not fit it',
  'graphql.malformed': 'a GraphQL document or request that cannot be read',
  'graphql.too_large': 'a GraphQL document with too many tokens',
  'graphql.too_deep': 'a GraphQL operation that nests fields too deep',
  'graphql.too_many_aliases': 'a GraphQL operation with too many aliases',
  'graphql.too_many_fields': 'a GraphQL operation with too many fields at its root',
  'graphql.too_costly': 'a GraphQL operation that would cost too much',
  // client
  'client.unreachable': 'a server that does not answer',
  'client.refused': 'a server that answered with a refusal; details.code is its code',
  // run
  'run.invalid_request': 'a request about a run with a value outside its range, or a missing one',
  'run.wrong_state': 'something that is not possible in the state a run is in',
  'run.incomplete_import': 'the end of an import whose events or files have not all arrived',
  'run.idle_devices': 'warning: a run asks for GPUs that its training will not use',
  'run.not_possible': 'something that is not possible with this run',
  // artifact
  'artifact.invalid_path': 'an artifact path that is not plain and relative',
  'artifact.invalid_body': 'an artifact that was not sent as bytes',
  // control plane, from the command line
  'cli.worker_failed': 'the worker of `espalier up` ended before it was connected',
  // server
  'server.not_found': 'an id that does not exist, or lies in a project the key may not see',
  'server.internal': 'a failure of the server itself; its log says more, under the request id',
  'server.malformed': 'a request that cannot be read',
  'server.not_allowed': 'a method that an address does not take',
  'server.too_large': 'a body, address or headers larger than the server takes',
  'server.unsupported_media_type': 'a body of a type that an address does not take',
  'server.shutting_down': 'a request to a server that is about to stop',
  'server.already_running': 'a second server on one data folder or database',
  'server.cannot_listen': 'an address or a port that the server cannot listen on',
  'server.bad_cursor': 'a page asked for after something that is no cursor of the list',
  'server.invalid_query': 'arguments of a query that are unknown, of a wrong type or outside their range',
  'server.bad_page': 'a page size outside its range',
  'server.database_lost': 'a database that was used before and is missing, empty or damaged',
  'server.database_unusable': 'the database cannot be opened or brought up to date',
  'server.database_unavailable':
    'the database cannot be used at the moment: locked, full, failing, or not answering',
  // job
  'job.wrong_state': 'something asked of a job that its present state does not allow',
  'job.invalid_request': 'a request about jobs with something missing, unknown or outside its range',
  'job.bad_priority': 'a priority outside -100 to 100',
  // worker
  'worker.malformed_message': 'a message of a worker that is not of its form',
  'worker.not_greeted': 'a message of a worker before its hello was answered',
  'worker.not_possible':
    'something asked of a worker that cannot be, such as forgetting one that is connected',
  'worker.name_taken': 'a worker whose name belongs to another one that connected later',
  // event
  'event.gap': 'events of a stream that do not follow on those stored',
  // trajectory
  'trajectory.not_stored': 'a trajectory whose file has not arrived, or does not have it',
  'trajectory.too_large': 'a trajectory with more bytes than a server reads into memory',
  'trajectory.unavailable': 'a trajectory that could not be read in time; trying again may help',
  'trajectory.unreadable': 'a stored file of trajectories that is damaged',
  // stream
  'stream.malformed_message': 'an event of a follower that is not of its form',
  'stream.too_many_follows': 'a socket that follows more runs than it may',
} as const;

export type ErrorCode = keyof typeof errorCodes;
