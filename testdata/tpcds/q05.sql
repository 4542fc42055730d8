WITH ssr AS (
  SELECT s_store_id, SUM(price) AS sales, SUM(profit) AS profit, SUM(back) AS back, SUM(loss) AS loss
  FROM (SELECT ss_store_sk AS k, ss_sold_date_sk AS day, ss_ext_sales_price AS price, ss_net_profit AS profit, 0.00 AS back, 0.00 AS loss FROM store_sales
    UNION ALL SELECT sr_store_sk, sr_returned_date_sk, 0.00, 0.00, sr_return_amt, sr_net_loss FROM store_returns) t, date_dim, store
  WHERE day = d_date_sk AND d_date BETWEEN DATE '2000-08-23' AND DATE '2000-09-06' AND k = s_store_sk
  GROUP BY s_store_id),
csr AS (
  SELECT cp_catalog_page_id, SUM(price) AS sales, SUM(profit) AS profit, SUM(back) AS back, SUM(loss) AS loss
  FROM (SELECT cs_catalog_page_sk AS k, cs_sold_date_sk AS day, cs_ext_sales_price AS price, cs_net_profit AS profit, 0.00 AS back, 0.00 AS loss FROM catalog_sales
    UNION ALL SELECT cr_catalog_page_sk, cr_returned_date_sk, 0.00, 0.00, cr_return_amount, cr_net_loss FROM catalog_returns) t, date_dim, catalog_page
  WHERE day = d_date_sk AND d_date BETWEEN DATE '2000-08-23' AND DATE '2000-09-06' AND k = cp_catalog_page_sk
  GROUP BY cp_catalog_page_id),
wsr AS (
  SELECT web_site_id, SUM(price) AS sales, SUM(profit) AS profit, SUM(back) AS back, SUM(loss) AS loss
  FROM (SELECT ws_web_site_sk AS k, ws_sold_date_sk AS day, ws_ext_sales_price AS price, ws_net_profit AS profit, 0.00 AS back, 0.00 AS loss FROM web_sales
    UNION ALL SELECT ws_web_site_sk, wr_returned_date_sk, 0.00, 0.00, wr_return_amt, wr_net_loss FROM web_returns LEFT JOIN web_sales ON wr_item_sk = ws_item_sk AND wr_order_number = ws_order_number) t, date_dim, web_site
  WHERE day = d_date_sk AND d_date BETWEEN DATE '2000-08-23' AND DATE '2000-09-06' AND k = web_site_sk
  GROUP BY web_site_id)
SELECT channel, id, SUM(sales) AS sales, SUM(back) AS back, SUM(profit) AS profit
FROM (SELECT 'store' AS channel, CONCAT('store', s_store_id) AS id, sales, back, profit - loss AS profit FROM ssr
  UNION ALL SELECT 'catalog', CONCAT('catalog_page', cp_catalog_page_id), sales, back, profit - loss FROM csr
  UNION ALL SELECT 'web', CONCAT('web_site', web_site_id), sales, back, profit - loss FROM wsr) x
GROUP BY channel, id WITH ROLLUP
ORDER BY channel, id
LIMIT 100;
