WITH ss_items AS (
  SELECT i_item_id AS item_id, SUM(ss_ext_sales_price) AS rev FROM store_sales, item, date_dim
  WHERE ss_item_sk = i_item_sk AND d_date IN (SELECT d_date FROM date_dim WHERE d_week_seq = (SELECT d_week_seq FROM date_dim WHERE d_date = DATE '2000-01-03')) AND ss_sold_date_sk = d_date_sk
  GROUP BY i_item_id),
cs_items AS (
  SELECT i_item_id AS item_id, SUM(cs_ext_sales_price) AS rev FROM catalog_sales, item, date_dim
  WHERE cs_item_sk = i_item_sk AND d_date IN (SELECT d_date FROM date_dim WHERE d_week_seq = (SELECT d_week_seq FROM date_dim WHERE d_date = DATE '2000-01-03')) AND cs_sold_date_sk = d_date_sk
  GROUP BY i_item_id),
ws_items AS (
  SELECT i_item_id AS item_id, SUM(ws_ext_sales_price) AS rev FROM web_sales, item, date_dim
  WHERE ws_item_sk = i_item_sk AND d_date IN (SELECT d_date FROM date_dim WHERE d_week_seq = (SELECT d_week_seq FROM date_dim WHERE d_date = DATE '2000-01-03')) AND ws_sold_date_sk = d_date_sk
  GROUP BY i_item_id)
SELECT ss_items.item_id, ss_items.rev AS ss_rev, cs_items.rev AS cs_rev, ws_items.rev AS ws_rev, (ss_items.rev + cs_items.rev + ws_items.rev) / 3 AS average
FROM ss_items, cs_items, ws_items
WHERE ss_items.item_id = cs_items.item_id AND ss_items.item_id = ws_items.item_id
  AND ss_items.rev BETWEEN 0.5 * cs_items.rev AND 2 * cs_items.rev AND ss_items.rev BETWEEN 0.5 * ws_items.rev AND 2 * ws_items.rev AND cs_items.rev BETWEEN 0.5 * ws_items.rev AND 2 * ws_items.rev
ORDER BY ss_items.item_id, ss_rev
LIMIT 100;
