package tpcds

import (
	"fmt"
	"strings"
)

// sold is the date of a ticket t: in one of five years; the months from August to October sell more
// than those before, November and December most.
const sold = "(2450815 + [0, 365, 730, 1096, 1461][1 + T[5]] + CASE WHEN T[100] < 42 THEN 1 + T[212] WHEN T[100] < 50 THEN 213 + T[92] ELSE 305 + T[61] END)::INTEGER"

// maybe makes one in 25 values NULL.
func maybe(e string) string { return "CASE WHEN R[25] > 0 THEN " + e + " END" }

// ofTicket makes all values of a ticket NULL, for one ticket in 25.
func ofTicket(e string) string { return "CASE WHEN T[25] > 0 THEN " + e + " END" }

// buyer is the customer of a ticket or order. One order in 20 shares customer and items with the
// ticket of the same number, so that some customers buy the same through several channels.
func buyer(channel int, n sizes) string {
	return fmt.Sprintf("(hash(t * 16 + CASE WHEN t %% 20 = 0 THEN 0 ELSE %d END) %% %d)::INTEGER + 1", channel, n.customers)
}

func bought(channel, per int, n sizes) string {
	return fmt.Sprintf("((hash(t * 16 + CASE WHEN t %% 20 = 0 THEN 8 ELSE 8 + %d END) + (i %% %d) * 1499) %% %d)::INTEGER + 1", channel, per, n.items)
}

// sales returns a query of the rows of a channel: t is the ticket or order, and there are quantities
// and prices.
func sales(channel, per, tickets int, n sizes) string {
	inner := fmt.Sprintf("SELECT i, t, %s AS day, %s AS item, %s AS buyer, 1 + R[100] AS qty, (1 + R[9901] / 100.0)::DECIMAL(7, 2) AS cost, R[201] AS markup, R[101] AS off, CASE WHEN R[5] = 0 THEN R[101] ELSE 0 END AS coupon, R[10] AS tax, R[51] AS shipping FROM (SELECT i, i // %d AS t FROM range(%d) r(i))",
		sold, bought(channel, per, n), buyer(channel, n), per, per*tickets)
	name := fmt.Sprint("sales", channel)
	listed := "SELECT *, (cost * (100 + markup) / 100.0)::DECIMAL(7, 2) AS list FROM (" + random(name, inner) + ")"
	priced := "SELECT *, (list * (100 - off) / 100.0)::DECIMAL(7, 2) AS price FROM (" + listed + ")"
	return "(SELECT *, (qty * price * coupon / 100.0)::DECIMAL(7, 2) AS coupons, (qty * list * shipping / 100.0)::DECIMAL(7, 2) AS freight FROM (" + priced + "))"
}

// returned returns a query of the returns of a channel: one sale in ten, some days later, often a
// part of the quantity.
func returned(channel, per, tickets int, n sizes) string {
	return random(fmt.Sprint("returns", channel), "(SELECT *, day + 1 + R[90] AS back, 1 + R[qty] AS part, (R[10000] / 100.0)::DECIMAL(7, 2) AS fee FROM "+sales(channel, per, tickets, n)+" WHERE i % 10 = 3)")
}

// prices returns the columns of quantities and prices with a prefix.
func prices(p string, shipped bool) string {
	text := `
?_quantity qty
?_wholesale_cost cost
?_list_price list
?_sales_price price
?_ext_discount_amt (qty * (list - price))::DECIMAL(7, 2)
?_ext_sales_price (qty * price)::DECIMAL(7, 2)
?_ext_wholesale_cost (qty * cost)::DECIMAL(7, 2)
?_ext_list_price (qty * list)::DECIMAL(7, 2)
?_ext_tax ((qty * price - coupons) * tax / 100.0)::DECIMAL(7, 2)
?_coupon_amt coupons`
	if shipped {
		text += `
?_ext_ship_cost freight`
	}
	text += `
?_net_paid (qty * price - coupons)::DECIMAL(7, 2)
?_net_paid_inc_tax ((qty * price - coupons) * (100 + tax) / 100.0)::DECIMAL(7, 2)`
	if shipped {
		text += `
?_net_paid_inc_ship (qty * price - coupons + freight)::DECIMAL(7, 2)
?_net_paid_inc_ship_tax ((qty * price - coupons) * (100 + tax) / 100.0 + freight)::DECIMAL(7, 2)`
	}
	return strings.ReplaceAll(text+`
?_net_profit (qty * price - coupons - qty * cost)::DECIMAL(7, 2)`, "?", p)
}

// refunds returns the columns of amounts of a return; amount is the name of the returned amount.
func refunds(p, quantity, amount, tax, loss string) string {
	return strings.NewReplacer("?", p, "QUANTITY", quantity, "AMOUNT", amount, "TAX", tax, "LOSS", loss).Replace(`
?_QUANTITY part
?_AMOUNT (part * price)::DECIMAL(7, 2)
?_TAX (part * price * tax / 100.0)::DECIMAL(7, 2)
?_AMOUNT_inc_tax (part * price * (100 + tax) / 100.0)::DECIMAL(7, 2)
?_fee fee
?_return_ship_cost (freight * part / qty)::DECIMAL(7, 2)
?_refunded_cash (part * price * R[101] / 100.0)::DECIMAL(7, 2)
?_reversed_charge (part * price * R[20] / 100.0)::DECIMAL(7, 2)
?_CREDIT (part * price * R[20] / 100.0)::DECIMAL(7, 2)
?_LOSS (fee + freight * part / qty + part * price * tax / 100.0)::DECIMAL(7, 2)`)
}

func facts(n sizes) []definition {
	address := fmt.Sprintf("1 + T[%d]", n.addresses)
	other := maybe(fmt.Sprintf("CASE WHEN T[10] = 0 THEN 1 + T[%d] ELSE buyer END", n.customers))
	return []definition{
		{"store_sales", sales(0, perTicket, n.tickets, n), `
ss_sold_date_sk ` + ofTicket("day") + `
ss_sold_time_sk ` + ofTicket("28800 + T[46800]") + `
ss_item_sk item
ss_customer_sk ` + ofTicket("buyer") + `
ss_cdemo_sk ` + ofTicket("1 + T[1920800]") + `
ss_hdemo_sk ` + ofTicket("1 + T[7200]") + `
ss_addr_sk ` + ofTicket(address) + `
ss_store_sk ` + ofTicket("1 + T[6] * 2") + `
ss_promo_sk ` + maybe("1 + R[300]") + `
ss_ticket_number (t + 1)::INTEGER` + prices("ss", false)},
		{"store_returns", returned(0, perTicket, n.tickets, n), strings.ReplaceAll(`
sr_returned_date_sk `+maybe("back")+`
sr_return_time_sk `+maybe("28800 + R[32400]")+`
sr_item_sk item
sr_customer_sk `+maybe("buyer")+`
sr_cdemo_sk `+maybe("1 + R[1920800]")+`
sr_hdemo_sk `+maybe("1 + R[7200]")+`
sr_addr_sk `+maybe(fmt.Sprintf("1 + R[%d]", n.addresses))+`
sr_store_sk `+maybe("1 + R[6] * 2")+`
sr_reason_sk `+maybe("1 + R[35]")+`
sr_ticket_number (t + 1)::INTEGER`+refunds("sr", "return_quantity", "return_amt", "return_tax", "net_loss"), "CREDIT", "store_credit")},
		{"catalog_sales", sales(1, perOrder, n.orders, n), `
cs_sold_date_sk ` + maybe("day") + `
cs_sold_time_sk ` + maybe("T[86400]") + `
cs_ship_date_sk ` + maybe("day + 2 + R[89]") + `
cs_bill_customer_sk ` + maybe("buyer") + `
cs_bill_cdemo_sk ` + maybe("1 + T[1920800]") + `
cs_bill_hdemo_sk ` + maybe("1 + T[7200]") + `
cs_bill_addr_sk ` + maybe(address) + `
cs_ship_customer_sk ` + other + `
cs_ship_cdemo_sk ` + maybe("1 + T[1920800]") + `
cs_ship_hdemo_sk ` + maybe("1 + T[7200]") + `
cs_ship_addr_sk ` + maybe(address) + `
cs_call_center_sk ` + maybe("1 + T[6]") + `
cs_catalog_page_sk ` + maybe("1 + R[11718]") + `
cs_ship_mode_sk ` + maybe("1 + R[20]") + `
cs_warehouse_sk ` + maybe("1 + R[5]") + `
cs_item_sk item
cs_promo_sk ` + maybe("1 + R[300]") + `
cs_order_number (t + 1)::INTEGER` + prices("cs", true)},
		{"catalog_returns", returned(1, perOrder, n.orders, n), strings.ReplaceAll(`
cr_returned_date_sk back
cr_returned_time_sk R[86400]
cr_item_sk item
cr_refunded_customer_sk `+maybe("buyer")+`
cr_refunded_cdemo_sk `+maybe("1 + R[1920800]")+`
cr_refunded_hdemo_sk `+maybe("1 + R[7200]")+`
cr_refunded_addr_sk `+maybe(fmt.Sprintf("1 + R[%d]", n.addresses))+`
cr_returning_customer_sk `+maybe(fmt.Sprintf("CASE WHEN R[5] = 0 THEN 1 + R[%d] ELSE buyer END", n.customers))+`
cr_returning_cdemo_sk `+maybe("1 + R[1920800]")+`
cr_returning_hdemo_sk `+maybe("1 + R[7200]")+`
cr_returning_addr_sk `+maybe(fmt.Sprintf("1 + R[%d]", n.addresses))+`
cr_call_center_sk `+maybe("1 + R[6]")+`
cr_catalog_page_sk `+maybe("1 + R[11718]")+`
cr_ship_mode_sk `+maybe("1 + R[20]")+`
cr_warehouse_sk `+maybe("1 + R[5]")+`
cr_reason_sk `+maybe("1 + R[35]")+`
cr_order_number (t + 1)::INTEGER`+refunds("cr", "return_quantity", "return_amount", "return_tax", "net_loss"), "CREDIT", "store_credit")},
		{"web_sales", sales(2, perWebOrder, n.webOrders, n), `
ws_sold_date_sk ` + maybe("day") + `
ws_sold_time_sk ` + maybe("T[86400]") + `
ws_ship_date_sk ` + maybe("day + 1 + R[120]") + `
ws_item_sk item
ws_bill_customer_sk ` + maybe("buyer") + `
ws_bill_cdemo_sk ` + maybe("1 + T[1920800]") + `
ws_bill_hdemo_sk ` + maybe("1 + T[7200]") + `
ws_bill_addr_sk ` + maybe(address) + `
ws_ship_customer_sk ` + other + `
ws_ship_cdemo_sk ` + maybe("1 + T[1920800]") + `
ws_ship_hdemo_sk ` + maybe("1 + T[7200]") + `
ws_ship_addr_sk ` + maybe(address) + `
ws_web_page_sk ` + maybe("1 + R[60]") + `
ws_web_site_sk ` + maybe("1 + R[30]") + `
ws_ship_mode_sk ` + maybe("1 + R[20]") + `
ws_warehouse_sk ` + maybe("1 + R[5]") + `
ws_promo_sk ` + maybe("1 + R[300]") + `
ws_order_number (t + 1)::INTEGER` + prices("ws", true)},
		{"web_returns", returned(2, perWebOrder, n.webOrders, n), strings.ReplaceAll(`
wr_returned_date_sk `+maybe("back")+`
wr_returned_time_sk `+maybe("R[86400]")+`
wr_item_sk item
wr_refunded_customer_sk `+maybe("buyer")+`
wr_refunded_cdemo_sk `+maybe("1 + T[1920800]")+`
wr_refunded_hdemo_sk `+maybe("1 + R[7200]")+`
wr_refunded_addr_sk `+maybe(address)+`
wr_returning_customer_sk `+maybe("buyer")+`
wr_returning_cdemo_sk `+maybe("CASE WHEN R[10] < 9 THEN 1 + T[1920800] ELSE 1 + R[1920800] END")+`
wr_returning_hdemo_sk `+maybe("1 + R[7200]")+`
wr_returning_addr_sk `+maybe(fmt.Sprintf("1 + R[%d]", n.addresses))+`
wr_web_page_sk `+maybe("1 + R[60]")+`
wr_reason_sk `+maybe("1 + R[35]")+`
wr_order_number (t + 1)::INTEGER`+refunds("wr", "return_quantity", "return_amt", "return_tax", "net_loss"), "CREDIT", "account_credit")},
		{"inventory", fmt.Sprintf("range(%d) r(i)", 261*5*n.items/2), fmt.Sprintf(`
inv_date_sk (%d + i // %d * 7)::INTEGER
inv_item_sk (1 + i %% %d * 2)::INTEGER
inv_warehouse_sk (1 + i // %d %% 5)::INTEGER
inv_quantity_on_hand %s`, firstSale-1, 5*n.items/2, n.items/2, n.items/2, maybe("R[1000]"))},
	}
}
