/** @file The rubrics that come with the server. */
import type { RatingCriterion } from '../database/entities/rating.js';

/** Criteria that people rate a trajectory by. */
export class Rubric {
  id!: string;

  title!: string;

  criteria!: readonly RatingCriterion[];
}

export const rubrics: readonly Rubric[] = [
  {
    id: 'reasoning-quality',
    title: 'Quality of the reasoning',
    criteria: [
      {
        name: 'grounded',
        question: 'Does the reasoning describe what the observations show?',
        scale: 'one-to-five',
        low: 'it could belong to any state, or invents what is not there',
        high: 'each claim about the state is right',
      },
      {
        name: 'coherent',
        question: 'Does each thought follow from the ones before it?',
        scale: 'one-to-five',
        low: 'it contradicts itself or repeats itself',
        high: 'every step follows',
      },
      {
        name: 'faithful',
        question: 'Are the actions the ones that the reasoning arrives at?',
        scale: 'yes-no',
        low: 'an action differs from its reasoning',
        high: 'all actions follow from it',
      },
      {
        name: 'plan',
        question: 'Does it plan ahead?',
        scale: 'one-to-five',
        low: 'it only reacts to the last observation',
        high: 'it names a goal and the way there, and keeps to it or says why not',
      },
    ],
  },
  {
    id: 'collapse',
    title: 'Signs of a collapse',
    criteria: [
      {
        name: 'repetitive',
        question: 'Does the text repeat itself?',
        scale: 'yes-no',
        low: '',
        high: 'phrases or whole turns come again',
      },
      {
        name: 'template',
        question: 'Would the same reasoning fit any other state?',
        scale: 'yes-no',
        low: 'it is about this one',
        high: 'it is a template',
      },
      {
        name: 'readable',
        question: 'How readable is the text?',
        scale: 'one-to-five',
        low: 'gibberish',
        high: 'clear throughout',
      },
    ],
  },
];
