SELECT s_store_name, s_store_id,
  SUM(CASE WHEN d_day_name = 'Sunday' THEN ss_sales_price END) AS sun, SUM(CASE WHEN d_day_name = 'Monday' THEN ss_sales_price END) AS mon, SUM(CASE WHEN d_day_name = 'Tuesday' THEN ss_sales_price END) AS tue,
  SUM(CASE WHEN d_day_name = 'Wednesday' THEN ss_sales_price END) AS wed, SUM(CASE WHEN d_day_name = 'Thursday' THEN ss_sales_price END) AS thu, SUM(CASE WHEN d_day_name = 'Friday' THEN ss_sales_price END) AS fri, SUM(CASE WHEN d_day_name = 'Saturday' THEN ss_sales_price END) AS sat
FROM date_dim, store_sales, store
WHERE d_date_sk = ss_sold_date_sk AND s_store_sk = ss_store_sk AND s_gmt_offset IN (-5, -6) AND d_year = 2000
GROUP BY s_store_name, s_store_id
ORDER BY s_store_name, s_store_id
LIMIT 100;
