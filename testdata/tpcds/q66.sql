SELECT w_warehouse_name, w_warehouse_sq_ft, w_city, w_county, w_state, w_country, ship_carriers, d_year, SUM(jan) AS jan, SUM(feb) AS feb, SUM(mar) AS mar, SUM(apr) AS apr, SUM(may) AS may, SUM(jun) AS jun, SUM(oct) AS oct, SUM(nov) AS nov, SUM(dcm) AS dcm, SUM(jan / w_warehouse_sq_ft) AS jan_foot, SUM(jan_net) AS jan_net, SUM(dec_net) AS dec_net
FROM (
  SELECT w_warehouse_name, w_warehouse_sq_ft, w_city, w_county, w_state, w_country, CONCAT('DHL', ',', 'BARIAN') AS ship_carriers, d_year,
    SUM(CASE WHEN d_moy = 1 THEN ws_ext_sales_price * ws_quantity ELSE 0 END) AS jan, SUM(CASE WHEN d_moy = 2 THEN ws_ext_sales_price * ws_quantity ELSE 0 END) AS feb, SUM(CASE WHEN d_moy = 3 THEN ws_ext_sales_price * ws_quantity ELSE 0 END) AS mar,
    SUM(CASE WHEN d_moy = 4 THEN ws_ext_sales_price * ws_quantity ELSE 0 END) AS apr, SUM(CASE WHEN d_moy = 5 THEN ws_ext_sales_price * ws_quantity ELSE 0 END) AS may, SUM(CASE WHEN d_moy = 6 THEN ws_ext_sales_price * ws_quantity ELSE 0 END) AS jun,
    SUM(CASE WHEN d_moy = 10 THEN ws_ext_sales_price * ws_quantity ELSE 0 END) AS oct, SUM(CASE WHEN d_moy = 11 THEN ws_ext_sales_price * ws_quantity ELSE 0 END) AS nov, SUM(CASE WHEN d_moy = 12 THEN ws_ext_sales_price * ws_quantity ELSE 0 END) AS dcm,
    SUM(CASE WHEN d_moy = 1 THEN ws_net_paid * ws_quantity ELSE 0 END) AS jan_net, SUM(CASE WHEN d_moy = 12 THEN ws_net_paid * ws_quantity ELSE 0 END) AS dec_net
  FROM web_sales, warehouse, date_dim, time_dim, ship_mode
  WHERE ws_warehouse_sk = w_warehouse_sk AND ws_sold_date_sk = d_date_sk AND ws_sold_time_sk = t_time_sk AND ws_ship_mode_sk = sm_ship_mode_sk AND d_year = 2001 AND t_time BETWEEN 30838 AND 59638 AND sm_carrier IN ('DHL', 'BARIAN')
  GROUP BY w_warehouse_name, w_warehouse_sq_ft, w_city, w_county, w_state, w_country, d_year
  UNION ALL
  SELECT w_warehouse_name, w_warehouse_sq_ft, w_city, w_county, w_state, w_country, CONCAT('DHL', ',', 'BARIAN'), d_year,
    SUM(CASE WHEN d_moy = 1 THEN cs_sales_price * cs_quantity ELSE 0 END), SUM(CASE WHEN d_moy = 2 THEN cs_sales_price * cs_quantity ELSE 0 END), SUM(CASE WHEN d_moy = 3 THEN cs_sales_price * cs_quantity ELSE 0 END),
    SUM(CASE WHEN d_moy = 4 THEN cs_sales_price * cs_quantity ELSE 0 END), SUM(CASE WHEN d_moy = 5 THEN cs_sales_price * cs_quantity ELSE 0 END), SUM(CASE WHEN d_moy = 6 THEN cs_sales_price * cs_quantity ELSE 0 END),
    SUM(CASE WHEN d_moy = 10 THEN cs_sales_price * cs_quantity ELSE 0 END), SUM(CASE WHEN d_moy = 11 THEN cs_sales_price * cs_quantity ELSE 0 END), SUM(CASE WHEN d_moy = 12 THEN cs_sales_price * cs_quantity ELSE 0 END),
    SUM(CASE WHEN d_moy = 1 THEN cs_net_paid_inc_tax * cs_quantity ELSE 0 END), SUM(CASE WHEN d_moy = 12 THEN cs_net_paid_inc_tax * cs_quantity ELSE 0 END)
  FROM catalog_sales, warehouse, date_dim, time_dim, ship_mode
  WHERE cs_warehouse_sk = w_warehouse_sk AND cs_sold_date_sk = d_date_sk AND cs_sold_time_sk = t_time_sk AND cs_ship_mode_sk = sm_ship_mode_sk AND d_year = 2001 AND t_time BETWEEN 30838 AND 59638 AND sm_carrier IN ('DHL', 'BARIAN')
  GROUP BY w_warehouse_name, w_warehouse_sq_ft, w_city, w_county, w_state, w_country, d_year) x
GROUP BY w_warehouse_name, w_warehouse_sq_ft, w_city, w_county, w_state, w_country, ship_carriers, d_year
ORDER BY w_warehouse_name
LIMIT 100;
