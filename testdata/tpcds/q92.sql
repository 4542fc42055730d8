SELECT SUM(ws_ext_discount_amt) AS excess
FROM web_sales, item, date_dim
WHERE i_manufact_id = 50 AND i_item_sk = ws_item_sk AND d_date BETWEEN DATE '2000-01-27' AND DATE '2000-04-26' AND d_date_sk = ws_sold_date_sk
  AND ws_ext_discount_amt > (SELECT 1.3 * AVG(ws_ext_discount_amt) FROM web_sales, date_dim WHERE ws_item_sk = i_item_sk AND d_date BETWEEN DATE '2000-01-27' AND DATE '2000-04-26' AND d_date_sk = ws_sold_date_sk)
ORDER BY excess
LIMIT 100;
