/** @file Errors of training: configuration, models, graphs, plugins, rollouts, run folders. */
import type { ErrorRow } from './error-row.js';

export const trainingErrors = {
  // contracts
  'contracts.invalid_value': {
    meaning: 'a value is outside its documented range',
    exit: 'invalid',
    status: 422,
    refusals: ['InvalidInput'],
  },
  'contracts.unsafe_path': {
    meaning: 'a file path is not plain and relative, or leads out of its folder',
    exit: 'invalid',
    status: 422,
    refusals: ['InvalidInput'],
  },
  // config
  'config.unreadable': {
    meaning: 'a configuration file is missing, unreadable or not YAML',
    exit: 'invalid',
    status: 422,
    refusals: ['InvalidInput'],
  },
  'config.unknown_key': {
    meaning: 'no schema knows a key; the message names the nearest one',
    exit: 'invalid',
    status: 422,
    refusals: ['InvalidInput'],
  },
  'config.wrong_type': {
    meaning: 'a value has the wrong type or is outside its range',
    exit: 'invalid',
    status: 422,
    refusals: ['InvalidInput'],
  },
  'config.derived_key': {
    meaning: 'a configuration sets a derived value',
    exit: 'invalid',
    status: 422,
    refusals: ['InvalidInput'],
  },
  'config.impossible_budget': {
    meaning: 'settings contradict each other (batch, vocabulary, context)',
    exit: 'invalid',
    status: 422,
    refusals: ['InvalidInput'],
  },
  // graph
  'graph.shape_mismatch': { meaning: 'operand shapes do not fit', exit: 'failed' },
  'graph.dtype_mismatch': { meaning: 'operands have the wrong dtype, or different ones', exit: 'failed' },
  'graph.invalid_axis': { meaning: 'a tensor has no such axis', exit: 'failed' },
  'graph.invalid_size': { meaning: 'a name is not valid as a size', exit: 'failed' },
  'graph.unbound_size': { meaning: 'no input determines a named size', exit: 'failed' },
  'graph.duplicate_name': { meaning: 'two inputs or two outputs have the same name', exit: 'failed' },
  'graph.foreign_tensor': { meaning: 'a tensor is used in a graph it does not belong to', exit: 'failed' },
  'graph.no_operand': { meaning: 'none of the operands of an operator is a tensor', exit: 'failed' },
  'graph.missing_gradient': {
    meaning: 'an operator declares neither a gradient nor a reason for having none',
    exit: 'failed',
  },
  'graph.no_gradient': { meaning: 'an operator without a gradient is differentiated', exit: 'failed' },
  'graph.loss_not_scalar': {
    meaning: 'a tensor with several entries is differentiated without a seed',
    exit: 'failed',
  },
  'graph.index_out_of_range': {
    meaning: 'an index is outside its axis, in the reference interpreter',
    exit: 'failed',
  },
  'graph.missing_feed': { meaning: 'an input has no numbers, in the reference interpreter', exit: 'failed' },
  'graph.illegal': { meaning: 'a graph breaks a rule of `check`', exit: 'failed' },
  // model
  'model.not_allowed': {
    meaning: 'a model folder is outside the model roots of a server or worker',
    exit: 'invalid',
    status: 422,
    refusals: ['InvalidInput'],
    severity: 'error',
  },
  'model.not_found': {
    meaning: 'there is no model folder at a path',
    exit: 'notFound',
    status: 422,
    refusals: ['InvalidInput'],
    severity: 'warning',
  },
  'model.unsupported_config': {
    meaning: 'a model configuration is malformed or unsupported',
    exit: 'invalid',
    status: 422,
    refusals: ['InvalidInput'],
  },
  'model.malformed_safetensors': {
    meaning: 'a safetensors file is malformed or holds NaN or infinity',
    exit: 'invalid',
    status: 422,
    refusals: ['InvalidInput'],
  },
  'model.malformed_tokenizer': {
    meaning: 'a tokenizer or chat template cannot be used',
    exit: 'invalid',
    status: 422,
    refusals: ['InvalidInput'],
  },
  'model.malformed_config': {
    meaning: 'files of a model folder are missing, unreadable or inconsistent',
    exit: 'invalid',
    status: 422,
    refusals: ['InvalidInput'],
  },
  'model.malformed_gguf': {
    meaning: 'a GGUF file is malformed, cut short or holds NaN or infinity',
    exit: 'invalid',
    status: 422,
    refusals: ['InvalidInput'],
  },
  'model.unsupported_gguf': {
    meaning: 'a GGUF file has a version, architecture, tokenizer or number format that is not supported',
    exit: 'invalid',
    status: 422,
    refusals: ['InvalidInput'],
  },
  'model.malformed_adapter': {
    meaning: 'files or tensors of a LoRA adapter are missing, inconsistent or of a wrong shape',
    exit: 'invalid',
    status: 422,
    refusals: ['InvalidInput'],
  },
  'model.unsupported_adapter': {
    meaning: 'the configuration of an adapter asks for what is not supported',
    exit: 'invalid',
    status: 422,
    refusals: ['InvalidInput'],
  },
  'model.adapter_mismatch': {
    meaning: 'an adapter was trained on another model than the one it is used with',
    exit: 'invalid',
    status: 422,
    refusals: ['InvalidInput'],
  },
  'model.folder_exists': { meaning: 'a new model folder exists already and is not empty', exit: 'invalid' },
  'model.disk_full': {
    meaning: 'a disk has no room for a new model folder or file, of which nothing is left, or for a download',
    exit: 'temporary',
    retry: true,
  },
  'model.write_failed': {
    meaning: 'the system refused to write a new model folder or file; nothing is left of it',
    exit: 'temporary',
    retry: true,
  },
  'model.unreadable': { meaning: 'the system refused to read a file of a model', exit: 'invalid' },
  // hub
  'hub.denied': {
    meaning: 'a model of a hub is gated or private, or the token is not valid',
    exit: 'denied',
  },
  'hub.not_found': { meaning: 'a hub has no such repository or revision', exit: 'notFound' },
  'hub.not_allowed': {
    meaning: 'a worker does not download models of this owner',
    exit: 'invalid',
    severity: 'error',
  },
  'hub.unsupported_repository': {
    meaning: 'a repository lacks files that a model needs, such as safetensors',
    exit: 'invalid',
  },
  'hub.offline': {
    meaning: 'a hub cannot be reached and the model is not cached',
    exit: 'unavailable',
    retry: true,
  },
  'hub.rate_limited': {
    meaning: 'a hub answers that there were too many requests',
    exit: 'temporary',
    retry: true,
  },
  'hub.unavailable': {
    meaning: 'a hub fails, or answers with something else',
    exit: 'unavailable',
    retry: true,
  },
  'hub.corrupt': {
    meaning: 'a downloaded file does not match its hash or size',
    exit: 'failed',
    retry: true,
  },
  'hub.unusable_cache': {
    meaning: 'the system refuses to read or write the cache of a hub',
    exit: 'invalid',
  },
  'hub.busy': { meaning: 'another process downloads the file', exit: 'temporary', retry: true },
  // objective
  'objective.length_mismatch': { meaning: 'arrays that belong together differ in length', exit: 'failed' },
  'objective.missing_column': {
    meaning: 'a loss is built without a per-token input that it lists',
    exit: 'failed',
  },
  // plugin
  'plugin.not_found': {
    meaning: 'no plugin of this kind and id is installed',
    exit: 'notFound',
    status: 422,
    refusals: ['InvalidInput', 'NotPossible'],
  },
  'plugin.not_allowed': {
    meaning: 'a spec chooses programs or folders of plugins, which a server leaves to who installs it',
    exit: 'invalid',
    status: 422,
    refusals: ['InvalidInput'],
  },
  'plugin.duplicate_id': {
    meaning: 'two plugins of one kind share an id',
    exit: 'invalid',
    status: 422,
    refusals: ['NotPossible'],
  },
  'plugin.version_mismatch': {
    meaning: 'a plugin requires another version of the kit',
    exit: 'invalid',
    status: 422,
    refusals: ['NotPossible'],
  },
  'plugin.invalid_definition': {
    meaning: 'a default export is not a definition',
    exit: 'invalid',
    status: 422,
    refusals: ['InvalidInput', 'NotPossible'],
  },
  'plugin.unknown_action': {
    meaning: 'the environment has no such action',
    exit: 'invalid',
    status: 422,
    refusals: ['NotPossible'],
  },
  'plugin.unreadable': {
    meaning: 'the list of plugins or a plugin package cannot be read or loaded',
    exit: 'invalid',
    status: 422,
    refusals: ['NotPossible'],
  },
  'plugin.changed': {
    meaning: 'a run is resumed with other plugins than it was started with',
    exit: 'invalid',
    status: 409,
    refusals: ['NotPossible'],
    severity: 'warning',
  },
  'plugin.failed': {
    meaning: 'a plugin threw, or returned an invalid value',
    exit: 'failed',
    status: 422,
    refusals: ['InvalidInput', 'NotPossible'],
  },
  'plugin.timeout': {
    meaning: 'a plugin call exceeded its time limit',
    exit: 'failed',
    status: 422,
    refusals: ['InvalidInput', 'NotPossible'],
  },
  'plugin.budget_exhausted': {
    meaning: 'a plugin has spent what its options allow, such as requests to a judge',
    exit: 'failed',
    status: 422,
    refusals: ['InvalidInput', 'NotPossible'],
  },
  'plugin.catalogue_unavailable': {
    meaning: 'the process that loads plugins for the server does not answer',
    exit: 'failed',
    status: 503,
    retry: true,
    refusals: ['NotPossible'],
  },
  // rollout
  'rollout.unsupported_template': {
    meaning:
      'a chat template rewrites earlier text as a conversation grows, or ends replies with no stop token',
    exit: 'invalid',
  },
  'rollout.not_repeatable': {
    meaning: 'a stored trajectory cannot be played again up to one of its turns',
    exit: 'invalid',
    status: 422,
    refusals: ['NotPossible'],
  },
  'rollout.cancelled': { meaning: 'a signal stopped a rollout', exit: 'temporary', retry: true },
  'rollout.too_many_errors': { meaning: 'the share of failed episodes exceeded its limit', exit: 'failed' },
  // trainer
  'trainer.disk_full': {
    meaning: 'the disk has no room for the checkpoints of a run; nothing was started',
    exit: 'temporary',
    retry: true,
  },
  'trainer.corrupt_checkpoint': {
    meaning: 'a checkpoint does not match its manifest, or no run can resume from its files',
    exit: 'invalid',
    severity: 'error',
  },
  'trainer.corrupt_run': {
    meaning: 'a file of a run folder, outside its checkpoints, is corrupt',
    exit: 'invalid',
    severity: 'error',
  },
  'trainer.write_failed': {
    meaning: 'a file of a run cannot be written; the message says what is safe',
    exit: 'temporary',
    retry: true,
  },
  'trainer.run_locked': { meaning: 'another process holds the run folder', exit: 'temporary', retry: true },
  'trainer.run_exists': {
    meaning: 'a new run is started in a folder that already holds one',
    exit: 'invalid',
  },
  'trainer.nothing_to_resume': {
    meaning: 'the folder to resume from has no valid checkpoint',
    exit: 'notFound',
  },
  'trainer.resume_mismatch': {
    meaning: 'a run is resumed with another spec or starting model than it was started with',
    exit: 'invalid',
  },
  'trainer.device_changed': {
    meaning:
      'a resumed run goes on with another provider, precision or sampling than it was saved with, so that its numbers are others; a warning',
    exit: 'failed',
    severity: 'warning',
  },
  'trainer.fork_mismatch': { meaning: 'a fork cannot continue with its settings', exit: 'invalid' },
  'trainer.validation_failed': {
    meaning: 'an environment that is only validated failed; the others and the training go on',
    exit: 'failed',
    severity: 'warning',
  },
  'trainer.missing_column': {
    meaning: 'a loss reads a column that this algorithm does not receive',
    exit: 'invalid',
  },
  'trainer.no_signal': {
    meaning:
      'no group of an iteration gave a learning signal, so the policy learned nothing from what was played; a warning',
    exit: 'failed',
    severity: 'warning',
  },
  // monitor
  'monitor.warning': {
    meaning: 'the collapse monitor warns: a rule fires; a warning',
    exit: 'failed',
    severity: 'warning',
  },
  'monitor.collapsed': {
    meaning: 'the collapse monitor finds that the run has collapsed; a warning',
    exit: 'failed',
    severity: 'error',
  },
  'monitor.no_probes': {
    meaning:
      'drift from the start cannot be measured in a run: it has no fixed prompts, or its checkpoint lacks them; a warning',
    exit: 'failed',
    severity: 'warning',
  },
  'monitor.rolled_back': {
    meaning: 'the collapse monitor returned a run to its last healthy checkpoint; a warning',
    exit: 'failed',
    severity: 'warning',
  },
  'monitor.cannot_roll_back': {
    meaning:
      'a run cannot return to a healthy checkpoint: none is left, or it has done so as often as it may; a warning',
    exit: 'failed',
    severity: 'error',
  },
  // metrics
  'metrics.dropped': {
    meaning: 'metrics have invalid names, or a run has too many names of metrics; a warning',
    exit: 'failed',
    severity: 'warning',
  },
  // recorder
  'recorder.write_failed': { meaning: 'a log of a run cannot be written', exit: 'temporary', retry: true },
  'recorder.corrupt_log': {
    meaning: 'a log of a run is unreadable, or shorter than its checkpoint expects',
    exit: 'invalid',
  },
} as const satisfies Readonly<Record<string, ErrorRow>>;
