WITH ws AS (
  SELECT d_year AS sold_year, ws_item_sk, ws_bill_customer_sk, SUM(ws_quantity) AS qty, SUM(ws_wholesale_cost) AS wc, SUM(ws_sales_price) AS sp
  FROM web_sales LEFT JOIN web_returns ON wr_order_number = ws_order_number AND ws_item_sk = wr_item_sk JOIN date_dim ON ws_sold_date_sk = d_date_sk WHERE wr_order_number IS NULL GROUP BY d_year, ws_item_sk, ws_bill_customer_sk),
cs AS (
  SELECT d_year AS sold_year, cs_item_sk, cs_bill_customer_sk, SUM(cs_quantity) AS qty, SUM(cs_wholesale_cost) AS wc, SUM(cs_sales_price) AS sp
  FROM catalog_sales LEFT JOIN catalog_returns ON cr_order_number = cs_order_number AND cs_item_sk = cr_item_sk JOIN date_dim ON cs_sold_date_sk = d_date_sk WHERE cr_order_number IS NULL GROUP BY d_year, cs_item_sk, cs_bill_customer_sk),
ss AS (
  SELECT d_year AS sold_year, ss_item_sk, ss_customer_sk, SUM(ss_quantity) AS qty, SUM(ss_wholesale_cost) AS wc, SUM(ss_sales_price) AS sp
  FROM store_sales LEFT JOIN store_returns ON sr_ticket_number = ss_ticket_number AND ss_item_sk = sr_item_sk JOIN date_dim ON ss_sold_date_sk = d_date_sk WHERE sr_ticket_number IS NULL GROUP BY d_year, ss_item_sk, ss_customer_sk)
SELECT ss.sold_year, ss.ss_item_sk, ss.ss_customer_sk, ROUND(ss.qty / (COALESCE(ws.qty, 0) + COALESCE(cs.qty, 0)), 2) AS ratio, ss.qty AS store_qty, ss.wc AS store_cost, ss.sp AS store_price, COALESCE(ws.qty, 0) + COALESCE(cs.qty, 0) AS other_qty, COALESCE(ws.wc, 0) + COALESCE(cs.wc, 0) AS other_cost, COALESCE(ws.sp, 0) + COALESCE(cs.sp, 0) AS other_price
FROM ss LEFT JOIN ws ON ws.sold_year = ss.sold_year AND ws_item_sk = ss_item_sk AND ws_bill_customer_sk = ss_customer_sk LEFT JOIN cs ON cs.sold_year = ss.sold_year AND cs_item_sk = ss_item_sk AND cs_bill_customer_sk = ss_customer_sk
WHERE (COALESCE(ws.qty, 0) > 0 OR COALESCE(cs.qty, 0) > 0) AND ss.sold_year = 2000
ORDER BY ss.sold_year, ss.ss_item_sk, ss.ss_customer_sk, store_qty DESC, store_cost DESC, store_price DESC, other_qty, other_cost, other_price
LIMIT 100;
