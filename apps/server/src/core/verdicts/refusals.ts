/** @file Expected errors of ratings. */
import { AppError } from '@espalier/contracts';

export const invalidRating = (message: string): AppError => new AppError('server.invalid_input', message);

export const ratingNotPossible = (message: string): AppError => new AppError('rating.not_possible', message);

export const nothingToRate = (message: string): AppError => new AppError('rating.nothing_to_rate', message);
