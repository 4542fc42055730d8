WITH ssci AS (
  SELECT ss_customer_sk AS customer_key, ss_item_sk AS item_key FROM store_sales, date_dim WHERE ss_sold_date_sk = d_date_sk AND d_month_seq BETWEEN 1200 AND 1211 GROUP BY ss_customer_sk, ss_item_sk),
csci AS (
  SELECT cs_bill_customer_sk AS customer_key, cs_item_sk AS item_key FROM catalog_sales, date_dim WHERE cs_sold_date_sk = d_date_sk AND d_month_seq BETWEEN 1200 AND 1211 GROUP BY cs_bill_customer_sk, cs_item_sk)
SELECT SUM(CASE WHEN ssci.customer_key IS NOT NULL AND csci.customer_key IS NULL THEN 1 ELSE 0 END) AS store_only, SUM(CASE WHEN ssci.customer_key IS NULL AND csci.customer_key IS NOT NULL THEN 1 ELSE 0 END) AS catalog_only, SUM(CASE WHEN ssci.customer_key IS NOT NULL AND csci.customer_key IS NOT NULL THEN 1 ELSE 0 END) AS both_channels
FROM ssci FULL JOIN csci ON ssci.customer_key = csci.customer_key AND ssci.item_key = csci.item_key;
