WITH year_total AS (
  SELECT c_customer_id, c_first_name, c_last_name, c_email_address, d_year, SUM(ss_ext_list_price - ss_ext_discount_amt) AS total, 's' AS channel
  FROM customer, store_sales, date_dim
  WHERE c_customer_sk = ss_customer_sk AND ss_sold_date_sk = d_date_sk
  GROUP BY c_customer_id, c_first_name, c_last_name, c_email_address, d_year
  UNION ALL
  SELECT c_customer_id, c_first_name, c_last_name, c_email_address, d_year, SUM(ws_ext_list_price - ws_ext_discount_amt), 'w'
  FROM customer, web_sales, date_dim
  WHERE c_customer_sk = ws_bill_customer_sk AND ws_sold_date_sk = d_date_sk
  GROUP BY c_customer_id, c_first_name, c_last_name, c_email_address, d_year)
SELECT s2.c_customer_id, s2.c_first_name, s2.c_last_name, s2.c_email_address
FROM year_total s1, year_total s2, year_total w1, year_total w2
WHERE s2.c_customer_id = s1.c_customer_id AND s1.c_customer_id = w2.c_customer_id AND s1.c_customer_id = w1.c_customer_id
  AND s1.channel = 's' AND w1.channel = 'w' AND s2.channel = 's' AND w2.channel = 'w'
  AND s1.d_year = 2001 AND s2.d_year = 2002 AND w1.d_year = 2001 AND w2.d_year = 2002 AND s1.total > 0 AND w1.total > 0
  AND w2.total / w1.total > s2.total / s1.total
ORDER BY s2.c_customer_id, s2.c_first_name, s2.c_last_name, s2.c_email_address
LIMIT 100;
