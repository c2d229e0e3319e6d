/** @file Patterns of tasks over Chinook, a digital music shop with eleven tables. */
import type { Template } from './templates.js';

const byCustomer = `SELECT FirstName || ' ' || LastName, CustomerId FROM Customer`;
const byArtist = 'SELECT Name FROM Artist WHERE ArtistId IN (SELECT ArtistId FROM Album)';
const byAlbum = 'SELECT Title, ArtistId FROM Album GROUP BY Title HAVING count(*) = 1';
const byCountry = 'SELECT DISTINCT Country FROM Customer';
const byGenre = 'SELECT Name FROM Genre';

/** Patterns of tasks over Chinook. */
export const chinookTemplates: readonly Template[] = [
  {
    question: 'How many albums of the artist "{0}" are there?',
    query: 'SELECT count(*) FROM Album JOIN Artist USING (ArtistId) WHERE Artist.Name = {0}',
    values: byArtist,
  },
  {
    question: 'Who is the artist of the album "{0}"?',
    query: 'SELECT Artist.Name FROM Album JOIN Artist USING (ArtistId) WHERE Title = {0}',
    values: byAlbum,
  },
  {
    question: 'How many tracks does the album "{0}" have, and how many milliseconds do they last together?',
    query: 'SELECT count(*), sum(Milliseconds) FROM Track JOIN Album USING (AlbumId) WHERE Title = {0}',
    values: byAlbum,
  },
  {
    question: 'What is the longest track of the album "{0}"?',
    query: `SELECT Track.Name FROM Track JOIN Album USING (AlbumId) WHERE Title = {0} ORDER BY Milliseconds DESC LIMIT 1`,
    values: byAlbum,
  },
  {
    question: 'How many customers come from {0}?',
    query: 'SELECT count(*) FROM Customer WHERE Country = {0}',
    values: byCountry,
  },
  {
    question: 'What is the total of all invoices billed to {0}?',
    query: 'SELECT sum(Total) FROM Invoice WHERE BillingCountry = {0}',
    values: 'SELECT DISTINCT BillingCountry FROM Invoice',
  },
  {
    question: 'How much has the customer {0} (id {1}) spent in all, and on how many invoices?',
    query: 'SELECT sum(Total), count(*) FROM Invoice WHERE CustomerId = {1}',
    values: byCustomer,
  },
  {
    question: 'Who is the support employee of the customer {0} (id {1})? Give first and last name.',
    query: `SELECT e.FirstName, e.LastName FROM Customer c JOIN Employee e ON e.EmployeeId = c.SupportRepId WHERE CustomerId = {1}`,
    values: byCustomer,
  },
  {
    question: 'How many tracks of the genre {0} were sold, counting quantities?',
    query: `SELECT sum(l.Quantity) FROM InvoiceLine l JOIN Track t ON t.TrackId = l.TrackId JOIN Genre g ON g.GenreId = t.GenreId
WHERE g.Name = {0}`,
    values: `SELECT DISTINCT g.Name FROM Genre g JOIN Track USING (GenreId) JOIN InvoiceLine USING (TrackId)`,
  },
  {
    question: 'What is the average length in milliseconds of the tracks of the genre {0}?',
    query: 'SELECT avg(Milliseconds) FROM Track JOIN Genre USING (GenreId) WHERE Genre.Name = {0}',
    values: byGenre,
  },
  {
    question: 'On how many playlists is the track "{0}" (id {1})?',
    query: 'SELECT count(*) FROM PlaylistTrack WHERE TrackId = {1}',
    values: 'SELECT Name, TrackId FROM Track WHERE TrackId % 7 = 0',
  },
  {
    question: 'Which genres has the artist "{0}" tracks of?',
    query: `SELECT DISTINCT g.Name FROM Artist a JOIN Album b ON b.ArtistId = a.ArtistId JOIN Track t ON t.AlbumId = b.AlbumId
JOIN Genre g ON g.GenreId = t.GenreId WHERE a.Name = {0}`,
    values: byArtist,
  },
  {
    question:
      'List the three most expensive invoices of the customer {0} (id {1}): id and total, the most expensive first, of equal totals the lower id.',
    query:
      'SELECT InvoiceId, Total FROM Invoice WHERE CustomerId = {1} ORDER BY Total DESC, InvoiceId LIMIT 3',
    values: byCustomer,
  },
  {
    question:
      'Which composer wrote the most tracks of the genre {0}? Leave out tracks without one; name all with as many.',
    query: `WITH n AS (SELECT Composer, count(*) AS k FROM Track JOIN Genre USING (GenreId) WHERE Genre.Name = {0}
AND Composer IS NOT NULL GROUP BY Composer) SELECT Composer FROM n WHERE k = (SELECT max(k) FROM n)`,
    values: byGenre,
  },
  {
    question: 'How many tracks of the genre {0} have no composer?',
    query:
      'SELECT count(*) FROM Track JOIN Genre USING (GenreId) WHERE Genre.Name = {0} AND Composer IS NULL',
    values: byGenre,
  },
  {
    question: 'The customer {0} (id {1}) has the new email address new{1}@example.com.',
    change: [`UPDATE Customer SET Email = 'new' || {1} || '@example.com' WHERE CustomerId = {1}`],
    values: byCustomer,
  },
  {
    question: 'Rename the genre {0} to "{0} Music".',
    change: [`UPDATE Genre SET Name = {0} || ' Music' WHERE Name = {0}`],
    values: byGenre,
  },
  {
    question: 'Add an album with the id {1}, called "Live", of the artist "{0}".',
    change: [`INSERT INTO Album (AlbumId, Title, ArtistId) VALUES ({1}, 'Live', {2})`],
    values:
      'SELECT Name, 1000 + ArtistId, ArtistId FROM Artist WHERE Name NOT IN (SELECT Name FROM Artist GROUP BY Name HAVING count(*) > 1)',
  },
  {
    question: 'Delete the invoice {0} together with its lines.',
    change: ['DELETE FROM InvoiceLine WHERE InvoiceId = {0}', 'DELETE FROM Invoice WHERE InvoiceId = {0}'],
    values: 'SELECT InvoiceId FROM Invoice',
  },
  {
    question: 'Take the track "{0}" (id {1}) off all playlists.',
    change: ['DELETE FROM PlaylistTrack WHERE TrackId = {1}'],
    values: 'SELECT Name, TrackId FROM Track WHERE TrackId % 11 = 0',
  },
  {
    question: 'Set the unit price of all tracks of the album "{0}" to 1.49.',
    change: [
      'UPDATE Track SET UnitPrice = 1.49 WHERE AlbumId = (SELECT AlbumId FROM Album WHERE Title = {0})',
    ],
    values: byAlbum,
  },
  {
    question: 'Make the employee {0} (id {1}) the support employee of all customers from {2}.',
    change: ['UPDATE Customer SET SupportRepId = {1} WHERE Country = {2}'],
    values: `SELECT e.FirstName || ' ' || e.LastName, e.EmployeeId, c.Country FROM Employee e, (SELECT DISTINCT Country FROM Customer) c
WHERE e.Title = 'Sales Support Agent'`,
  },
];
