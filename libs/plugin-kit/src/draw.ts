/** @file Pictures of states: shapes, tiles, grids of cells and pages of text on an RGB raster, and their PNG bytes. */
export { grid, type GridCell, type GridStyle } from './draw/grid.js';
export { page, type PageLine, type PageStyle } from './draw/page.js';
export { type PictureLimits, pictureFinding, pictureLimits, png, readPng } from './draw/png.js';
export { type Color, colorAt, disc, fill, type Raster, raster } from './draw/raster.js';
export { text, textSize } from './draw/text.js';
export { type Shape, tiles } from './draw/tiles.js';
