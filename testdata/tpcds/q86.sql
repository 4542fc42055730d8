SELECT total, i_category, i_class, lochierarchy, place
FROM (SELECT total, i_category, i_class, lochierarchy, RANK() OVER (PARTITION BY lochierarchy, CASE WHEN g_class = 0 THEN i_category END ORDER BY total DESC) AS place
  FROM (SELECT SUM(ws_net_paid) AS total, i_category, i_class, GROUPING(i_category) + GROUPING(i_class) AS lochierarchy, GROUPING(i_class) AS g_class
    FROM web_sales, date_dim, item WHERE d_month_seq BETWEEN 1200 AND 1211 AND d_date_sk = ws_sold_date_sk AND i_item_sk = ws_item_sk
    GROUP BY i_category, i_class WITH ROLLUP) t) u
ORDER BY lochierarchy DESC, CASE WHEN lochierarchy = 0 THEN i_category END, place
LIMIT 100;
