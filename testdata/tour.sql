-- The main job of gsql on small extracts of real files: run it with
--   go run ./cmd/gsql -f testdata/tour.sql
.mode box

-- Which airports had the most departures? (equi-join of a Parquet and a CSV file, GROUP BY, ORDER BY, LIMIT)
SELECT a.name, a.city, a.state, COUNT(*) AS departures
FROM `testdata/flights.parquet` f JOIN `testdata/airports.csv` a ON f.origin = a.iata
GROUP BY a.iata, a.name, a.city, a.state
ORDER BY departures DESC LIMIT 5;

EXPLAIN SELECT a.name, a.city, a.state, COUNT(*) AS departures
FROM `testdata/flights.parquet` f JOIN `testdata/airports.csv` a ON f.origin = a.iata
GROUP BY a.iata, a.name, a.city, a.state
ORDER BY departures DESC LIMIT 5;

-- How many pairs of zip codes lie within 0.1 degrees of each other? (band theta-join, aggregate on top)
SELECT COUNT(*) AS pairs
FROM `testdata/zipcodes.csv` a JOIN `testdata/zipcodes.csv` b
  ON b.latitude BETWEEN a.latitude - 0.1 AND a.latitude + 0.1
 AND b.longitude BETWEEN a.longitude - 0.1 AND a.longitude + 0.1;

EXPLAIN SELECT COUNT(*) AS pairs
FROM `testdata/zipcodes.csv` a JOIN `testdata/zipcodes.csv` b
  ON b.latitude BETWEEN a.latitude - 0.1 AND a.latitude + 0.1
 AND b.longitude BETWEEN a.longitude - 0.1 AND a.longitude + 0.1;
