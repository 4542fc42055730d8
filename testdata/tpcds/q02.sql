WITH sales AS (
  SELECT ws_sold_date_sk AS day, ws_ext_sales_price AS price FROM web_sales
  UNION ALL
  SELECT cs_sold_date_sk, cs_ext_sales_price FROM catalog_sales),
weeks AS (
  SELECT d_week_seq,
    SUM(CASE WHEN d_day_name = 'Sunday' THEN price END) AS sun, SUM(CASE WHEN d_day_name = 'Monday' THEN price END) AS mon,
    SUM(CASE WHEN d_day_name = 'Tuesday' THEN price END) AS tue, SUM(CASE WHEN d_day_name = 'Wednesday' THEN price END) AS wed,
    SUM(CASE WHEN d_day_name = 'Thursday' THEN price END) AS thu, SUM(CASE WHEN d_day_name = 'Friday' THEN price END) AS fri,
    SUM(CASE WHEN d_day_name = 'Saturday' THEN price END) AS sat
  FROM sales, date_dim WHERE d_date_sk = day
  GROUP BY d_week_seq)
SELECT a.d_week_seq, ROUND(a.sun / b.sun, 2), ROUND(a.mon / b.mon, 2), ROUND(a.tue / b.tue, 2), ROUND(a.wed / b.wed, 2), ROUND(a.thu / b.thu, 2), ROUND(a.fri / b.fri, 2), ROUND(a.sat / b.sat, 2)
FROM (SELECT w.* FROM weeks w JOIN date_dim d ON w.d_week_seq = d.d_week_seq WHERE d_year = 1999) a
JOIN (SELECT w.* FROM weeks w JOIN date_dim d ON w.d_week_seq = d.d_week_seq WHERE d_year = 2000) b ON a.d_week_seq = b.d_week_seq - 53
ORDER BY a.d_week_seq;
