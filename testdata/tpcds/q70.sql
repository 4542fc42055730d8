SELECT total, s_state, s_county, lochierarchy, place
FROM (SELECT total, s_state, s_county, lochierarchy, RANK() OVER (PARTITION BY lochierarchy, CASE WHEN g_county = 0 THEN s_state END ORDER BY total DESC) AS place
  FROM (SELECT SUM(ss_net_profit) AS total, s_state, s_county, GROUPING(s_state) + GROUPING(s_county) AS lochierarchy, GROUPING(s_county) AS g_county
    FROM store_sales, date_dim, store
    WHERE d_month_seq BETWEEN 1200 AND 1211 AND d_date_sk = ss_sold_date_sk AND s_store_sk = ss_store_sk
      AND s_state IN (SELECT s_state FROM (SELECT s_state, RANK() OVER (PARTITION BY s_state ORDER BY SUM(ss_net_profit) DESC) AS ranking FROM store_sales, store, date_dim
        WHERE d_month_seq BETWEEN 1200 AND 1211 AND d_date_sk = ss_sold_date_sk AND s_store_sk = ss_store_sk GROUP BY s_state) tmp WHERE ranking <= 5)
    GROUP BY s_state, s_county WITH ROLLUP) t) u
ORDER BY lochierarchy DESC, CASE WHEN lochierarchy = 0 THEN s_state END, place
LIMIT 100;
