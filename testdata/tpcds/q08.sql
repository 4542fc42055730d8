SELECT s_store_name, SUM(ss_net_profit) AS profit
FROM store_sales, date_dim, store, (
  SELECT ca_zip FROM (
    SELECT SUBSTRING(ca_zip, 1, 5) AS ca_zip FROM customer_address
    WHERE SUBSTRING(ca_zip, 1, 5) IN ('10000', '10199', '10398', '10597', '10796', '10995', '20945', '21144', '35870', '36069', '41043', '50000', '60346', '70097', '80047', '89401', '11990', '21940', '31890', '61740')
    INTERSECT
    SELECT ca_zip FROM (
      SELECT SUBSTRING(ca_zip, 1, 5) AS ca_zip, COUNT(*) AS cnt FROM customer_address, customer
      WHERE ca_address_sk = c_current_addr_sk AND c_preferred_cust_flag = 'Y'
      GROUP BY ca_zip HAVING COUNT(*) > 10) a1) a2) v1
WHERE ss_store_sk = s_store_sk AND ss_sold_date_sk = d_date_sk AND d_qoy = 2 AND d_year = 1998 AND SUBSTRING(s_zip, 1, 2) = SUBSTRING(v1.ca_zip, 1, 2)
GROUP BY s_store_name
ORDER BY s_store_name
LIMIT 100;
