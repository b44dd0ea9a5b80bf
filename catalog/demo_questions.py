"""What a merchandiser of the demo shop would save: about prices, stock, options and materials."""

DEMO_QUESTIONS: tuple[tuple[str, str | None], ...] = (
    ("Does the Oxford Button-Down Shirt come in black?", None),
    ("How much is it, and is it in stock?", "JKT-RAIN"),
    ("Is the rain jacket waterproof?", None),
    ("What is the sweater made of?", "KNIT-MER"),
    ("Which jeans do you have in size 32?", None),
    ("Can I return the mascara?", "BEA-ESS-ESS-001"),
    ("牛津纺扣领衬衫有黑色吗？", None),
    ("多少钱？有货吗？", "1006002"),
    ("羊毛被的填充物是什么？", None),
    ("这个枕头是什么面料的？", "1009012"),
)
"""Each with the SKU or product id of the page that it is asked on, if it is."""
