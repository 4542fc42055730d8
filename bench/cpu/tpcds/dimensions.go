package tpcds

import "fmt"

// The dates of date_dim begin in 1900; those of sales are in the five years from firstSale.
const (
	days      = 73_049
	firstDay  = 2_415_022
	firstSale = 2_450_816
)

const (
	streets = "'Main','Oak','Park','Elm','Lake','Hill','Cedar','Pine','Maple','View','Spring','Ridge','Church','Forest','College'"
	kinds   = "'Street','Ave','Blvd','Lane','Court','Drive','Road','Way','Circle','Parkway'"
	cities  = "'Midway','Fairview','Oak Grove','Five Points','Pleasant Hill','Centerville','Riverside','Salem','Liberty','Greenville','Union','Oakland','Bethel','Edgewood','Shiloh','Sunnyside'"
	states  = "'TX','GA','VA','KY','MO','KS','IL','NC','IA','NE','IN','OH','TN','CA','WI','AL','NY','OK','FL','CO','WA','AZ','PA','NJ','SD','ND','MT','OR','LA','MS'"
	firsts  = "'James','Mary','John','Linda','Robert','Karen','Michael','Helen','William','Nancy','David','Donna','Richard','Carol','Joseph','Ruth','Charles','Sharon','Thomas','Laura'"
	lasts   = "'Smith','Jones','Brown','Davis','Miller','Wilson','Moore','Taylor','Anderson','Thomas','Jackson','White','Harris','Martin','Thompson','Garcia','Martinez','Robinson','Clark','Lewis','Lee','Walker','Hall','Allen','Young'"
	lands   = "'UNITED STATES','CANADA','MEXICO','FRANCE','GERMANY','JAPAN','BRAZIL','INDIA','CHINA','GREECE','EGYPT','KENYA','PERU','CHILE','NORWAY'"
)

// id returns an expression for the text key of a row.
func id(key string) string { return "'AAAAAAAA' || lpad((" + key + ")::VARCHAR, 8, '0')" }

// address returns the columns of an address.
func address(prefix, city, county, state string) string {
	return fmt.Sprintf(`
%[1]sstreet_number (1 + R[999])::VARCHAR
%[1]sstreet_name P[%[2]s] || ' ' || P[%[2]s]
%[1]sstreet_type P[%[3]s]
%[1]ssuite_number 'Suite ' || R[500]
%[1]scity %[4]s
%[1]scounty %[5]s
%[1]sstate %[6]s
%[1]szip lpad((10000 + R[400] * 199)::VARCHAR, 5, '0')
%[1]scountry 'United States'
%[1]sgmt_offset (-5 - R[4])::DECIMAL(5, 2)`, prefix, streets, kinds, city, county, state)
}

// dated returns the columns of the validity of a row: every other one has been replaced.
func dated(prefix string) string {
	return fmt.Sprintf(`
%[1]srec_start_date CASE WHEN i %% 2 = 0 THEN DATE '1997-10-27' ELSE DATE '2000-10-27' END
%[1]srec_end_date CASE WHEN i %% 2 = 0 THEN DATE '2000-10-26' END`, prefix)
}

func dimensions(n sizes) []definition {
	county := "P['Williamson County','Ziebach County','Walker County','Daviess County','Barrow County','Fairfield County','Luce County','Richland County']"
	return append(calendar(), []definition{
		{"customer_demographics", numbered(n.demographics), `
cd_demo_sk (i + 1)::INTEGER
cd_gender ['M','F'][1 + i % 2]
cd_marital_status ['M','S','D','W','U'][1 + i // 2 % 5]
cd_education_status ['Primary','Secondary','College','2 yr Degree','4 yr Degree','Advanced Degree','Unknown'][1 + i // 10 % 7]
cd_purchase_estimate (500 * (1 + i // 70 % 20))::INTEGER
cd_credit_rating ['Good','Low Risk','High Risk','Unknown'][1 + i // 1400 % 4]
cd_dep_count (i // 5600 % 7)::INTEGER
cd_dep_employed_count (i // 39200 % 7)::INTEGER
cd_dep_college_count (i // 274400 % 7)::INTEGER`},
		{"household_demographics", numbered(7200), `
hd_demo_sk (i + 1)::INTEGER
hd_income_band_sk (1 + i % 20)::INTEGER
hd_buy_potential ['0-500','501-1000','1001-5000','5001-10000','>10000','Unknown'][1 + i // 20 % 6]
hd_dep_count (i // 120 % 10)::INTEGER
hd_vehicle_count (i // 1200 - 1)::INTEGER`},
		{"income_band", numbered(20), `
ib_income_band_sk (i + 1)::INTEGER
ib_lower_bound (i * 10000 + CASE WHEN i = 0 THEN 0 ELSE 1 END)::INTEGER
ib_upper_bound ((i + 1) * 10000)::INTEGER`},
		{"customer_address", numbered(n.addresses), `
ca_address_sk (i + 1)::INTEGER
ca_address_id ` + id("i") + address("ca_", "P["+cities+"]", county, "P["+states+"]") + `
ca_location_type P['apartment','condo','single family']`},
		{"customer", numbered(n.customers), fmt.Sprintf(`
c_customer_sk (i + 1)::INTEGER
c_customer_id %s
c_current_cdemo_sk CASE WHEN R[30] > 0 THEN 1 + R[1920800] END
c_current_hdemo_sk CASE WHEN R[30] > 0 THEN 1 + R[7200] END
c_current_addr_sk 1 + R[%d]
c_first_shipto_date_sk 2449028 + R[3650]
c_first_sales_date_sk 2448998 + R[3650]
c_salutation P['Mr.','Mrs.','Ms.','Dr.','Sir','Miss']
c_first_name CASE WHEN R[30] > 0 THEN P[%s] END
c_last_name CASE WHEN R[30] > 0 THEN P[%s] END
c_preferred_cust_flag P['Y','N']
c_birth_day 1 + R[28]
c_birth_month 1 + R[12]
c_birth_year 1924 + R[69]
c_birth_country P[%s]
c_login NULL::VARCHAR
c_email_address 'customer' || i || '@example.org'
c_last_review_date_sk 2452283 + R[365]`, id("i"), n.addresses, firsts, lasts, lands)},
		item(n),
		{"store", numbered(12), `
s_store_sk (i + 1)::INTEGER
s_store_id ` + id("i // 2") + dated("s_") + `
s_closed_date_sk CASE WHEN i % 4 = 3 THEN 2451189 + R[800] END
s_store_name ['ought','able','ese','pri','anti','cally','ation','eing','bar','ought','able','ese'][1 + i]
s_number_employees 200 + R[100]
s_floor_space 5000000 + R[5000000]
s_hours P['8AM-8AM','8AM-4PM','8AM-12AM']
s_manager P[` + firsts + `] || ' ' || P[` + lasts + `]
s_market_id 1 + R[10]
s_geography_class 'Unknown'
s_market_desc 'market ' || R[1000]
s_market_manager P[` + firsts + `] || ' ' || P[` + lasts + `]
s_division_id 1
s_division_name 'Unknown'
s_company_id 1
s_company_name 'Unknown'` + address("s_", "['Midway','Fairview'][1 + i % 2]", "['Williamson County','Ziebach County','Walker County','Daviess County'][1 + i % 4]", "['TN','TN','TN','TN','TN','TN','SD','AL','GA','OH','TX','TN'][1 + i]") + `
s_tax_precentage (R[12] / 100.0)::DECIMAL(5, 2)`},
		{"warehouse", numbered(5), `
w_warehouse_sk (i + 1)::INTEGER
w_warehouse_id ` + id("i") + `
w_warehouse_name ['Conventional childr','Important issues','Doors canno','Bad cards must','Rooms cook'][1 + i]
w_warehouse_sq_ft 50000 + R[950000]` + address("w_", "'Fairview'", "'Williamson County'", "'TN'")},
		{"ship_mode", numbered(20), `
sm_ship_mode_sk (i + 1)::INTEGER
sm_ship_mode_id ` + id("i") + `
sm_type ['EXPRESS','NEXT DAY','OVERNIGHT','REGULAR','TWO DAY','LIBRARY'][1 + i % 6]
sm_code ['AIR','SURFACE','SEA'][1 + i % 3]
sm_carrier ['UPS','FEDEX','AIRBORNE','USPS','DHL','TBS','ZHOU','ZOUROS','MSC','LATVIAN','ALLIANCE','ORIENTAL','BARIAN','BOXBUNDLES','HARMSTORF','PRIVATECARRIER','DIAMOND','RUPEKSA','GERMA','GREAT EASTERN'][1 + i]
sm_contract 'c' || R[100000]`},
		{"reason", numbered(35), `
r_reason_sk (i + 1)::INTEGER
r_reason_id ` + id("i") + `
r_reason_desc 'reason ' || (i + 1)`},
		{"promotion", numbered(300), fmt.Sprintf(`
p_promo_sk (i + 1)::INTEGER
p_promo_id %s
p_start_date_sk 2450100 + R[800]
p_end_date_sk 2450930 + R[800]
p_item_sk 1 + R[%d]
p_cost 1000.00::DECIMAL(15, 2)
p_response_target 1
p_promo_name P['ought','able','ese','pri','anti','cally','ation','eing','bar']
p_channel_dmail P['Y','N']
p_channel_email CASE WHEN R[20] = 0 THEN 'Y' ELSE 'N' END
p_channel_catalog 'N'
p_channel_tv CASE WHEN R[20] = 0 THEN 'Y' ELSE 'N' END
p_channel_radio 'N'
p_channel_press 'N'
p_channel_event CASE WHEN R[20] = 0 THEN 'Y' ELSE 'N' END
p_channel_demo 'N'
p_channel_details 'details ' || i
p_purpose 'Unknown'
p_discount_active 'N'`, id("i"), n.items)},
		{"call_center", numbered(6), `
cc_call_center_sk (i + 1)::INTEGER
cc_call_center_id ` + id("i // 2") + dated("cc_") + `
cc_closed_date_sk NULL::INTEGER
cc_open_date_sk 2450800 + R[300]
cc_name ['NY Metro','Mid Atlantic','North Midwest','NY Metro','California','Pacific Northwest'][1 + i]
cc_class P['small','medium','large']
cc_employees 1 + R[7]
cc_sq_ft 1000 + R[1000]
cc_hours P['8AM-8AM','8AM-4PM','8AM-12AM']
cc_manager P[` + firsts + `] || ' ' || P[` + lasts + `]
cc_mkt_id 1 + R[6]
cc_mkt_class 'class ' || R[100]
cc_mkt_desc 'market ' || R[100]
cc_market_manager P[` + firsts + `] || ' ' || P[` + lasts + `]
cc_division 1 + R[6]
cc_division_name P['able','pri','ese','anti']
cc_company 1 + R[6]
cc_company_name P['able','pri','ese','anti']` + address("cc_", "'Midway'", "'Williamson County'", "'TN'") + `
cc_tax_percentage (R[12] / 100.0)::DECIMAL(5, 2)`},
		{"catalog_page", numbered(11718), `
cp_catalog_page_sk (i + 1)::INTEGER
cp_catalog_page_id ` + id("i") + `
cp_start_date_sk (2450815 + i // 108 * 15)::INTEGER
cp_end_date_sk (2450844 + i // 108 * 15)::INTEGER
cp_department 'DEPARTMENT'
cp_catalog_number (1 + i // 108)::INTEGER
cp_catalog_page_number (1 + i % 108)::INTEGER
cp_description 'page ' || i
cp_type P['bi-annual','quarterly','monthly']`},
		{"web_site", numbered(30), `
web_site_sk (i + 1)::INTEGER
web_site_id ` + id("i // 2") + dated("web_") + `
web_name 'site_' || (i // 6)
web_open_date_sk 2450800 - R[400]
web_close_date_sk CASE WHEN i % 3 = 0 THEN 2452000 + R[400] END
web_class 'Unknown'
web_manager P[` + firsts + `] || ' ' || P[` + lasts + `]
web_mkt_id 1 + R[6]
web_mkt_class 'class ' || R[100]
web_mkt_desc 'market ' || R[100]
web_market_manager P[` + firsts + `] || ' ' || P[` + lasts + `]
web_company_id (1 + i % 6)::INTEGER
web_company_name ['pri','able','ese','anti','cally','ought'][1 + i % 6]` + address("web_", "P["+cities+"]", "'Williamson County'", "'TN'") + `
web_tax_percentage (R[12] / 100.0)::DECIMAL(5, 2)`},
		{"web_page", numbered(60), fmt.Sprintf(`
wp_web_page_sk (i + 1)::INTEGER
wp_web_page_id %s%s
wp_creation_date_sk 2450810 + R[100]
wp_access_date_sk 2452548 + R[100]
wp_autogen_flag P['Y','N']
wp_customer_sk CASE WHEN R[3] = 0 THEN 1 + R[%d] END
wp_url 'http://www.example.org'
wp_type P['order','feedback','general','ad','dynamic','protected','welcome']
wp_char_count 100 + i::INTEGER * 120
wp_link_count 2 + R[24]
wp_image_count 1 + R[7]
wp_max_ad_count R[5]`, id("i // 2"), dated("wp_"), n.customers)},
	}...)
}

// item returns the definition of table item: 10 categories of 10 classes of 10 brands.
func item(n sizes) definition {
	const classes = "[['arts','business','computers','cooking','fiction','history','mystery','reference','self-help','travel']," +
		"['infants','toddlers','school-uniforms','newborn','boys','girls','costumes','shoes','books','games']," +
		"['audio','cameras','monitors','personal','portable','stereo','televisions','wireless','dvd players','memory']," +
		"['bathroom','bedding','blinds','curtains','decor','furniture','glassware','lighting','mattresses','rugs']," +
		"['birdal','bracelets','costume','custom','diamonds','earings','estate','gold','loose stones','pendants']," +
		"['accessories','pants','shirts','sports-apparel','suits','shoes','belts','ties','jackets','hats']," +
		"['classical','country','pop','rock','jazz','opera','folk','dance','blues','latin']," +
		"['athletic','kids','mens','womens','boots','sandals','loafers','heels','slippers','clogs']," +
		"['archery','athletic shoes','baseball','basketball','camping','fishing','fitness','football','golf','hockey']," +
		"['dresses','fragrances','maternity','swimwear','accessories','pants','skirts','coats','scarves','sweaters']]"
	return definition{"item", fmt.Sprintf("(SELECT i, 1 + R[10] AS cat, 1 + (hash(i * 3 + 1) %% 10)::INTEGER AS cls, 1 + (hash(i * 3 + 2) %% 10)::INTEGER AS brand, (hash(i * 3 + 3) %% 10000)::INTEGER AS cents FROM range(%d) r(i))", n.items), `
i_item_sk (i + 1)::INTEGER
i_item_id ` + id("i // 2") + dated("i_") + `
i_item_desc 'description of item ' || R[10000000]
i_current_price (0.09 + cents / 100.0)::DECIMAL(7, 2)
i_wholesale_cost (0.05 + cents / 160.0)::DECIMAL(7, 2)
i_brand_id cat * 1000000 + cls * 1000 + brand
i_brand ['amalg','edu pack','exporti','importo','scholar','brand','corp','maxi','name','univ'][cat] || ['amalg','edu pack','exporti','importo','scholar','brand','corp','maxi','name','univ'][cls] || ' #' || brand
i_class_id cls
i_class ` + classes + `[cat][cls]
i_category_id cat
i_category ['Books','Children','Electronics','Home','Jewelry','Men','Music','Shoes','Sports','Women'][cat]
i_manufact_id 1 + (R[1000] * R[1000]) // 1000
i_manufact P['able','anti','ation','bar','callycally','eing','ese','ought','pri'] || P['able','anti','bar','ese','ought']
i_size P['petite','small','medium','large','extra large','economy','N/A']
i_formulation 'formula ' || R[100000]
i_color P['almond','azure','beige','black','blue','brown','burlywood','chartreuse','chiffon','coral','cyan','dim','drab','floral','gainsboro','green','indian','ivory','khaki','lace','lawn','maroon','metallic','navy','olive','orchid','peach','plum','powder','purple','red','rosy','saddle','sienna','slate','snow','steel','tan','turquoise','white']
i_units P['Each','Ounce','Pound','Ton','Gram','Dozen','Case','Bunch','Oz','Pallet','Box','Cup']
i_container 'Unknown'
i_manager_id 1 + R[100]
i_product_name 'product ' || i`}
}

// calendar returns date_dim and time_dim.
func calendar() []definition {
	return []definition{
		{"date_dim", fmt.Sprintf("(SELECT i, DATE '1900-01-02' + i::INTEGER AS d FROM range(%d) r(i))", days), fmt.Sprintf(`
d_date_sk (%d + i)::INTEGER
d_date_id %s
d_date d
d_month_seq ((year(d) - 1900) * 12 + month(d) - 1)::INTEGER
d_week_seq ((i + 2) // 7 + 1)::INTEGER
d_quarter_seq ((year(d) - 1900) * 4 + quarter(d))::INTEGER
d_year year(d)::INTEGER
d_dow dayofweek(d)::INTEGER
d_moy month(d)::INTEGER
d_dom day(d)::INTEGER
d_qoy quarter(d)::INTEGER
d_fy_year year(d)::INTEGER
d_fy_quarter_seq ((year(d) - 1900) * 4 + quarter(d))::INTEGER
d_fy_week_seq ((i + 2) // 7 + 1)::INTEGER
d_day_name dayname(d)
d_quarter_name year(d) || 'Q' || quarter(d)
d_holiday CASE WHEN month(d) = 12 AND day(d) IN (25, 26) OR month(d) = 1 AND day(d) = 1 OR month(d) = 7 AND day(d) = 4 THEN 'Y' ELSE 'N' END
d_weekend CASE WHEN dayofweek(d) IN (5, 6) THEN 'Y' ELSE 'N' END
d_following_holiday CASE WHEN month(d) = 12 AND day(d) = 27 OR month(d) = 1 AND day(d) = 2 OR month(d) = 7 AND day(d) = 5 THEN 'Y' ELSE 'N' END
d_first_dom (%d + i - day(d) + 1)::INTEGER
d_last_dom (%d + i - day(d) + day(last_day(d)))::INTEGER
d_same_day_ly (%d + i - 365)::INTEGER
d_same_day_lq (%d + i - 91)::INTEGER
d_current_day 'N'
d_current_week 'N'
d_current_month 'N'
d_current_quarter 'N'
d_current_year 'N'`, firstDay, id("i"), firstDay, firstDay, firstDay, firstDay)},
		{"time_dim", numbered(86400), `
t_time_sk i::INTEGER
t_time_id ` + id("i") + `
t_time i::INTEGER
t_hour (i // 3600)::INTEGER
t_minute (i // 60 % 60)::INTEGER
t_second (i % 60)::INTEGER
t_am_pm CASE WHEN i < 43200 THEN 'AM' ELSE 'PM' END
t_shift ['third','first','second'][1 + (i + 3600) // 28800 % 3]
t_sub_shift ['night','morning','afternoon','evening'][1 + i // 21600]
t_meal_time CASE WHEN i // 3600 BETWEEN 6 AND 8 THEN 'breakfast' WHEN i // 3600 BETWEEN 11 AND 13 THEN 'lunch' WHEN i // 3600 BETWEEN 17 AND 20 THEN 'dinner' END`},
	}
}
