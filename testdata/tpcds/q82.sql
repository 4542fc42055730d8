SELECT i_item_id, i_item_desc, i_current_price
FROM item, inventory, date_dim, store_sales
WHERE i_current_price BETWEEN 52 AND 82 AND inv_item_sk = i_item_sk AND d_date_sk = inv_date_sk AND d_date BETWEEN DATE '2000-05-25' AND DATE '2000-07-24'
  AND i_manufact_id IN (29, 27, 32, 164, 211, 18) AND inv_quantity_on_hand BETWEEN 100 AND 500 AND ss_item_sk = i_item_sk
GROUP BY i_item_id, i_item_desc, i_current_price
ORDER BY i_item_id, i_item_desc, i_current_price
LIMIT 100;
