SELECT gross_margin, i_category, i_class, lochierarchy, place
FROM (SELECT gross_margin, i_category, i_class, lochierarchy, RANK() OVER (PARTITION BY lochierarchy, CASE WHEN g_class = 0 THEN i_category END ORDER BY gross_margin) AS place
  FROM (SELECT SUM(ss_net_profit) / SUM(ss_ext_sales_price) AS gross_margin, i_category, i_class, GROUPING(i_category) + GROUPING(i_class) AS lochierarchy, GROUPING(i_class) AS g_class
    FROM store_sales, date_dim, item, store
    WHERE d_year = 2001 AND d_date_sk = ss_sold_date_sk AND i_item_sk = ss_item_sk AND s_store_sk = ss_store_sk AND s_state IN ('TN', 'SD', 'AL', 'GA', 'OH')
    GROUP BY i_category, i_class WITH ROLLUP) t) u
ORDER BY lochierarchy DESC, CASE WHEN lochierarchy = 0 THEN i_category END, place, i_category, i_class
LIMIT 100;
