SELECT DISTINCT i_product_name
FROM item i1
WHERE i_manufact_id BETWEEN 70 AND 110 AND (
  SELECT COUNT(*) FROM item
  WHERE i_manufact = i1.i_manufact AND (
    i_category = 'Women' AND i_color IN ('powder', 'khaki') AND i_units IN ('Ounce', 'Oz') AND i_size IN ('medium', 'extra large')
    OR i_category = 'Women' AND i_color IN ('brown', 'lawn') AND i_units IN ('Bunch', 'Ton') AND i_size IN ('N/A', 'small')
    OR i_category = 'Men' AND i_color IN ('floral', 'dim') AND i_units IN ('Each', 'Dozen') AND i_size IN ('petite', 'large')
    OR i_category = 'Men' AND i_color IN ('orchid', 'peach') AND i_units IN ('Box', 'Pound') AND i_size IN ('medium', 'extra large'))) > 0
ORDER BY i_product_name
LIMIT 100;
