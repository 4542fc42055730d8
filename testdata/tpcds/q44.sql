SELECT up.place, i1.i_product_name AS best, i2.i_product_name AS worst
FROM (SELECT item_key, place FROM (SELECT item_key, RANK() OVER (ORDER BY average ASC) AS place
    FROM (SELECT ss_item_sk AS item_key, AVG(ss_net_profit) AS average FROM store_sales WHERE ss_store_sk = 3 GROUP BY ss_item_sk
      HAVING AVG(ss_net_profit) > 0.9 * (SELECT AVG(ss_net_profit) AS average FROM store_sales WHERE ss_store_sk = 3 AND ss_addr_sk IS NULL GROUP BY ss_store_sk)) v1) v11 WHERE place < 11) up,
  (SELECT item_key, place FROM (SELECT item_key, RANK() OVER (ORDER BY average DESC) AS place
    FROM (SELECT ss_item_sk AS item_key, AVG(ss_net_profit) AS average FROM store_sales WHERE ss_store_sk = 3 GROUP BY ss_item_sk
      HAVING AVG(ss_net_profit) > 0.9 * (SELECT AVG(ss_net_profit) AS average FROM store_sales WHERE ss_store_sk = 3 AND ss_addr_sk IS NULL GROUP BY ss_store_sk)) v2) v21 WHERE place < 11) down,
  item i1, item i2
WHERE up.place = down.place AND i1.i_item_sk = up.item_key AND i2.i_item_sk = down.item_key
ORDER BY up.place, best, worst
LIMIT 100;
