WITH ssr AS (
  SELECT s_store_id AS id, SUM(ss_ext_sales_price) AS sales, SUM(COALESCE(sr_return_amt, 0)) AS back, SUM(ss_net_profit - COALESCE(sr_net_loss, 0)) AS profit
  FROM store_sales LEFT JOIN store_returns ON ss_item_sk = sr_item_sk AND ss_ticket_number = sr_ticket_number, date_dim, store, item, promotion
  WHERE ss_sold_date_sk = d_date_sk AND d_date BETWEEN DATE '2000-08-23' AND DATE '2000-09-22' AND ss_store_sk = s_store_sk AND ss_item_sk = i_item_sk AND i_current_price > 50 AND ss_promo_sk = p_promo_sk AND p_channel_tv = 'N'
  GROUP BY s_store_id),
csr AS (
  SELECT cp_catalog_page_id AS id, SUM(cs_ext_sales_price) AS sales, SUM(COALESCE(cr_return_amount, 0)) AS back, SUM(cs_net_profit - COALESCE(cr_net_loss, 0)) AS profit
  FROM catalog_sales LEFT JOIN catalog_returns ON cs_item_sk = cr_item_sk AND cs_order_number = cr_order_number, date_dim, catalog_page, item, promotion
  WHERE cs_sold_date_sk = d_date_sk AND d_date BETWEEN DATE '2000-08-23' AND DATE '2000-09-22' AND cs_catalog_page_sk = cp_catalog_page_sk AND cs_item_sk = i_item_sk AND i_current_price > 50 AND cs_promo_sk = p_promo_sk AND p_channel_tv = 'N'
  GROUP BY cp_catalog_page_id),
wsr AS (
  SELECT web_site_id AS id, SUM(ws_ext_sales_price) AS sales, SUM(COALESCE(wr_return_amt, 0)) AS back, SUM(ws_net_profit - COALESCE(wr_net_loss, 0)) AS profit
  FROM web_sales LEFT JOIN web_returns ON ws_item_sk = wr_item_sk AND ws_order_number = wr_order_number, date_dim, web_site, item, promotion
  WHERE ws_sold_date_sk = d_date_sk AND d_date BETWEEN DATE '2000-08-23' AND DATE '2000-09-22' AND ws_web_site_sk = web_site_sk AND ws_item_sk = i_item_sk AND i_current_price > 50 AND ws_promo_sk = p_promo_sk AND p_channel_tv = 'N'
  GROUP BY web_site_id)
SELECT channel, id, SUM(sales) AS sales, SUM(back) AS back, SUM(profit) AS profit
FROM (SELECT 'store' AS channel, CONCAT('store', id) AS id, sales, back, profit FROM ssr UNION ALL SELECT 'catalog', CONCAT('catalog_page', id), sales, back, profit FROM csr UNION ALL SELECT 'web', CONCAT('web_site', id), sales, back, profit FROM wsr) x
GROUP BY channel, id WITH ROLLUP
ORDER BY channel, id
LIMIT 100;
