SELECT channel, item, return_ratio, return_rank, currency_rank
FROM (
  SELECT 'web' AS channel, item, return_ratio, return_rank, currency_rank
  FROM (SELECT item, return_ratio, currency_ratio, RANK() OVER (ORDER BY return_ratio) AS return_rank, RANK() OVER (ORDER BY currency_ratio) AS currency_rank
    FROM (SELECT ws_item_sk AS item, SUM(COALESCE(wr_return_quantity, 0)) / SUM(COALESCE(ws_quantity, 0)) AS return_ratio, SUM(COALESCE(wr_return_amt, 0)) / SUM(COALESCE(ws_net_paid, 0)) AS currency_ratio
      FROM web_sales LEFT JOIN web_returns ON ws_order_number = wr_order_number AND ws_item_sk = wr_item_sk, date_dim
      WHERE wr_return_amt > 1000 AND ws_net_profit > 1 AND ws_net_paid > 0 AND ws_quantity > 0 AND ws_sold_date_sk = d_date_sk AND d_year = 2001 AND d_moy = 12
      GROUP BY ws_item_sk) in_web) web
  WHERE return_rank <= 10 OR currency_rank <= 10
  UNION
  SELECT 'catalog', item, return_ratio, return_rank, currency_rank
  FROM (SELECT item, return_ratio, currency_ratio, RANK() OVER (ORDER BY return_ratio) AS return_rank, RANK() OVER (ORDER BY currency_ratio) AS currency_rank
    FROM (SELECT cs_item_sk AS item, SUM(COALESCE(cr_return_quantity, 0)) / SUM(COALESCE(cs_quantity, 0)) AS return_ratio, SUM(COALESCE(cr_return_amount, 0)) / SUM(COALESCE(cs_net_paid, 0)) AS currency_ratio
      FROM catalog_sales LEFT JOIN catalog_returns ON cs_order_number = cr_order_number AND cs_item_sk = cr_item_sk, date_dim
      WHERE cr_return_amount > 1000 AND cs_net_profit > 1 AND cs_net_paid > 0 AND cs_quantity > 0 AND cs_sold_date_sk = d_date_sk AND d_year = 2001 AND d_moy = 12
      GROUP BY cs_item_sk) in_cat) cat
  WHERE return_rank <= 10 OR currency_rank <= 10
  UNION
  SELECT 'store', item, return_ratio, return_rank, currency_rank
  FROM (SELECT item, return_ratio, currency_ratio, RANK() OVER (ORDER BY return_ratio) AS return_rank, RANK() OVER (ORDER BY currency_ratio) AS currency_rank
    FROM (SELECT ss_item_sk AS item, SUM(COALESCE(sr_return_quantity, 0)) / SUM(COALESCE(ss_quantity, 0)) AS return_ratio, SUM(COALESCE(sr_return_amt, 0)) / SUM(COALESCE(ss_net_paid, 0)) AS currency_ratio
      FROM store_sales LEFT JOIN store_returns ON ss_ticket_number = sr_ticket_number AND ss_item_sk = sr_item_sk, date_dim
      WHERE sr_return_amt > 1000 AND ss_net_profit > 1 AND ss_net_paid > 0 AND ss_quantity > 0 AND ss_sold_date_sk = d_date_sk AND d_year = 2001 AND d_moy = 12
      GROUP BY ss_item_sk) in_store) st
  WHERE return_rank <= 10 OR currency_rank <= 10) t
ORDER BY channel, return_rank, currency_rank, item
LIMIT 100;
