WITH wss AS (
  SELECT d_week_seq, ss_store_sk,
    SUM(CASE WHEN d_day_name = 'Sunday' THEN ss_sales_price END) AS sun, SUM(CASE WHEN d_day_name = 'Monday' THEN ss_sales_price END) AS mon, SUM(CASE WHEN d_day_name = 'Tuesday' THEN ss_sales_price END) AS tue,
    SUM(CASE WHEN d_day_name = 'Wednesday' THEN ss_sales_price END) AS wed, SUM(CASE WHEN d_day_name = 'Thursday' THEN ss_sales_price END) AS thu, SUM(CASE WHEN d_day_name = 'Friday' THEN ss_sales_price END) AS fri, SUM(CASE WHEN d_day_name = 'Saturday' THEN ss_sales_price END) AS sat
  FROM store_sales, date_dim WHERE d_date_sk = ss_sold_date_sk
  GROUP BY d_week_seq, ss_store_sk)
SELECT y.s_store_name, y.s_store_id, y.d_week_seq, y.sun / x.sun, y.mon / x.mon, y.tue / x.tue, y.wed / x.wed, y.thu / x.thu, y.fri / x.fri, y.sat / x.sat
FROM (SELECT s_store_name, s_store_id, w.* FROM wss w, store, date_dim d WHERE d.d_week_seq = w.d_week_seq AND ss_store_sk = s_store_sk AND d_month_seq BETWEEN 1200 AND 1211) y,
  (SELECT s_store_name, s_store_id, w.* FROM wss w, store, date_dim d WHERE d.d_week_seq = w.d_week_seq AND ss_store_sk = s_store_sk AND d_month_seq BETWEEN 1212 AND 1223) x
WHERE y.s_store_id = x.s_store_id AND y.d_week_seq = x.d_week_seq - 52
ORDER BY y.s_store_name, y.s_store_id, y.d_week_seq
LIMIT 100;
