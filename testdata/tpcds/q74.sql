WITH year_total AS (
  SELECT c_customer_id, c_first_name, c_last_name, d_year, SUM(ss_net_paid) AS total, 's' AS channel
  FROM customer, store_sales, date_dim WHERE c_customer_sk = ss_customer_sk AND ss_sold_date_sk = d_date_sk AND d_year IN (2001, 2002)
  GROUP BY c_customer_id, c_first_name, c_last_name, d_year
  UNION ALL
  SELECT c_customer_id, c_first_name, c_last_name, d_year, SUM(ws_net_paid), 'w'
  FROM customer, web_sales, date_dim WHERE c_customer_sk = ws_bill_customer_sk AND ws_sold_date_sk = d_date_sk AND d_year IN (2001, 2002)
  GROUP BY c_customer_id, c_first_name, c_last_name, d_year)
SELECT s2.c_customer_id, s2.c_first_name, s2.c_last_name
FROM year_total s1, year_total s2, year_total w1, year_total w2
WHERE s2.c_customer_id = s1.c_customer_id AND s1.c_customer_id = w2.c_customer_id AND s1.c_customer_id = w1.c_customer_id
  AND s1.channel = 's' AND w1.channel = 'w' AND s2.channel = 's' AND w2.channel = 'w' AND s1.d_year = 2001 AND s2.d_year = 2002 AND w1.d_year = 2001 AND w2.d_year = 2002 AND s1.total > 0 AND w1.total > 0
  AND w2.total / w1.total > s2.total / s1.total
ORDER BY s2.c_customer_id, s2.c_first_name, s2.c_last_name
LIMIT 100;
