WITH v1 AS (
  SELECT i_category, i_brand, s_store_name, s_company_name, d_year, d_moy, SUM(ss_sales_price) AS sum_sales,
    AVG(SUM(ss_sales_price)) OVER (PARTITION BY i_category, i_brand, s_store_name, s_company_name, d_year) AS avg_monthly,
    RANK() OVER (PARTITION BY i_category, i_brand, s_store_name, s_company_name ORDER BY d_year, d_moy) AS rn
  FROM item, store_sales, date_dim, store
  WHERE ss_item_sk = i_item_sk AND ss_sold_date_sk = d_date_sk AND ss_store_sk = s_store_sk AND (d_year = 1999 OR d_year = 1998 AND d_moy = 12 OR d_year = 2000 AND d_moy = 1)
  GROUP BY i_category, i_brand, s_store_name, s_company_name, d_year, d_moy)
SELECT v1.i_category, v1.i_brand, v1.s_store_name, v1.s_company_name, v1.d_year, v1.d_moy, v1.avg_monthly, v1.sum_sales, before_it.sum_sales AS psum, after_it.sum_sales AS nsum
FROM v1, v1 before_it, v1 after_it
WHERE v1.i_category = before_it.i_category AND v1.i_category = after_it.i_category AND v1.i_brand = before_it.i_brand AND v1.i_brand = after_it.i_brand
  AND v1.s_store_name = before_it.s_store_name AND v1.s_store_name = after_it.s_store_name AND v1.s_company_name = before_it.s_company_name AND v1.s_company_name = after_it.s_company_name
  AND v1.rn = before_it.rn + 1 AND v1.rn = after_it.rn - 1
  AND v1.d_year = 1999 AND v1.avg_monthly > 0 AND CASE WHEN v1.avg_monthly > 0 THEN ABS(v1.sum_sales - v1.avg_monthly) / v1.avg_monthly END > 0.1
ORDER BY v1.sum_sales - v1.avg_monthly, v1.s_store_name, v1.i_category, v1.i_brand, v1.d_moy
LIMIT 100;
