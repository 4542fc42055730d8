WITH totals AS (
  SELECT wr_returning_customer_sk AS customer, ca_state AS state, SUM(wr_return_amt) AS total
  FROM web_returns, date_dim, customer_address
  WHERE wr_returned_date_sk = d_date_sk AND d_year = 2002 AND wr_returning_addr_sk = ca_address_sk
  GROUP BY wr_returning_customer_sk, ca_state)
SELECT c_customer_id, c_salutation, c_first_name, c_last_name, c_preferred_cust_flag, c_birth_day, c_birth_month, c_birth_year, c_birth_country, c_email_address, total
FROM totals a, customer_address, customer
WHERE a.total > (SELECT AVG(total) * 1.2 FROM totals b WHERE a.state = b.state) AND ca_address_sk = c_current_addr_sk AND ca_state = 'GA' AND a.customer = c_customer_sk
ORDER BY c_customer_id, c_salutation, c_first_name, c_last_name, c_birth_day, c_birth_month, c_birth_year, c_email_address, total
LIMIT 100;
