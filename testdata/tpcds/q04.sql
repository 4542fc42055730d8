WITH year_total AS (
  SELECT c_customer_id, c_first_name, c_last_name, d_year, SUM((ss_ext_list_price - ss_ext_wholesale_cost - ss_ext_discount_amt + ss_ext_sales_price) / 2) AS total, 's' AS channel
  FROM customer, store_sales, date_dim
  WHERE c_customer_sk = ss_customer_sk AND ss_sold_date_sk = d_date_sk
  GROUP BY c_customer_id, c_first_name, c_last_name, d_year
  UNION ALL
  SELECT c_customer_id, c_first_name, c_last_name, d_year, SUM((cs_ext_list_price - cs_ext_wholesale_cost - cs_ext_discount_amt + cs_ext_sales_price) / 2), 'c'
  FROM customer, catalog_sales, date_dim
  WHERE c_customer_sk = cs_bill_customer_sk AND cs_sold_date_sk = d_date_sk
  GROUP BY c_customer_id, c_first_name, c_last_name, d_year
  UNION ALL
  SELECT c_customer_id, c_first_name, c_last_name, d_year, SUM((ws_ext_list_price - ws_ext_wholesale_cost - ws_ext_discount_amt + ws_ext_sales_price) / 2), 'w'
  FROM customer, web_sales, date_dim
  WHERE c_customer_sk = ws_bill_customer_sk AND ws_sold_date_sk = d_date_sk
  GROUP BY c_customer_id, c_first_name, c_last_name, d_year)
SELECT s2.c_customer_id, s2.c_first_name, s2.c_last_name
FROM year_total s1, year_total s2, year_total c1, year_total c2, year_total w1, year_total w2
WHERE s2.c_customer_id = s1.c_customer_id AND s1.c_customer_id = c2.c_customer_id AND s1.c_customer_id = c1.c_customer_id
  AND s1.c_customer_id = w1.c_customer_id AND s1.c_customer_id = w2.c_customer_id
  AND s1.channel = 's' AND c1.channel = 'c' AND w1.channel = 'w' AND s2.channel = 's' AND c2.channel = 'c' AND w2.channel = 'w'
  AND s1.d_year = 2001 AND s2.d_year = 2002 AND c1.d_year = 2001 AND c2.d_year = 2002 AND w1.d_year = 2001 AND w2.d_year = 2002
  AND s1.total > 0 AND c1.total > 0 AND w1.total > 0
  AND c2.total / c1.total > s2.total / s1.total AND c2.total / c1.total > w2.total / w1.total
ORDER BY s2.c_customer_id, s2.c_first_name, s2.c_last_name
LIMIT 100;
