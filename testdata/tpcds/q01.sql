WITH totals AS (
  SELECT sr_customer_sk AS customer, sr_store_sk AS store_key, SUM(sr_return_amt) AS total
  FROM store_returns JOIN date_dim ON sr_returned_date_sk = d_date_sk
  WHERE d_year = 2000
  GROUP BY sr_customer_sk, sr_store_sk)
SELECT c_customer_id
FROM totals a, store, customer
WHERE a.total > (SELECT AVG(total) * 1.2 FROM totals b WHERE a.store_key = b.store_key)
  AND s_store_sk = a.store_key AND s_state = 'TN' AND a.customer = c_customer_sk
ORDER BY c_customer_id
LIMIT 100;
