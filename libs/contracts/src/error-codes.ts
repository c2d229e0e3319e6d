/**
 * @file Every error code, with the finding that it stands for.
 * `apps/cli/src/exit-codes.ts` maps codes, or else areas, to exit codes.
 */
export const errorCodes = {
  // contracts
  'contracts.invalid_value': 'a value is outside its documented range',
  'contracts.unsafe_path': 'a file path is not plain and relative, or leads out of its folder',
  // config
  'config.unreadable': 'a configuration file is missing, unreadable or not YAML',
  'config.unknown_key': 'no schema knows a key; the message names the nearest one',
  'config.wrong_type': 'a value has the wrong type or is outside its range',
  'config.derived_key': 'a configuration sets a derived value',
  'config.impossible_budget': 'settings contradict each other (batch, vocabulary, context)',
  // graph
  'graph.shape_mismatch': 'operand shapes do not fit',
  'graph.dtype_mismatch': 'operands have the wrong dtype, or different ones',
  'graph.invalid_axis': 'a tensor has no such axis',
  'graph.invalid_size': 'a name is not valid as a size',
  'graph.unbound_size': 'no input determines a named size',
  'graph.duplicate_name': 'two inputs or two outputs have the same name',
  'graph.foreign_tensor': 'a tensor is used in a graph it does not belong to',
  'graph.no_operand': 'none of the operands of an operator is a tensor',
  'graph.missing_gradient': 'an operator declares neither a gradient nor a reason for having none',
  'graph.no_gradient': 'an operator without a gradient is differentiated',
  'graph.loss_not_scalar': 'a tensor with several entries is differentiated without a seed',
  'graph.index_out_of_range': 'an index is outside its axis, in the reference interpreter',
  'graph.missing_feed': 'an input has no numbers, in the reference interpreter',
  'graph.illegal': 'a graph breaks a rule of `check`',
  // runtime
  'runtime.provider_unavailable': 'this machine does not have the requested execution provider',
  'runtime.unknown_input': 'the session has no input or output of that name',
  'runtime.missing_feed': 'an input has no feed',
  'runtime.shape_mismatch': 'a feed or preallocated output has a shape that does not fit the session',
  'runtime.dtype_mismatch': 'a feed or preallocated output has another dtype than the session declares',
  'runtime.session_failed': 'the runtime rejected a graph',
  'runtime.run_failed': 'the runtime failed while running a graph',
  'runtime.disposed': 'a session is used after it was disposed',
  // model
  'model.not_allowed': 'a model folder is outside the model roots of a server or worker',
  'model.not_found': 'there is no model folder at a path',
  'model.unsupported_config': 'a model configuration is malformed or unsupported',
  'model.malformed_safetensors': 'a safetensors file is malformed or holds NaN or infinity',
  'model.malformed_tokenizer': 'a tokenizer or chat template cannot be used',
  'model.malformed_config': 'files of a model folder are missing, unreadable or inconsistent',
  // objective
  'objective.length_mismatch': 'arrays that belong together differ in length',
  'objective.missing_column': 'a loss is built without a per-token input that it lists',
  // engine
  'engine.cancelled': 'a signal cancelled sampling',
  'engine.invalid_request':
    'an engine cannot serve a request: token ids outside the vocabulary, positions, lengths',
  'engine.context_exceeded': 'a sequence is longer than the model context',
  'engine.disposed': 'an engine or model is used after it was disposed',
  'engine.not_finite': 'a step produced NaN or infinity; it was not applied',
  // plugin
  'plugin.not_found': 'no plugin of this kind and id is installed',
  'plugin.duplicate_id': 'two plugins of one kind share an id',
  'plugin.version_mismatch': 'a plugin requires another version of the kit',
  'plugin.invalid_definition': 'a default export is not a definition',
  'plugin.unknown_action': 'the environment has no such action',
  'plugin.unreadable': 'the list of plugins or a plugin package cannot be read or loaded',
  'plugin.changed': 'a run is resumed with other plugins than it was started with',
  'plugin.failed': 'a plugin threw, or returned an invalid value',
  'plugin.timeout': 'a plugin call exceeded its time limit',
  'plugin.catalogue_unavailable': 'the process that loads plugins for the server does not answer',
  // rollout
  'rollout.unsupported_template': 'a chat template rewrites earlier text as a conversation grows',
  'rollout.prompt_too_long': 'the first turn does not fit into the context length',
  'rollout.cancelled': 'a signal stopped a rollout',
  'rollout.too_many_errors': 'the share of failed episodes exceeded its limit',
  // trainer
  'trainer.corrupt_checkpoint':
    'a checkpoint does not match its manifest, or no run can resume from its files',
  'trainer.corrupt_run': 'a file of a run folder, outside its checkpoints, is corrupt',
  'trainer.write_failed': 'a file of a run cannot be written; the message says what is safe',
  'trainer.run_locked': 'another process holds the run folder',
  'trainer.run_exists': 'a new run is started in a folder that already holds one',
  'trainer.nothing_to_resume': 'the folder to resume from has no valid checkpoint',
  'trainer.resume_mismatch': 'a run is resumed with another spec or starting model than it was started with',
  'trainer.missing_column': 'a loss reads a column that this algorithm does not receive',
  // artifact
  'artifact.not_found': 'no artifact is stored under the key',
  'artifact.invalid_key': 'a key is not a safe relative path',
  'artifact.mismatch': 'uploaded content does not match its announced hash or size',
  'artifact.conflict': 'the key already holds other content; artifacts are never overwritten',
  'artifact.interrupted': 'an upload broke off; nothing was stored',
  'artifact.corrupt': 'a stored artifact no longer matches its hash',
  'artifact.unavailable': 'the artifact store cannot be reached, read or written',
  // recorder
  'recorder.write_failed': 'a log of a run cannot be written',
  'recorder.corrupt_log': 'a log of a run is unreadable, or shorter than its checkpoint expects',
  // cli
  'cli.usage': 'the command line is invalid',
  'cli.run_exists': 'a run folder is already in use, without --resume',
  'cli.unusable_folder': 'a folder for results or data cannot be created or written',
  'cli.run_not_found': 'a run, or a step of it, does not exist',
  'cli.no_key': 'a command needs a server but has no API key for it',
  'cli.ambiguous_run': 'a name matches more than one run of the server',
  'cli.corrupt_download': 'a downloaded file does not match its announced hash',
  'cli.interrupted': 'a command was interrupted and can be resumed',
  // worker
  'worker.unauthorized': "the server rejects a worker's key",
  'worker.protocol_mismatch': 'server and worker use different versions of the protocol',
  'worker.data_in_use': 'another worker holds the data folder',
  'worker.busy':
    'an assignment names devices or a run that are in use on that worker, or events arrive faster than they are stored',
  'worker.no_device': 'an assignment names a device that the worker does not have',
  'worker.plugins_differ':
    'a job started with other plugins than its worker has now; it waits for a worker that has them',
  'worker.disk_full': 'a worker has no room for the results of an assignment',
  'worker.failed': 'a worker could not do what the server asked for, for example because its disk is full',
  'worker.broken_checkpoint': 'the newest checkpoint is corrupt; resuming from an older one; a warning',
  'worker.slow_pause': 'a training has not stopped long after it was asked to pause; a warning',
  'worker.log_cut': 'a training printed more than its worker keeps; a warning',
  'worker.closing': 'an assignment reached a worker that is shutting down',
  'worker.fenced': 'a message concerns an attempt that another worker owns by now',
  'worker.unconfirmed':
    'an artifact belongs to an attempt whose lease expired, and it is not yet known whether that attempt continues',
  'worker.broken_line': 'a line of an outbox is not an event; it is skipped with a warning',
  'worker.transfer_failed': 'an artifact transfer failed and can be retried',
  'worker.transfer_refused': 'the server does not have, or does not accept, an artifact',
  // bench
  'bench.item_failed': 'a benchmark failed',
  'bench.peers_missing': 'the Python environment, a peer program or one of its packages is missing',
  'bench.peer_failed': 'a peer program failed or printed no result',
  // access
  'access.unauthenticated': 'the API key is missing, unknown or revoked',
  'access.denied': 'the role of a key does not permit the operation',
  'access.throttled':
    'one key sent too many requests or bytes, or one address too many requests or unknown keys',
  'access.too_many_sockets': 'a key has too many open sockets, or too many sockets have not authenticated',
  'access.too_many_queued': 'a key has too many queued jobs',
  'access.too_much_stored': 'the runs of a key exceed its storage quota',
  'access.too_many_operations': 'a GraphQL socket has too many operations running',
  'access.too_many_subscriptions': 'a key has too many GraphQL subscriptions running',
  'access.foreign_host': 'a request names a host that this server does not serve',
  'access.foreign_origin': 'a request comes from a page of another origin',
  'access.weak_key': 'a key in the settings is too short, revoked, or of another role',
  'access.bad_key': 'a key cannot be created or replaced as requested',
  'access.last_admin': 'the last admin key cannot be revoked',
  // graphql
  'graphql.batch': 'one request holds several operations',
  'graphql.invalid': 'a GraphQL document or its variables do not fit the schema',
  'graphql.malformed': 'a GraphQL document or request cannot be parsed',
  'graphql.too_large': 'a GraphQL document has too many tokens',
  'graphql.too_deep': 'a GraphQL operation nests fields too deeply',
  'graphql.too_many_aliases': 'a GraphQL operation has too many aliases',
  'graphql.too_many_fields': 'a GraphQL operation has too many root fields',
  'graphql.too_costly': 'a GraphQL operation exceeds the cost limit',
  // client
  'client.unreachable': 'a server does not answer',
  'client.refused': 'a server rejected a request; details.code is its code',
  // run
  'run.invalid_request': 'a request about a run has a missing value or one outside its range',
  'run.wrong_state': 'an operation is not possible in the current state of a run',
  'run.incomplete_import': 'an import ended before all its events and files arrived',
  'run.idle_devices': 'a run requests GPUs that its training will not use; a warning',
  'run.not_possible': 'an operation is not possible with this run',
  // artifact
  'artifact.invalid_path': 'an artifact path is not plain and relative',
  'artifact.invalid_body': 'an artifact was not sent as bytes',
  // backup
  'backup.not_found': 'there is nothing to back up, or a folder is not a finished backup',
  'backup.damaged': 'a file of a backup does not match its hash',
  'backup.mismatch': 'the settings do not fit what the backup holds',
  'backup.target_not_empty': 'the target folder or database is not empty',
  'backup.no_program': 'pg_dump or pg_restore is not installed',
  'backup.failed': 'a backup or restore could not read or write; nothing of it was kept',
  // control plane, from the command line
  'cli.worker_failed': 'the worker of `espalier up` exited before it connected',
  // server
  'server.not_found': 'an id does not exist, or belongs to a project that the key may not see',
  'server.internal': 'the server itself failed; its log has the details under the request id',
  'server.malformed': 'a request cannot be parsed',
  'server.not_allowed': 'an address does not support the method',
  'server.too_large': 'a body, address or headers exceed the size limit of the server',
  'server.unsupported_media_type': 'an address does not accept bodies of this type',
  'server.shutting_down': 'the server is shutting down',
  'server.already_running': 'another server uses the data folder or database',
  'server.cannot_listen': 'the server cannot listen on an address or port',
  'server.bad_cursor': '`after` is not a cursor of this list',
  'server.invalid_query': 'arguments of a query are unknown, of a wrong type or outside their range',
  'server.bad_page': 'a page size is outside its range',
  'server.database_lost': 'a database that was used before is missing, empty or corrupt',
  'server.database_unusable': 'the database cannot be opened or migrated',
  'server.database_unavailable':
    'the database is temporarily unavailable: locked, full, failing, or not answering',
  // job
  'job.wrong_state': 'an operation is not possible in the current state of a job',
  'job.invalid_request': 'a request about jobs has a missing, unknown or out-of-range value',
  'job.bad_priority': 'a priority is outside -100 to 100',
  // worker
  'worker.malformed_message': 'a message of a worker does not match the protocol',
  'worker.not_greeted': 'a worker sent a message before the handshake was complete',
  'worker.not_possible':
    'an operation is not possible with this worker, such as forgetting one that is connected',
  'worker.name_taken': 'a newer connection has taken the name of a worker',
  // event
  'event.gap': 'events of a stream do not continue the stored ones',
  // trajectory
  'trajectory.not_stored': 'the file of a trajectory has not arrived, or does not contain it',
  'trajectory.too_large': 'a trajectory exceeds the bytes that a server reads into memory',
  'trajectory.unavailable': 'a trajectory could not be read in time; retrying may help',
  'trajectory.unreadable': 'a stored trajectory file is corrupt',
  // stream
  'stream.malformed_message': 'a message of a stream client does not match the protocol',
  'stream.too_many_follows': 'a socket follows too many runs',
} as const;

export type ErrorCode = keyof typeof errorCodes;
