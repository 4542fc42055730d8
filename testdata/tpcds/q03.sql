SELECT d_year, i_brand_id, i_brand, SUM(ss_ext_sales_price) AS total
FROM date_dim, store_sales, item
WHERE d_date_sk = ss_sold_date_sk AND ss_item_sk = i_item_sk AND i_manufact_id = 128 AND d_moy = 11
GROUP BY d_year, i_brand, i_brand_id
ORDER BY d_year, total DESC, i_brand_id
LIMIT 100;
